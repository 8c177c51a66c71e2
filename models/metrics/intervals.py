"""95% intervals over problems: a seeded percentile bootstrap, and paired differences by the same resamples.

The unit of chance is the problem, not the sample: samples of one problem resemble each other.
Leaves out: corrections for comparing many selectors at once.

Shapes: P problems, C columns (one a curve point), R resamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError
from stepmark.labeling.estimating.wilson import wilson_interval

Floats = NDArray[np.float64]

NUM_RESAMPLES = 10_000
_SAME = 1e-12  # values that differ by rounding alone
_BLOCK_CELLS = 4_000_000  # resamples are drawn in blocks of about 32 MB


class Estimate(NamedTuple):
    """A value with its 95% interval, all in the unit of the value."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PossibleEstimate:
    """An estimate that the data may not define: a ratio of nothing, an interval of one problem are None."""

    value: float | None
    low: float | None
    high: float | None


UNDEFINED = PossibleEstimate(None, None, None)


def bootstrap_intervals(
    values: Floats, *, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> list[Estimate]:
    """Means of the columns of ``values`` (P, C), each in [0, 1], with their 95% percentile intervals.

    One seed gives every column the same resamples. Where all problems have the same value the bootstrap
    sees no variation and would claim certainty, so there the interval is Wilson's for P trials.

    Raises ``InputError`` for no problem at all, and for values that are not in [0, 1].
    """
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError("Shares must lie in [0, 1], none of them NaN; check the values given per problem.")
    draws = bootstrap_means(values, seed=seed, num_resamples=num_resamples)
    lows, highs = np.quantile(draws, [0.025, 0.975], axis=0)
    means = values.mean(axis=0)
    estimates = []
    for column, mean in enumerate(means.tolist()):
        if np.ptp(values[:, column]) < _SAME:
            constant = float(values[0, column])
            low, high = wilson_interval(constant * len(values), len(values))
            estimates.append(Estimate(constant, low, high))
        else:
            estimates.append(Estimate(mean, float(lows[column]), float(highs[column])))
    return estimates


def paired_difference(
    values_a: Floats, values_b: Floats, *, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> Estimate:
    """Mean of a - b over the same P problems in the same order, with its 95% interval.

    An interval that excludes 0 says that the selectors differ. Both arrays have shape (P,); with one seed
    the resamples are those of ``bootstrap_intervals``.

    Raises ``InputError`` for different lengths, and for fewer than 2 problems.
    """
    a, b = np.asarray(values_a, dtype=np.float64), np.asarray(values_b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(
            f"A paired difference needs the same problems on both sides, got shapes {a.shape} and {b.shape}; "
            "select one problem list for both."
        )
    if len(a) < 2:
        raise InputError(f"A paired interval needs at least 2 problems, got {len(a)}; evaluate on more.")
    difference = a - b
    draws = bootstrap_means(difference[:, None], seed=seed, num_resamples=num_resamples)
    low, high = np.quantile(draws[:, 0], [0.025, 0.975])
    return Estimate(float(difference.mean()), float(low), float(high))


def bootstrap_means(values: Floats, *, seed: int, num_resamples: int) -> Floats:
    """Means of ``values`` (P, C) over R resamples of P rows with replacement; shape (R, C).

    Raises ``InputError`` where ``values`` has no row.
    """
    if len(values) == 0:
        raise InputError("No problem to average over; give at least one.")
    blocks = [counts @ values for counts in _resample_counts(len(values), seed, num_resamples)]
    return np.concatenate(blocks) / len(values)


def _resample_counts(num_problems: int, seed: int, num_resamples: int) -> Iterator[Floats]:
    # Yields (block, P): how often each problem is in each resample.
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // num_problems)
    for start in range(0, num_resamples, block):
        rows = min(block, num_resamples - start)
        picks = rng.integers(0, num_problems, size=(rows, num_problems))
        picks += np.arange(rows)[:, None] * num_problems
        counts = np.bincount(picks.ravel(), minlength=rows * num_problems)
        yield counts.reshape(rows, num_problems).astype(np.float64)
