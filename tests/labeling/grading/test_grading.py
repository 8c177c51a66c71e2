"""The grader's processes: limits, deaths, threads, and what is left when it is closed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.labeling.grading import GRADER_VERSION, Grader, equivalence_classes, outcome_of
from stepmark.labeling.vocabulary import Verdict

TOWER = "9^{9^{9^{9}}}"
NEEDS_ALGEBRA = (r"\sin^2 x + \cos^2 x", "1")
HANGS = (r"\sin x", f"{TOWER} + x")


@pytest.fixture
def grader() -> Iterator[Grader]:
    """A grader with one worker and a short limit."""
    with Grader(time_limit_s=0.5, num_workers=1) as made:
        yield made


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_until(condition: Callable[[], bool], limit_s: float = 60.0) -> bool:
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _in_thread(work: Callable[[], object]) -> object:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


def test_towers_and_long_integers_return_within_two_seconds_in_any_thread(grader: Grader) -> None:
    """A power tower and integers of 10,000 digits need no process at all."""
    digits = "7" * 10_000
    pairs = [
        ("5", TOWER),
        (TOWER, TOWER),
        (TOWER, "9^{9^{9^{8}}}"),
        (digits, digits),
        (digits, digits[:-1] + "8"),
    ]

    start = time.monotonic()
    verdicts = _in_thread(lambda: grader.grade(pairs))

    assert time.monotonic() - start < 2
    assert verdicts == ["different", "equal", "different", "equal", "different"]
    assert grader.worker_pids == []


@pytest.mark.slow
def test_a_pair_that_never_ends_is_killed_in_any_thread(grader: Grader) -> None:
    """The others get their verdicts, from a new worker where needed."""
    verdicts = _in_thread(lambda: grader.grade([NEEDS_ALGEBRA, HANGS, (r"\sin x", r"\cos x"), ("1", "1")]))

    assert verdicts == ["equal", "timeout", "different", "equal"]


@pytest.mark.slow
def test_no_process_is_left_after_closing() -> None:
    """Neither idle workers nor one that hung; a closed grader says so."""
    with Grader(time_limit_s=0.5, num_workers=2) as grader:
        grader.grade([NEEDS_ALGEBRA, (r"\sin x", r"\cos x")])
        pids = grader.worker_pids
    assert len(pids) == 2
    assert not any(_is_alive(pid) for pid in pids)
    with pytest.raises(ValueError, match="closed"):
        grader.grade([("1", "1")])


@pytest.mark.slow
def test_idle_workers_that_were_killed_cost_nothing(grader: Grader) -> None:
    """A pair handed to a dead worker goes to another."""
    grader.grade([NEEDS_ALGEBRA])
    for pid in grader.worker_pids:
        os.kill(pid, signal.SIGKILL)

    assert grader.grade([(r"\tan x", r"\frac{\sin x}{\cos x}")]) == ["equal"]


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_costs_at_most_its_pair() -> None:
    """The pair is tried again in a new worker and runs out of time; the next ones are graded."""
    others = [(r"\ln 4", r"2\ln 2"), (r"\ln 9", r"2\ln 3")]
    verdicts: list[Verdict] = []
    with Grader(time_limit_s=2.0, num_workers=1) as grader:
        grader.grade([NEEDS_ALGEBRA])
        (pid,) = grader.worker_pids
        start_s = _cpu_s(pid)
        thread = threading.Thread(target=lambda: verdicts.extend(grader.grade([HANGS, *others])))
        thread.start()
        assert _wait_until(lambda: _cpu_s(pid) > start_s + 0.1)
        os.kill(pid, signal.SIGKILL)
        thread.join()

    assert verdicts == ["timeout", "equal", "equal"]


def _children(pid: int) -> list[int]:
    """The processes that a worker has forked to do the judging."""
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


def _cpu_s(pid: int) -> float:
    """Processor seconds that the children of a worker have used."""
    stats = [Path(f"/proc/{child}/stat").read_text(encoding="utf-8") for child in _children(pid)]
    fields = [stat.rpartition(")")[2].split() for stat in stats]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_nesting_without_end_is_no_answer_and_harms_no_worker(grader: Grader) -> None:
    """Deep nesting would end the reader's recursion."""
    verdicts = grader.grade([(r"\sin x", r"\sqrt{" * 29 + "x" + "}" * 29), (r"\sin x", "(" * 900 + "x")])

    assert verdicts[1] == "unparsable"
    assert grader.grade([NEEDS_ALGEBRA]) == ["equal"]


@pytest.mark.slow
def test_a_worker_ends_when_its_grader_is_killed() -> None:
    """Even a worker that hangs, and even when the grading process had no time to clean up."""
    source = (
        "import threading, time\n"
        "from stepmark.labeling.grading import Grader\n"
        f"grader = Grader(time_limit_s=1.0, num_workers=1)\n"
        f"grader.grade([{NEEDS_ALGEBRA!r}])\n"
        "print(*grader.worker_pids, flush=True)\n"
        f"grader.grade([{HANGS!r}])\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        (worker,) = [int(pid) for pid in parent.stdout.readline().split()]
        (child,) = _children(worker)
        parent.kill()

    assert _wait_until(lambda: not _is_alive(worker))
    assert _wait_until(lambda: not _is_alive(child))


def test_a_worker_that_cannot_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence that names a way to find out more; graded pairs that need no worker still work."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Grader() as grader:
        assert grader.grade([("1/2", "0.5")]) == ["equal"]
        with pytest.raises(StepmarkError, match="grading process ended before it was ready"):
            grader.grade([NEEDS_ALGEBRA])


class _CountingPool:
    """Stands in for the processes and counts what they are asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def grade(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Verdict]:
        self.asked.extend(pairs)
        return dict.fromkeys(pairs, "equal")

    def close(self) -> None:
        """Nothing to close."""


def test_a_pair_is_graded_once(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeated within a call or in a later one, and the order of the verdicts is that of the pairs."""
    pool = _CountingPool()
    monkeypatch.setattr(grader, "_pool", pool)

    assert grader.grade([NEEDS_ALGEBRA, ("1", "2"), NEEDS_ALGEBRA]) == ["equal", "different", "equal"]
    assert grader.grade([NEEDS_ALGEBRA]) == ["equal"]
    assert pool.asked == [NEEDS_ALGEBRA]


def test_an_empty_ground_truth_is_refused(grader: Grader) -> None:
    """Nothing could equal it, and every answer would count as wrong."""
    with pytest.raises(InputError, match="pair 1 is empty"):
        grader.grade([("1", "1"), (" ", "2")])


@pytest.mark.parametrize(
    ("verdict", "final_answer", "finish_reason", "expected"),
    [
        ("equal", "5", "stop", "correct"),
        ("equal", "5", "length", "correct"),
        ("different", "5", "stop", "incorrect"),
        ("unparsable", "?", "stop", "incorrect"),
        ("timeout", "5", "stop", "grader_timeout"),
        (None, None, "length", "truncated"),
        (None, None, "stop", "no_answer"),
        ("unparsable", None, "length", "truncated"),
        (None, None, None, "no_answer"),
        (None, "", "stop", "no_answer"),
    ],
)
def test_outcomes(
    verdict: Verdict | None, final_answer: str | None, finish_reason: str | None, expected: str
) -> None:
    """A truncated solution without an answer is never wrong, and a timeout is its own outcome."""
    assert outcome_of(verdict, final_answer, finish_reason) == expected


def test_an_answer_without_a_verdict_has_no_outcome() -> None:
    """It was not graded; calling it wrong would be a default in place of an error."""
    with pytest.raises(ValueError, match="no verdict"):
        outcome_of(None, "5", "stop")


def test_answers_of_one_problem_fall_into_classes(grader: Grader) -> None:
    """Written differently they share a class; answers that say nothing have none."""
    answers = ["1/2", "0.5", None, r"\frac12", "2", "", "x=2", r"$\frac{1}{2}$", r"\boxed{}", "3"]

    assert equivalence_classes(answers, grader) == [0, 0, None, 0, 1, None, 1, 0, None, 2]
    assert equivalence_classes([], grader) == []
    assert equivalence_classes([None, ""], grader) == [None, None]


def test_classes_use_algebra_where_needed(grader: Grader) -> None:
    """Answers that exact arithmetic cannot compare are compared by the workers."""
    assert equivalence_classes([r"\ln 4", r"2 \ln 2", r"\ln 5"], grader) == [0, 0, 1]


def test_the_version_is_a_text() -> None:
    """It is stored beside every outcome."""
    assert isinstance(GRADER_VERSION, str)
    assert GRADER_VERSION
