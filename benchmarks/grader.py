"""Stepmark's grader beside plain math-verify, in one run: what each gets right, and how fast.

    python benchmarks/grader.py [--data FOLDER] [--pairs 5000] [--show]

Three parts: the cases of other graders' own tests; the share of pairs of MATH answers decided by the fast
path, without a process; and speed on such pairs (grader_pairs.py), one grader after the other. Stepmark has
its time limits and one worker, so that either grader uses one core; math-verify runs in this process with the
limits it comes with. Ends with exit code 1 where a target is missed.
"""

import logging
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import click
from grader_pairs import Case, math_answers, peer_cases, variants

from stepmark.labeling.grading import Grader, decide

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared/data"
# The peer takes 9 for something else than 9 where the formula runs over lines.
_PEER_IS_WRONG = {19, 20}
_LEAST_AGREEMENT, _LEAST_RATIO = 0.95, 10.0

Judgements = list[bool]
Judge = Callable[[Sequence[Case]], tuple[float, Judgements]]


def by_stepmark(cases: Sequence[Case]) -> tuple[float, Judgements]:
    """Seconds, and whether it calls each pair equal; the worker is started before the clock."""
    with Grader(num_workers=1) as grader:
        grader.grade([("\\sin x", "\\cos x")])
        start = time.perf_counter()
        verdicts = grader.grade([(case.truth, case.answer) for case in cases])
        return time.perf_counter() - start, [verdict == "equal" for verdict in verdicts]


def by_math_verify(cases: Sequence[Case]) -> tuple[float, Judgements]:
    """Seconds, and whether it calls each pair equal; it expects formulas between dollar signs."""
    from math_verify import parse, verify  # type: ignore[import-untyped]  # noqa: PLC0415 - not timed

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    logging.getLogger("latex2sympy2_extended").setLevel(logging.CRITICAL)
    verify(parse("$1$"), parse("$x$"))
    start = time.perf_counter()
    judgements = []
    for case in cases:
        truth, answer = (parse(text if "$" in text else f"${text}$") for text in (case.truth, case.answer))
        judgements.append(bool(verify(truth, answer)))
    return time.perf_counter() - start, judgements


def missed_and_false(cases: Sequence[Case], judgements: Judgements) -> tuple[list[Case], list[Case]]:
    """Equal pairs not found equal, and different pairs called equal."""
    wrong = [case for case, judged in zip(cases, judgements, strict=True) if judged != case.is_equal]
    return [case for case in wrong if case.is_equal], [case for case in wrong if not case.is_equal]


def _share_right(cases: Sequence[Case], judgements: Judgements) -> float:
    missed, false = missed_and_false(cases, judgements)
    return 1 - (len(missed) + len(false)) / len(cases)


def peers(data: Path, graders: dict[str, Judge]) -> bool:
    """Print how each grader agrees with the peers' cases; whether Stepmark agrees with enough of them."""
    cases = peer_cases(data)
    click.echo(f"{len(cases)} cases of other graders' tests:")
    is_met = False
    for name, judge in graders.items():
        _, judgements = judge(cases)
        _, false = missed_and_false(cases, judgements)
        share = _share_right(cases, judgements)
        excused = [cases[number - 1] for number in _PEER_IS_WRONG if judgements[number - 1]]
        num_false = len(false) - len(excused)
        click.echo(
            f"  {name:18} {share:.1%} agree; false equals {num_false}"
            + (f", and {len(excused)} where the peer is wrong (9 over several lines)" if excused else "")
        )
        if name.startswith("stepmark"):
            is_met = share >= _LEAST_AGREEMENT and num_false == 0
    return is_met


def fast_path(answers: Sequence[str], seed: int) -> None:
    """Print the share of equal and of different pairs that need no process."""
    click.echo("Decided by the fast path, without a process:")
    for title, some in (("every problem", answers), ("every distinct answer", sorted(set(answers)))):
        cases = variants(some, seed)
        shares = []
        for is_equal in (True, False):
            pairs = [case for case in cases if case.is_equal is is_equal]
            num_decided = sum(decide(case.truth, case.answer) is not None for case in pairs)
            shares.append(f"{num_decided / len(pairs):.2%} of {len(pairs):,}")
        click.echo(f"  {title:24} {shares[0]} equal pairs, {shares[1]} different ones")


def speed(cases: Sequence[Case], graders: dict[str, Judge], is_shown: bool) -> bool:
    """Print pairs per second and what each gets right; whether Stepmark is fast and has no false equal."""
    num_equal = sum(case.is_equal for case in cases)
    click.echo(f"{len(cases):,} pairs of MATH answers, {num_equal:,} of them equal:")
    rates, num_false = [], 0
    for name, judge in graders.items():
        seconds, judgements = judge(cases)
        missed, false = missed_and_false(cases, judgements)
        rates.append(len(cases) / seconds)
        click.echo(
            f"  {name:18} {rates[-1]:8,.0f} pairs/s; {_share_right(cases, judgements):.2%} right, "
            f"{len(missed)} equal ones missed, {len(false)} different ones called equal"
        )
        if name.startswith("stepmark"):
            num_false = len(false)
        for case in [*missed, *false] if is_shown else []:
            click.echo(
                f"      {case.truth!r} and {case.answer!r} are {'equal' if case.is_equal else 'different'}"
            )
    click.echo(f"  {rates[0] / rates[1]:.1f} times the speed")
    return rates[0] >= _LEAST_RATIO * rates[1] and num_false == 0


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=os.environ.get("STEPMARK_REAL_DATA", _BESIDE_THE_CHECKOUT),
    help="Folder with math/ and graders/ [default: ../shared/data beside the checkout].",
)
@click.option("--pairs", "num_pairs", type=click.IntRange(min=2), default=5_000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--show", "is_shown", is_flag=True, help="List the pairs that a grader judges wrongly.")
def main(data: Path, num_pairs: int, seed: int, is_shown: bool) -> None:
    """Print the three parts."""
    graders: dict[str, Judge] = {
        "stepmark": by_stepmark,
        f"math-verify {version('math-verify')}": by_math_verify,
    }
    answers = math_answers(data)
    distinct = sorted(set(answers))
    some = random.Random(seed).sample(distinct, min(num_pairs // 2, len(distinct)))
    agrees = peers(data, graders)
    fast_path(answers, seed)
    is_fast = speed(variants(some, seed), graders, is_shown)
    sys.exit(0 if agrees and is_fast else 1)


if __name__ == "__main__":
    main()
