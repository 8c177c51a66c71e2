"""Agreement of estimated step labels with a truth, such as Monte-Carlo labels with the oracle's.

Takes a polars frame, one row per step, with the columns
``problem_id``, ``solution_id``, ``step_index`` (0-based), ``rating`` (the estimate: -1, 0, 1, null undecided)
and ``true_rating`` (-1, 0, 1, null not known). Neutral counts as right. Undecided labels are counted apart,
never taken as wrong. Leaves out: soft values (``calibration``).

Legend: TP, FP, FN count wrong steps called wrong, right steps called wrong, wrong steps called right.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError
from stepmark.labeling.estimating.wilson import wilson_interval

from .first_error import first_error_from_ratings
from .intervals import NUM_RESAMPLES, UNDEFINED, PossibleEstimate, bootstrap_means

Floats = NDArray[np.float64]

_COLUMNS = ("problem_id", "solution_id", "step_index", "rating", "true_rating")


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` of ``total`` with Wilson's 95% interval; the shares are None where ``total`` is 0."""

    count: int
    total: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class FirstErrorAgreement:
    """How often the first error of the labels is the true one, per solution.

    ``exact``: the same index, -1 (none) included. ``exact_on_error``: the same among solutions with a true
    error. ``off_by_one``: both have an error, one step apart. ``both_none``: neither has one.
    ``num_undecided`` and ``num_unknown`` solutions, whose labels up to the true first error, or whose truth,
    leave it open, are in no total.
    """

    exact: Rate
    exact_on_error: Rate
    off_by_one: Rate
    both_none: Rate
    num_undecided: int
    num_unknown: int

    @property
    def undecided(self) -> Rate:
        """Solutions whose labels leave their first error open, of those whose truth is known."""
        return rate(self.num_undecided, self.num_undecided + self.exact.total)


@dataclass(frozen=True, slots=True)
class WrongStepDetection:
    """Precision, recall and F1 of calling a step wrong, over decided steps whose truth is known."""

    precision: PossibleEstimate
    recall: PossibleEstimate
    f1: PossibleEstimate
    num_true_positive: int
    num_false_positive: int
    num_false_negative: int
    num_true_negative: int
    num_undecided: int
    num_unknown: int

    @property
    def undecided(self) -> Rate:
        """Steps whose label is undecided, of those whose truth is known."""
        num_wrong = self.num_true_positive + self.num_false_negative
        num_right = self.num_true_negative + self.num_false_positive
        return rate(self.num_undecided, self.num_undecided + num_wrong + num_right)


def rate(count: int, total: int) -> Rate:
    """``count`` of ``total`` as a ``Rate``.

    >>> rate(0, 0)
    Rate(count=0, total=0, value=None, low=None, high=None)
    """
    if total == 0:
        return Rate(count, total, None, None, None)
    low, high = wilson_interval(count, total)
    return Rate(count, total, count / total, low, high)


def first_error_agreement(steps: pl.DataFrame) -> FirstErrorAgreement:
    """Compare the first errors of the solutions in ``steps`` (columns: see the module).

    Raises ``InputError`` for a missing column, and for a step that is missing or given twice.
    """
    solutions = _by_solution(steps)
    truths = [first_error_from_ratings(ratings) for ratings in solutions["true_rating"].to_list()]
    known = [
        (truth, _first_error_found(ratings, truth))
        for truth, ratings in zip(truths, solutions["rating"].to_list(), strict=True)
        if truth is not None
    ]
    pairs = [(truth, index) for truth, index in known if index is not None]
    with_error = [(truth, index) for truth, index in pairs if truth >= 0]
    return FirstErrorAgreement(
        exact=rate(sum(truth == index for truth, index in pairs), len(pairs)),
        exact_on_error=rate(sum(truth == index for truth, index in with_error), len(with_error)),
        off_by_one=rate(
            sum(index >= 0 and abs(truth - index) == 1 for truth, index in with_error), len(pairs)
        ),
        both_none=rate(sum(truth == index == -1 for truth, index in pairs), len(pairs)),
        num_undecided=len(known) - len(pairs),
        num_unknown=len(truths) - len(known),
    )


def _first_error_found(ratings: Sequence[int | None], truth: int) -> int | None:
    """The first error by the ratings, as far as they decide whether it is the true one.

    Where they leave it open only after the true one, they have missed that: -1.
    """
    found = first_error_from_ratings(ratings)
    return first_error_from_ratings(ratings[: truth + 1]) if found is None and truth >= 0 else found


def wrong_step_detection(
    steps: pl.DataFrame, *, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> WrongStepDetection:
    """Judge ``rating`` as a detector of wrong steps; intervals by a bootstrap over problems.

    Raises ``InputError`` as ``first_error_agreement`` does.
    """
    _check(steps)
    known = steps.filter(pl.col("true_rating").is_not_null())
    decided = known.filter(pl.col("rating").is_not_null())
    called, wrong = pl.col("rating") == -1, pl.col("true_rating") == -1
    cells = {"tp": called & wrong, "fp": called & ~wrong, "fn": ~called & wrong, "tn": ~called & ~wrong}
    by_problem = decided.group_by("problem_id", maintain_order=True).agg(
        [cell.sum().cast(pl.Float64).alias(name) for name, cell in cells.items()]
    )
    tp, fp, fn, tn = (by_problem[name].to_numpy() for name in cells)
    precision, recall, f1 = ratios_of_sums(
        np.stack([tp, tp, 2 * tp], axis=1),
        np.stack([tp + fp, tp + fn, 2 * tp + fp + fn], axis=1),
        seed=seed,
        num_resamples=num_resamples,
    )
    return WrongStepDetection(
        precision,
        recall,
        f1,
        num_true_positive=int(tp.sum()),
        num_false_positive=int(fp.sum()),
        num_false_negative=int(fn.sum()),
        num_true_negative=int(tn.sum()),
        num_undecided=known.height - decided.height,
        num_unknown=steps.height - known.height,
    )


def ratios_of_sums(
    numerators: Floats, denominators: Floats, *, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> list[PossibleEstimate]:
    """Sum over sum, column by column, of two arrays (P, C), one row a problem: 95% percentile intervals.

    All columns share their resamples; those in which a column's denominator is 0 are left out of it. A ratio
    is all None where its denominators sum to 0; its interval is None where fewer than 2 problems have one,
    for then there is nothing to see variation in.
    """
    num_columns = denominators.shape[1]
    if not len(denominators):
        return [UNDEFINED] * num_columns
    columns = np.concatenate([numerators, denominators], axis=1)
    draws = bootstrap_means(columns, seed=seed, num_resamples=num_resamples)
    over, under = draws[:, :num_columns], draws[:, num_columns:]
    return [
        _ratio(numerators[:, column], denominators[:, column], over[:, column], under[:, column])
        for column in range(num_columns)
    ]


def _ratio(numerators: Floats, denominators: Floats, over: Floats, under: Floats) -> PossibleEstimate:
    total = float(denominators.sum())
    if total == 0:
        return UNDEFINED
    value = float(numerators.sum()) / total
    if np.count_nonzero(denominators) < 2:
        return PossibleEstimate(value, None, None)
    is_defined = under > 0
    low, high = np.quantile(over[is_defined] / under[is_defined], [0.025, 0.975])
    return PossibleEstimate(value, float(low), float(high))


def _by_solution(steps: pl.DataFrame) -> pl.DataFrame:
    # One row per solution, ratings as lists in step order.
    _check(steps)
    grouped = (
        steps.sort("solution_id", "step_index")
        .group_by("solution_id", maintain_order=True)
        .agg("step_index", "rating", "true_rating")
    )
    for solution, indexes in grouped.select("solution_id", "step_index").iter_rows():
        if indexes != list(range(len(indexes))):
            raise InputError(
                f"Solution {solution} has the steps {indexes}; a first error needs each step once, from 0 on."
            )
    return grouped


def _check(steps: pl.DataFrame) -> None:
    require_columns(steps, _COLUMNS)
    if steps.select(pl.struct("solution_id", "step_index").is_duplicated().any()).item():
        raise InputError("A step is given twice; join the two label sources one to one.")


def require_columns(frame: pl.DataFrame, columns: Sequence[str]) -> None:
    """Raise ``InputError`` naming the first of ``columns`` that ``frame`` lacks."""
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise InputError(f"The frame lacks the column {missing[0]!r}; it has {', '.join(frame.columns)}.")
