"""One score for a step from its class probabilities, and one for a solution from those of its steps.

No aggregation is neutral: a product falls with every step (``bias`` measures by how much), a minimum sees one
step, ``last`` ignores all but one.
"""

import math
from collections.abc import Sequence

from stepmark.labeling.errors import InputError

AGGREGATIONS = ("product", "min", "mean", "last")


def step_score(neutral: float, positive: float) -> float:
    """A step's score: P(positive) + P(neutral), as neutral counts as positive (Lightman et al., 2023)."""
    return math.fsum((positive, neutral))


def aggregate(step_scores: Sequence[float], how: str) -> float:
    """Aggregate the scores of one solution's steps (in order) by ``how``, one of ``AGGREGATIONS``.

    Raises ``InputError`` for no step, a score that is not finite, a negative score in a product, and an
    unknown ``how``.

    >>> [round(aggregate([0.5, 0.9, 0.8], how), 3) for how in AGGREGATIONS]
    [0.36, 0.5, 0.733, 0.8]
    """
    _check(step_scores)
    if how == "product":
        return math.exp(log_product(step_scores))
    if how == "min":
        return min(step_scores)
    if how == "mean":
        # Taken from the first score on, so that equal steps have exactly their own mean, however many.
        first = step_scores[0]
        return first + math.fsum(score - first for score in step_scores) / len(step_scores)
    if how == "last":
        return step_scores[-1]
    raise InputError(f"Unknown aggregation {how!r}; use one of {', '.join(AGGREGATIONS)}.")


def log_product(step_scores: Sequence[float]) -> float:
    """Natural logarithm of the product: ranks long solutions whose product would underflow to a tie at 0.

    ``-inf`` where a score is 0. Raises ``InputError`` as ``aggregate`` does.

    >>> log_product([1e-200, 1e-200]) > log_product([1e-200, 1e-201])
    True
    """
    _check(step_scores)
    if min(step_scores) < 0:
        raise InputError(
            f"A product needs scores of at least 0, got {min(step_scores):g}; aggregate by min, mean or last."
        )
    if min(step_scores) == 0:
        return -math.inf
    return math.fsum(math.log(score) for score in step_scores)


def _check(step_scores: Sequence[float]) -> None:
    if len(step_scores) == 0:
        raise InputError("A solution without step scores has no score; score it or leave it out.")
    for index, score in enumerate(step_scores):
        if not math.isfinite(score):
            raise InputError(f"The score of step {index} is {score}, not a finite number; score it again.")
