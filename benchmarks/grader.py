r"""Pairs per second of Stepmark's grader and of plain Math-Verify, on real MATH answers and variants of them.

    python benchmarks/grader.py [PATH_TO_math_train_7500.jsonl] [--num-answers 1000]

Every answer is paired with itself reformatted (truly equal) and with one digit or sign changed (truly
different, but for rare accidents). Both graders judge the same pairs, one after the other, in the same run;
agreement with the known truth is printed beside the speed. Math-Verify runs in this process without its
timeouts, on the answers between dollar signs as it expects; Stepmark with its processes and limits.
Leaves out: accuracy on hard cases, which the tests measure.
"""

import argparse
import json
import logging
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

from stepmark.labeling.answers import final_answer
from stepmark.labeling.grading import Grader

Case = tuple[str, str, bool]
_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared/data/math/math_train_7500.jsonl"
_REFORMATS: list[Callable[[str], str]] = [
    lambda answer: f"${answer}$",
    lambda answer: f"The answer is ${answer}$.",
    lambda answer: answer.replace("\\frac", "\\dfrac"),
    lambda answer: answer.replace(" ", "  "),
    lambda answer: f"\\boxed{{{answer}}}",
]


def real_answers(path: Path, num_answers: int, seed: int) -> list[str]:
    """Final answers of MATH solutions, without repetition."""
    with path.open(encoding="utf-8") as lines:
        answers = {final_answer(json.loads(line)["solution"]) for line in lines}
    known = sorted(answer for answer in answers if answer)
    return random.Random(seed).sample(known, min(num_answers, len(known)))


def perturbed(answer: str, rng: random.Random) -> str:
    """The answer with one digit changed, or its sign where it has no digit."""
    digits = [match.start() for match in re.finditer(r"\d", answer)]
    if not digits:
        return f"-{answer}"
    at = rng.choice(digits)
    return answer[:at] + str((int(answer[at]) + rng.randint(1, 8)) % 10) + answer[at + 1 :]


def cases(answers: list[str], seed: int) -> list[Case]:
    """Two pairs per answer with their truth: a reformatted one and a perturbed one."""
    rng = random.Random(seed)
    result: list[Case] = []
    for answer in answers:
        result.append((answer, rng.choice(_REFORMATS)(answer), True))
        result.append((answer, perturbed(answer, rng), False))
    return result


def time_stepmark(pairs: list[Case]) -> tuple[float, list[bool]]:
    """Seconds and judgements; the workers are started before the clock."""
    with Grader() as grader:
        grader.grade([("\\sin x", "\\cos x"), ("\\sin x", "\\tan x")])
        start = time.perf_counter()
        verdicts = grader.grade([(truth, given) for truth, given, _ in pairs])
        return time.perf_counter() - start, [verdict == "equal" for verdict in verdicts]


def time_math_verify(pairs: list[Case]) -> tuple[float, list[bool]]:
    """Seconds and judgements of ``verify(parse(...), parse(...))``."""
    from math_verify import parse, verify  # noqa: PLC0415 - loading it is not what is timed

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    verify(parse("$1$", parsing_timeout=None), parse("$x$", parsing_timeout=None), timeout_seconds=None)
    start = time.perf_counter()
    judgements = []
    for truth, given, _ in pairs:
        read = [parse(text if "$" in text else f"${text}$", parsing_timeout=None) for text in (truth, given)]
        judgements.append(bool(verify(read[0], read[1], timeout_seconds=None)))
    return time.perf_counter() - start, judgements


def main() -> None:
    """Print one line per grader and the ratio of their speeds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", nargs="?", type=Path, default=_BESIDE_THE_CHECKOUT)
    parser.add_argument("--num-answers", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="list the pairs Stepmark judges otherwise")
    arguments = parser.parse_args()
    answers = real_answers(arguments.path, arguments.num_answers, arguments.seed)
    pairs = cases(answers, arguments.seed)
    speeds = []
    for title, run in (("stepmark", time_stepmark), ("math-verify", time_math_verify)):
        seconds, judgements = run(pairs)
        speeds.append(len(pairs) / seconds)
        missed = sum(
            is_equal and not judged for (_, _, is_equal), judged in zip(pairs, judgements, strict=True)
        )
        false = sum(
            judged and not is_equal for (_, _, is_equal), judged in zip(pairs, judgements, strict=True)
        )
        print(
            f"{title:12} {speeds[-1]:8.0f} pairs/s  {len(pairs)} pairs, {missed} equal ones missed, "
            f"{false} different ones called equal"
        )
        if arguments.show and title == "stepmark":
            for (truth, given, is_equal), judged in zip(pairs, judgements, strict=True):
                if judged != is_equal:
                    print(f"    {truth!r} and {given!r}: called {'equal' if judged else 'different'}")
    print(f"ratio {speeds[0] / speeds[1]:.1f}")


if __name__ == "__main__":
    main()
