"""Calibration of soft step labels: of the steps with a value of about 0.7, do about 70% come true?

The value may be a probability that a step is wrong, or a Monte-Carlo value, taken for one that it is right.
A Monte-Carlo value is the chance that a completer still gets the answer, not the chance that the step is
right, so there some gap is expected: what is measured is how far the one stands for the other.
Leaves out: fitting a correction.
"""

from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

from .agreement import Rate, rate
from .intervals import NUM_RESAMPLES, UNDEFINED, PossibleEstimate, bootstrap_means

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Steps with ``low <= value < high`` (the last includes 1); ``mean_value`` is None in an empty one.

    ``came_true`` counts the steps of which the event holds.
    """

    low: float
    high: float
    mean_value: float | None
    came_true: Rate
    num_problems: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """``ece``: expected calibration error, in [0, 1], over ``num_steps`` decided steps of known truth."""

    ece: PossibleEstimate
    bins: tuple[CalibrationBin, ...]
    num_steps: int
    num_undecided: int
    num_unknown: int


def calibration(
    values: Sequence[float | None],
    came_true: Sequence[bool | None],
    problem_ids: Sequence[Hashable],
    *,
    num_bins: int = 10,
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
) -> Calibration:
    """Bins of equal width and expected calibration error (Naeini et al. 2015), one entry a step in each list.

    ``values`` say how probable an event is, ``came_true`` whether it holds: that the step is right, say. A
    value of None is undecided, a truth of None unknown; both are counted apart. The interval of the error is
    a bootstrap over problems, stretched where needed to hold the value: resampling adds noise, noise adds
    error, so the draws lie a little high.

    Raises ``InputError`` for lists of unequal length, and a value outside [0, 1].
    """
    if not len(values) == len(came_true) == len(problem_ids):
        raise InputError(
            f"Calibration needs a value, a truth and a problem a step, got {len(values)}, {len(came_true)} "
            f"and {len(problem_ids)}; pass lists of one length."
        )
    rows = list(zip(values, came_true, problem_ids, strict=True))
    known = [(value, truth, problem) for value, truth, problem in rows if truth is not None]
    kept = [(value, truth, problem) for value, truth, problem in known if value is not None]
    value_array = np.array([value for value, _, _ in kept], dtype=np.float64)
    truth_array = np.array([truth for _, truth, _ in kept], dtype=np.float64)
    if not ((value_array >= 0) & (value_array <= 1)).all():
        raise InputError("A soft value lies in [0, 1]; check the values given.")
    bin_of = np.minimum((value_array * num_bins).astype(np.int64), num_bins - 1)
    problems = [problem for _, _, problem in kept]
    bins = tuple(
        _bin(
            index,
            num_bins,
            value_array[bin_of == index],
            truth_array[bin_of == index],
            {problem for problem, place in zip(problems, bin_of, strict=True) if place == index},
        )
        for index in range(num_bins)
    )
    gaps = _gaps_by_problem(value_array - truth_array, bin_of, problems, num_bins)
    ece = _ece(gaps, seed, num_resamples)
    return Calibration(ece, bins, len(kept), len(known) - len(kept), len(rows) - len(known))


def _bin(
    index: int, num_bins: int, values: Floats, truths: Floats, problems: Set[Hashable]
) -> CalibrationBin:
    return CalibrationBin(
        low=index / num_bins,
        high=(index + 1) / num_bins,
        mean_value=float(values.mean()) if len(values) else None,
        came_true=rate(int(truths.sum()), len(truths)),
        num_problems=len(problems),
    )


def _gaps_by_problem(
    gaps: Floats, bin_of: NDArray[np.int64], problem_ids: Sequence[Hashable], num_bins: int
) -> Floats:
    # Shape: (P, num_bins + 1): sum of value - truth by bin, and last the number of steps.
    position = {problem_id: row for row, problem_id in enumerate(dict.fromkeys(problem_ids))}
    sums = np.zeros((len(position), num_bins + 1))
    rows = np.array([position[problem_id] for problem_id in problem_ids], dtype=np.int64)
    np.add.at(sums, (rows, bin_of), gaps)
    sums[:, num_bins] = np.bincount(rows, minlength=len(position))
    return sums


def _ece(gaps: Floats, seed: int, num_resamples: int) -> PossibleEstimate:
    # A bin's weight times its gap is |sum of value - truth| over all steps.
    if len(gaps) == 0:
        return UNDEFINED
    value = float(np.abs(gaps[:, :-1].sum(axis=0)).sum() / gaps[:, -1].sum())
    if len(gaps) < 2:
        return PossibleEstimate(value, None, None)
    draws = bootstrap_means(gaps, seed=seed, num_resamples=num_resamples)
    errors = np.abs(draws[:, :-1]).sum(axis=1) / draws[:, -1]
    low, high = np.quantile(errors, [0.025, 0.975]).tolist()
    return PossibleEstimate(value, min(low, value), max(high, value))
