"""The threshold below which a step's score means an error: chosen on one set, applied to another.

A threshold tuned on the solutions it is reported on flatters the judge. ``choose_threshold`` takes a set of
its own; ``cross_fitted`` needs none, for it chooses on each half what it applies to the other.

For a solution whose first error is e the prediction is right at threshold t exactly where
``score[e] < t <= min(score[:e])``; without an error where ``t <= min(score)``. So every solution is one
interval of t, and the best threshold is found in one sweep.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

from .first_error import FirstErrorMetrics, first_error_from_scores, first_error_metrics, harmonic_mean

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """Metrics where no threshold saw the solutions it was applied to.

    ``thresholds``: that of the first half, chosen on the second, and the reverse.
    ``half`` (one a solution): 0 or 1. ``predictions``: first-error index, -1 none.
    """

    metrics: FirstErrorMetrics
    thresholds: tuple[float, float]
    half: list[int]
    predictions: list[int]


def choose_threshold(labels: Sequence[int], step_scores: Sequence[Sequence[float]]) -> float:
    """Threshold with the highest F1 on this set; of equal ones the lowest, which flags the fewest steps.

    It lies half way between neighbouring scores. Raises ``InputError`` where one class is missing, a label
    names a step that has no score, or a score is not finite.
    """
    _check(labels, step_scores)
    is_error = np.array([label >= 0 for label in labels])
    if is_error.all() or not is_error.any():
        raise InputError(
            "A threshold is chosen on solutions with and without an error, but this set has only one kind; "
            "choose it on a larger set."
        )
    lows, highs = _hit_ranges(labels, step_scores)
    candidates = _candidates(np.concatenate([lows, highs]))
    accuracy_error = _share_hit(lows[is_error], highs[is_error], candidates)
    accuracy_correct = _share_hit(lows[~is_error], highs[~is_error], candidates)
    return float(candidates[np.argmax(harmonic_mean(accuracy_error, accuracy_correct))])


def cross_fitted(
    labels: Sequence[int],
    step_scores: Sequence[Sequence[float]],
    problem_ids: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
) -> CrossFitted:
    """ProcessBench's metrics with the threshold of each random half chosen on the other.

    Solutions of one problem stay in one half where ``problem_ids`` are given. Raises ``InputError`` as
    ``choose_threshold`` does for either half.
    """
    _check(labels, step_scores)
    half = _halves(list(range(len(labels))) if problem_ids is None else list(problem_ids), seed)
    if len(half) != len(labels):
        raise InputError(f"{len(labels)} labels but {len(half)} problem ids; give one a solution.")
    rows = [[row for row, h in enumerate(half) if h == side] for side in (0, 1)]
    chosen_on = [
        choose_threshold([labels[row] for row in side], [step_scores[row] for row in side]) for side in rows
    ]
    thresholds = (chosen_on[1], chosen_on[0])
    predictions = [
        first_error_from_scores(scores, thresholds[h]) for scores, h in zip(step_scores, half, strict=True)
    ]
    return CrossFitted(first_error_metrics(labels, predictions, seed=seed), thresholds, half, predictions)


def _halves(problem_ids: Sequence[Hashable], seed: int) -> list[int]:
    distinct = list(dict.fromkeys(problem_ids))
    order = np.random.default_rng(seed).permutation(len(distinct))
    side = {distinct[problem]: position % 2 for position, problem in enumerate(order.tolist())}
    return [side[problem_id] for problem_id in problem_ids]


def _hit_ranges(labels: Sequence[int], step_scores: Sequence[Sequence[float]]) -> tuple[Floats, Floats]:
    # Per solution: its prediction is right where low < t <= high, so nowhere if low >= high.
    lows, highs = [], []
    for label, scores in zip(labels, step_scores, strict=True):
        before = scores if label == -1 else scores[:label]
        lows.append(-math.inf if label == -1 else scores[label])
        highs.append(min(before, default=math.inf))
    return np.array(lows), np.array(highs)


def _candidates(ends: Floats) -> Floats:
    # One threshold for each stretch between neighbouring ends, and one beyond either side.
    finite = np.unique(ends[np.isfinite(ends)])
    middles = (finite[:-1] + finite[1:]) / 2
    # Between neighbouring floats the middle rounds to one of them; the upper one always lies in the stretch.
    middles = np.where(middles > finite[:-1], middles, finite[1:])
    return np.concatenate([finite[:1], middles, np.nextafter(finite[-1:], math.inf)])


def _share_hit(lows: Floats, highs: Floats, candidates: Floats) -> Floats:
    # Shape: that of candidates. An empty range never hits, so its ends are dropped together.
    is_open = lows < highs
    begun = np.searchsorted(np.sort(lows[is_open]), candidates, side="left")
    ended = np.searchsorted(np.sort(highs[is_open]), candidates, side="left")
    share: Floats = (begun - ended) / len(lows)
    return share


def _check(labels: Sequence[int], step_scores: Sequence[Sequence[float]]) -> None:
    if len(labels) != len(step_scores) or len(labels) == 0:
        raise InputError(
            f"{len(labels)} labels but scores of {len(step_scores)} solutions; pass lists of one length."
        )
    for row, (label, scores) in enumerate(zip(labels, step_scores, strict=True)):
        if not -1 <= label < len(scores):
            raise InputError(
                f"Solution {row}: the first error is {label}, but there are scores of {len(scores)} steps; "
                "score every step, and give the label 0-based, -1 for none."
            )
        if len(scores) == 0 or not all(math.isfinite(score) for score in scores):
            raise InputError(f"Solution {row}: its scores {list(scores)} are not all finite; score it again.")
