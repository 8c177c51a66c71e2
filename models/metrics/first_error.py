"""The first wrong step of a solution: found from ratings or scores, and judged as ProcessBench does.

Indexes are 0-based, -1 where no step is wrong. Leaves out: choosing a threshold (``thresholds``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError
from stepmark.labeling.estimating.wilson import wilson_interval

from .intervals import NUM_RESAMPLES, Estimate

Floats = NDArray[np.float64]


def first_error_from_ratings(ratings: Sequence[int | None]) -> int | None:
    """Index of the first -1, or -1; None where an unknown rating leaves it open. Neutral (0) is no error.

    Raises ``InputError`` for no rating and for a rating outside -1, 0, 1.

    >>> first_error_from_ratings([1, 0, -1, None])
    2
    >>> first_error_from_ratings([1, None, -1]) is None
    True
    """
    if len(ratings) == 0:
        raise InputError("A solution without ratings has no first error; rate it or leave it out.")
    for index, rating in enumerate(ratings):
        if rating is None:
            return None
        if rating not in (-1, 0, 1):
            raise InputError(f"The rating of step {index} is {rating!r}; a rating is -1, 0, 1 or None.")
        if rating == -1:
            return index
    return -1


def wrong_prefixes(ratings: Sequence[int | None]) -> list[bool | None]:
    """Of each step whether it or one before it is wrong; None where an unknown rating leaves it open.

    >>> wrong_prefixes([1, -1, 1])
    [False, True, True]
    >>> wrong_prefixes([0, None, -1])
    [False, None, True]
    """
    found: list[bool | None] = []
    is_wrong: bool | None = False
    for rating in ratings:
        if rating == -1:
            is_wrong = True
        elif rating is None and not is_wrong:
            is_wrong = None
        found.append(is_wrong)
    return found


def first_error_from_scores(step_scores: Sequence[float], threshold: float) -> int:
    """Index of the first score below ``threshold``, or -1.

    Raises ``InputError`` for no score and for NaN.

    >>> first_error_from_scores([0.9, 0.5, 0.1], threshold=0.5)
    2
    """
    if len(step_scores) == 0 or any(math.isnan(score) for score in step_scores):
        raise InputError(f"Steps need scores that are numbers, got {list(step_scores)}; score them again.")
    return next((index for index, score in enumerate(step_scores) if score < threshold), -1)


@dataclass(frozen=True, slots=True)
class FirstErrorMetrics:
    """ProcessBench's figures as shares in [0, 1], None where the solutions they need are missing.

    ``accuracy_error``: the exact index found, among solutions with an error.
    ``accuracy_correct``: -1 found, among solutions without one.
    ``f1``: harmonic mean of the two. ``reason`` says in words what is missing and why a figure is None.
    """

    accuracy_error: Estimate | None
    accuracy_correct: Estimate | None
    f1: Estimate | None
    num_error: int
    num_correct: int
    num_without_prediction: int
    reason: str | None


def first_error_metrics(
    labels: Sequence[int],
    predictions: Sequence[int | None],
    *,
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
) -> FirstErrorMetrics:
    """ProcessBench's accuracies and F1 (Zheng et al. 2024), with 95% intervals over solutions.

    A prediction of None (the judge named no index) counts as wrong, as in ProcessBench, and is counted
    apart. The accuracies have Wilson's intervals. F1 has a percentile bootstrap within each class; where
    all solutions of a class agree, that sees no variation, and F1 is taken at the accuracies' bounds.

    Raises ``InputError`` for no solution, unequal lengths, and an index below -1.
    """
    _check(labels, predictions)
    hits_error = [p == label for label, p in zip(labels, predictions, strict=True) if label >= 0]
    hits_correct = [p == label for label, p in zip(labels, predictions, strict=True) if label == -1]
    accuracy_error, accuracy_correct = _accuracy(hits_error), _accuracy(hits_correct)
    f1: Estimate | None = None
    reason: str | None = None
    if accuracy_error is None:
        reason = "no solution has an error, so there is no accuracy on erroneous solutions and no F1"
    elif accuracy_correct is None:
        reason = "every solution has an error, so there is no accuracy on correct solutions and no F1"
    else:
        f1 = _f1(hits_error, hits_correct, seed, num_resamples)
    num_without = sum(prediction is None for prediction in predictions)
    return FirstErrorMetrics(
        accuracy_error, accuracy_correct, f1, len(hits_error), len(hits_correct), num_without, reason
    )


def _check(labels: Sequence[int], predictions: Sequence[int | None]) -> None:
    if len(labels) != len(predictions) or len(labels) == 0:
        raise InputError(
            f"First errors need one label and one prediction a solution, got {len(labels)} and "
            f"{len(predictions)}; pass lists of one length, at least 1."
        )
    for row, (label, prediction) in enumerate(zip(labels, predictions, strict=True)):
        for name, index in (("label", label), ("prediction", prediction)):
            if index is not None and index < -1:
                raise InputError(
                    f"Solution {row}: the {name} is {index}; use a 0-based index, or -1 for none."
                )


def _accuracy(hits: Sequence[bool]) -> Estimate | None:
    if not hits:
        return None
    low, high = wilson_interval(sum(hits), len(hits))
    return Estimate(sum(hits) / len(hits), low, high)


def _f1(hits_error: Sequence[bool], hits_correct: Sequence[bool], seed: int, num_resamples: int) -> Estimate:
    classes = (hits_error, hits_correct)
    counts, totals = np.array([sum(hits) for hits in classes]), np.array([len(hits) for hits in classes])
    value = float(harmonic_mean(*(counts / totals)))
    if ((counts > 0) & (counts < totals)).all():
        # Resampling n yes-or-no outcomes with replacement is a binomial draw.
        draws = np.random.default_rng(seed).binomial(totals, counts / totals, (num_resamples, 2)) / totals
        low, high = np.quantile(harmonic_mean(draws[:, 0], draws[:, 1]), [0.025, 0.975]).tolist()
    else:
        bounds = np.array([wilson_interval(sum(hits), len(hits)) for hits in classes])
        low, high = harmonic_mean(bounds[0], bounds[1]).tolist()
    return Estimate(value, low, high)


def harmonic_mean(a: Floats, b: Floats) -> Floats:
    """Harmonic mean elementwise; 0 where both are 0, its limit."""
    total = a + b
    mean: Floats = np.divide(2 * a * b, total, out=np.zeros_like(total), where=total > 0)
    return mean
