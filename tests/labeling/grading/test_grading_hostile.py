"""Hostile text: every pair ends in time with a verdict, from any thread, and no process is left behind."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from stepmark.labeling.grading import Grader, equivalence_classes
from stepmark.labeling.grading.equivalence import spelling_of
from stepmark.labeling.grading.extracting.final_answers import final_answer

pytestmark = pytest.mark.slow  # hanging pairs burn processor time until they are killed

LIMIT_S = 2.0
TOWER = "9^{9^{9^{9}}}"
HOSTILE = {
    "a power tower": TOWER,
    "a power tower without braces": "9^9^9^9^9",
    "a power tower in Python": "9**9**9**9",
    "a power tower in a fraction": rf"\frac{{{TOWER}}}{{7}}",
    "a power tower in a sine": rf"\sin({TOWER})",
    "a factorial of factorials": "(((9!)!)!)!",
    "a root of a high degree": r"\sqrt[99999999]{9^{9^9}}",
    "a sum without end": r"\sum_{k=1}^{10^{12}} \frac{1}{k^k}",
    "an integer of 10,000 digits": "7" * 10_000,
    "an integer of 190,000 digits": "7" * 190_000,
    "a power of a long sum": "(x+y+z+1)^{900}",
    "900 parentheses": "(" * 450 + "x" + ")" * 450,
    "10,000 parentheses": "(" * 5_000 + "x" + ")" * 5_000,
    "fractions within fractions": r"\frac{1}{" * 5_000 + "x" + "}" * 5_000,
    "roots within roots": r"\sqrt{" * 29 + "x" + "}" * 29,
    "open braces": "{" * 100_000,
    "a megabyte of letters": "x" * 1_000_000,
    "a megabyte of spaces": " " * 1_000_000 + "5",
    "a megabyte of LaTeX": r"\frac{1}{2}+" * 83_000,
    "200,000 spaces": "5" + " " * 199_000 + "x",
    "backslashes": "\\" * 100 + "x",
    "many backslashes": "\\" * 190_000 + "x",
    "dots": "5" + "." * 900 + "x",
    "commas": "1," * 95_000,
    "boxes": r"\boxed{" * 25_000,
    "an answer that never comes": "The answer is" + " " * 5_000,
    "control characters": "5\x00\x07\x1b[31m",
    "half of a surrogate pair": "\ud800",
    "text that runs backwards": "\u202e5",
    "an import": "__import__('os').system('exit 1')",
    "an evaluation": "eval(open('/etc/passwd').read())",
    "a lambda": "(lambda: 1)()",
    "the inside of an object": r"\sin(x).__class__.__mro__",
    "a file in LaTeX": r"\input{/etc/passwd}",
}


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """A grader whose worker has started, which is not part of a pair's time."""
    with Grader(time_limit_s=0.5, num_workers=1) as made:
        made.grade([(r"\sin x", r"\cos x")])
        yield made


def _in_thread(work: Callable[[], object]) -> tuple[object, float]:
    """What the work returns in a thread of its own, and the seconds it takes."""
    results: list[object] = []
    start = time.monotonic()
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0], time.monotonic() - start


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers_get_a_verdict_in_time(grader: Grader, text: str) -> None:
    """None of them equals 5, and each ends within two seconds in a thread that is not the main one."""
    verdicts, seconds = _in_thread(lambda: grader.grade([("5", text)]))

    assert verdicts in (["different"], ["unparsable"], ["timeout"])
    assert seconds < LIMIT_S


@pytest.mark.parametrize("name", ["a power tower in a sine", "a megabyte of spaces", "many backslashes"])
def test_hostile_ground_truths_get_a_verdict_in_time(grader: Grader, name: str) -> None:
    """The other side is as safe, though its length has no limit."""
    verdicts, seconds = _in_thread(lambda: grader.grade([(HOSTILE[name], "5")]))

    assert verdicts in (["equal"], ["different"], ["timeout"])  # a 5 after any number of spaces is 5
    assert seconds < LIMIT_S


def test_hostile_text_is_searched_for_its_answer_in_time() -> None:
    """Nothing can end this search, which runs where the solutions are read."""
    ends = ("", "x", "\n", "\x0b", "}")
    starts = ("", "The answer is", "answer", "the final answer is", "#### ", "# Answer\n", r"\boxed", "$")
    fillings = (" ", "\n", "\t", "*", "#", ":", "answer ", r"\boxed{", "$", "\\(", "<think>", "{")
    texts = [start + filling * 5_000 + end for start in starts for filling in fillings for end in ends]

    _, seconds = _in_thread(lambda: [final_answer(text) for text in texts])

    assert seconds < LIMIT_S * 5  # 480 texts


def test_hostile_answers_are_grouped_in_time(grader: Grader) -> None:
    """Votes compare every answer of a problem; those that never end stay apart."""
    answers = [HOSTILE[name] for name in ("a power tower in a sine", "backslashes", "200,000 spaces")]
    assert all(spelling_of(answer) is not None for answer in answers)

    classes, seconds = _in_thread(lambda: equivalence_classes([*answers, "5", "5.0"], grader))

    assert isinstance(classes, list)
    assert classes[-2] == classes[-1]
    assert len(set(classes)) == 4
    assert seconds < LIMIT_S * 3


def _processes_below(pid: int) -> set[int]:
    """Every process that a process has started, and those that they started, dead ones included."""
    children = set()
    with suppress(FileNotFoundError, ProcessLookupError):  # a thread or process that has just ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            children |= {int(child) for child in (task / "children").read_text(encoding="utf-8").split()}
    return children.union(*map(_processes_below, children))


def test_ten_thousand_pairs_leave_no_process_behind() -> None:
    """Some pairs never end; two workers and a child of each are alive meanwhile, and afterwards none."""
    before = _processes_below(os.getpid())
    pairs = [(str(number), str(number % 9)) for number in range(9_900)]
    pairs += [(rf"\ln {number}", rf"\ln {number + 1}") for number in range(2, 92)]
    pairs += [(r"\sin x", rf"\sin({number}^{{{TOWER}}})") for number in range(10)]
    with Grader(time_limit_s=0.3, num_workers=2) as grader:
        num_alive, num_timeouts = [], 0
        for start in range(0, len(pairs), 1_000):
            verdicts = grader.grade(pairs[start : start + 1_000])
            num_timeouts += verdicts.count("timeout")
            num_alive.append(len(_processes_below(os.getpid()) - before))
        workers = set(grader.worker_pids)
        left = _processes_below(os.getpid()) - before

    assert len(pairs) == 10_000
    assert num_timeouts >= 8  # 0 and 1 to a great power are known
    assert max(num_alive) <= 4
    assert workers <= left
    deadline = time.monotonic() + 10  # whom the system buries may lie there a moment
    while any(Path(f"/proc/{pid}").exists() for pid in left):
        assert time.monotonic() < deadline
        time.sleep(0.01)
