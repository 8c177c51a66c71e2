"""Estimators of the first error on one pool of rollouts: agreement with the oracle, and what it costs.

    python benchmarks/labels.py --home FOLDER [--problems 1250] [--replicates 4]

The pool (label_pool.py) is sampled once into FOLDER, which takes most of an hour on two cores; a second run
reads it. Every estimator draws from it several times in different orders. Costs are shares of what the
sequential scan with 16 rollouts costs; differences are paired by solution, with 95% intervals over problems.
Then values and their intervals are held against values measured by 256 other rollouts. Leaves out: speed
(label_speed.py).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from label_pool import Judged, Pool, Rollout, Sizes, cut_off, make_pool
from numpy.typing import NDArray

from stepmark.labeling.estimating import (
    AdaptiveEstimator,
    CountingEstimator,
    Estimator,
    RolloutCounts,
    SolutionBeliefs,
    missing_rollouts,
)

Floats = NDArray[np.float64]
_NUM_RIGHT_PER_WRONG = 0.4  # 200 right solutions to 500 wrong ones
_SIZES = Sizes()
_YARDSTICK = "sequential, 16"
_ESTIMATORS: dict[str, Estimator] = {
    _YARDSTICK: CountingEstimator("sequential", 16),
    "sequential, 8": CountingEstimator("sequential", 8),
    "sequential, 4": CountingEstimator("sequential", 4),
    "exhaustive, 32": CountingEstimator("exhaustive", 32),
    "exhaustive, 16": CountingEstimator("exhaustive", 16),
    "exhaustive, 8": CountingEstimator("exhaustive", 8),
    "exhaustive, 4": CountingEstimator("exhaustive", 4),
    "binary, 16": CountingEstimator("binary", 16),
    "binary, 8": CountingEstimator("binary", 8),
    "binary, 4": CountingEstimator("binary", 4),
    "adaptive, thorough": AdaptiveEstimator(confidence=0.9, min_gain=0.02),
    "adaptive, default": AdaptiveEstimator(),
    "adaptive, frugal": AdaptiveEstimator(confidence=0.7, min_gain=0.1),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One search of all solutions: what is believed in the end, from which rollouts, at what cost."""

    believed: list[SolutionBeliefs]
    seen: dict[str, list[Rollout]]
    num_samples: int
    num_tokens: int
    num_rounds: int


def search(estimator: Estimator, judged: Sequence[Judged], pool: Pool, seed: int) -> Run:
    """Search as the pipeline does, with rollouts from the pool in an order of the seed's."""
    order = random.Random(seed)
    solutions = [one.solution for one in judged]
    drawn: dict[str, list[Rollout]] = {}
    seen: dict[str, list[Rollout]] = {}
    counts: dict[str, RolloutCounts] = {}
    num_samples = num_tokens = num_rounds = 0
    while missing := missing_rollouts(solutions, estimator.next_rollouts(solutions, counts), counts):
        num_rounds += 1
        for key, number in missing.items():
            if key not in drawn:
                drawn[key] = order.sample(pool.rollouts[key], len(pool.rollouts[key]))
            before = len(seen.get(key, ()))
            seen[key] = drawn[key][: before + number]
            if len(seen[key]) < before + number:
                raise click.ClickException(
                    f"the pool holds {len(drawn[key])} rollouts of a prefix; draw more."
                )
            num_samples += number
            num_tokens += sum(one.num_tokens for one in seen[key][before:])
            counts[key] = counted(seen[key])
    return Run(estimator.estimate(solutions, counts), seen, num_samples, num_tokens, num_rounds)


def counted(rollouts: Sequence[Rollout]) -> RolloutCounts:
    """Rollouts by outcome."""
    outcomes = [one.outcome for one in rollouts]
    return RolloutCounts(
        len(outcomes),
        outcomes.count("correct"),
        outcomes.count("truncated"),
        outcomes.count("grader_timeout"),
        sum(one.num_tokens for one in rollouts),
    )


def chosen(judged: Sequence[Judged]) -> list[Judged]:
    """All wrong solutions, and right ones in proportion."""
    wrong = [one for one in judged if not one.solution.is_correct]
    right = sorted(
        (one for one in judged if one.solution.is_correct), key=lambda one: one.solution.solution_id
    )
    return wrong + right[: round(_NUM_RIGHT_PER_WRONG * len(wrong))]


def agreement(judged: Sequence[Judged], runs: Sequence[Run]) -> Floats:
    """Share of the runs that find each solution's true first error; undecided is not found."""
    hits = [
        [beliefs.first_error() == one.first_error for beliefs, one in zip(run.believed, judged, strict=True)]
        for run in runs
    ]
    shares: Floats = np.mean(np.array(hits, dtype=np.float64), axis=0)
    return shares


def half_width(values: Floats, judged: Sequence[Judged]) -> float:
    """Half of the 95% interval of a mean over solutions, whose problems are independent of each other."""
    rest: dict[str, float] = {}
    for value, one in zip(values - values.mean(), judged, strict=True):
        rest[one.problem_id] = rest.get(one.problem_id, 0.0) + float(value)
    return 1.96 * float(np.sqrt(sum(total**2 for total in rest.values()))) / len(values)


def print_estimators(judged: Sequence[Judged], pool: Pool, num_replicates: int) -> dict[str, list[Run]]:
    """The table of estimators; return their runs."""
    runs: dict[str, list[Run]] = {}
    click.echo(
        f"{'estimator':20}{'samples':>9}{'tokens':>8}{'rounds':>7}{'agreement':>16}"
        f"{'on wrong ones':>15}{'undecided':>11}{'against ' + _YARDSTICK:>26}"
    )
    is_wrong = np.array([not one.solution.is_correct for one in judged])
    for name, estimator in _ESTIMATORS.items():
        runs[name] = [search(estimator, judged, pool, seed) for seed in range(num_replicates)]
        first = runs[_YARDSTICK]
        samples = sum(run.num_samples for run in runs[name]) / sum(run.num_samples for run in first)
        tokens = sum(run.num_tokens for run in runs[name]) / sum(run.num_tokens for run in first)
        found = agreement(judged, runs[name])
        base = agreement(judged, first)
        on_wrong = found[is_wrong].mean()
        undecided = np.mean([beliefs.first_error() is None for run in runs[name] for beliefs in run.believed])
        click.echo(
            f"{name:20}{samples:9.1%}{tokens:8.1%}{max(run.num_rounds for run in runs[name]):7}"
            f"{found.mean():10.1%} ±{half_width(found, judged):4.1%}{on_wrong:15.1%}{undecided:11.1%}"
            f"{100 * (found - base).mean():+17.1f} ±{100 * half_width(found - base, judged):4.1f} pts"
        )
    return runs


def print_values(judged: Sequence[Judged], pool: Pool, runs: dict[str, list[Run]]) -> None:
    """Values against those of 256 other rollouts: error, and how often the 95% interval holds them."""
    click.echo(
        f"\n{'values of':20}{'prefixes':>9}{'mean abs. error':>17}{'95% interval holds':>20}{'width':>8}"
    )
    for name in ("adaptive, thorough", "adaptive, default", "adaptive, frugal"):
        for label, is_wanted in (("rolled out", True), ("inferred", False), ("both", None)):
            rows = [
                (belief.value, belief.value_low, belief.value_high, pool.truth[key])
                for run in runs[name]
                for one, beliefs in zip(judged, run.believed, strict=True)
                for key, belief in zip(one.solution.prefix_ids, beliefs.beliefs, strict=False)
                if key in pool.truth and is_wanted in (None, key in run.seen)
            ]
            value, low, high, true = np.array(rows, dtype=np.float64).T
            covered = (low <= true) & (true <= high)
            click.echo(
                f"{name.removeprefix('adaptive, ') + ', ' + label:20}{len(rows) // len(runs[name]):9}"
                f"{np.abs(value - true).mean():17.3f}{covered.mean():20.1%}{(high - low).mean():8.2f}"
            )


def print_truncation(judged: Sequence[Judged], pool: Pool) -> None:
    """What becomes of labels when a third of the rollouts is cut off: wrong for that alone, and undecided."""
    cut, limit = cut_off(pool, 1 / 3)
    solutions = [one.solution for one in judged]
    click.echo(f"\nA third of the rollouts cut off, at {limit} tokens:")
    for name in ("adaptive, default", "exhaustive, 16", _YARDSTICK):
        run = search(_ESTIMATORS[name], judged, cut, seed=0)
        whole = {
            key: counted([one._replace(outcome=one.whole_outcome) for one in seen])
            for key, seen in run.seen.items()
        }
        pairs = [
            (belief.p_wrong_low, belief.p_wrong_high, other.p_wrong_low)
            for beliefs, one in zip(run.believed, _ESTIMATORS[name].estimate(solutions, whole), strict=True)
            for belief, other in zip(beliefs.beliefs, one.beliefs, strict=True)
        ]
        low, high, true = np.array(pairs).T
        is_wrong = low >= 0.5
        click.echo(
            f"  {name:20}{is_wrong.sum():6} steps called wrong, {(is_wrong & (true < 0.5)).sum()} only"
            f" for it, {(~is_wrong & (high >= 0.5)).sum()} undecided; bounds {(high - low).mean():.2f} apart"
        )


@click.command()
@click.option(
    "--home", type=click.Path(path_type=Path, file_okay=False), required=True, help="The pool's home."
)
@click.option("--problems", default=_SIZES.num_problems, show_default=True, help="minimath problems.")
@click.option("--dense", default=_SIZES.num_dense, show_default=True, help="Of them, with three solutions.")
@click.option("--true", default=_SIZES.num_true, show_default=True, help="Of them, with true values.")
@click.option("--replicates", default=8, show_default=True, help="Searches per estimator.")
def main(home: Path, problems: int, dense: int, true: int, replicates: int) -> None:
    """Compare estimators of the first error, and print tables."""
    pool = make_pool(home, Sizes(problems, dense, true))
    judged = chosen(pool.judged)
    num_wrong = sum(not one.solution.is_correct for one in judged)
    click.echo(f"{num_wrong} wrong and {len(judged) - num_wrong} right solutions of at least four steps\n")
    print_values(judged, pool, print_estimators(judged, pool, replicates))
    print_truncation(judged, pool)


if __name__ == "__main__":
    main()
