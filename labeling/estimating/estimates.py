"""The value of a step from its rollouts: (n, k, truncated) in; value, interval and hard rating out.

A rollout cut off by the token limit, or one whose answer the grader could not judge in time, says nothing
about the step: it is undecided, never wrong. Leaves out: which prefixes to roll out, soft labels (the value
itself is one) and thresholds, which are views over ``step_labels``.

>>> estimate_value(num_rollouts=8, num_correct=3, num_truncated=2).value  # 3 of the 6 decided ones
0.5
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from stepmark.labeling.errors import InputError

Z_95 = 1.959963984540054  # the 97.5% point of the standard normal distribution

OUTCOMES = frozenset({"correct", "incorrect", "no_answer", "truncated", "grader_timeout"})


@dataclass(frozen=True, slots=True)
class ValueEstimate:
    """What one step's rollouts say. Field names are columns of ``step_labels``.

    ``value`` is the share of right ones among the decided rollouts, None where none is decided.
    ``value_low`` and ``value_high`` bound it with 95% confidence, None where there is no rollout at all.
    ``rating`` is the hard label: 1, -1, or None where the undecided rollouts could still turn it.
    """

    num_rollouts: int
    num_correct: int
    num_truncated: int
    num_ungraded: int
    value: float | None
    value_low: float | None
    value_high: float | None
    rating: int | None


def wilson_interval(num_successes: float, num_trials: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927), by default at 95%.

    Chosen because at 4 to 64 rollouts it keeps close to its nominal coverage where the textbook interval
    collapses to a point at 0 and at n (Brown, Cai and DasGupta 2001), and because, unlike Jeffreys', it
    has a closed form. ``num_successes`` may be fractional: a sum of values in [0, 1].

    >>> [round(bound, 3) for bound in wilson_interval(0, 8)]
    [0.0, 0.324]
    >>> [round(bound, 3) for bound in wilson_interval(4, 8)]
    [0.215, 0.785]
    """
    if num_trials < 1 or not 0 <= num_successes <= num_trials:
        raise InputError(
            f"An interval needs at least 1 trial and between 0 and that many successes, got "
            f"{num_successes} of {num_trials}; count again."
        )
    share = num_successes / num_trials
    spread = z * z / num_trials
    center = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / num_trials + spread / (4 * num_trials))
    # At the ends the exact bound is 0 or 1; rounding may miss it by one unit in the last place.
    low = 0.0 if num_successes == 0 else max(0.0, center - half)
    high = 1.0 if num_successes == num_trials else min(1.0, center + half)
    return low, high


def estimate_value(
    num_rollouts: int, num_correct: int, num_truncated: int = 0, num_ungraded: int = 0
) -> ValueEstimate:
    """Value, interval and rating of a step with ``num_rollouts`` rollouts, undecided ones included.

    The interval is Wilson's, widened by what was not decided: its low end takes every undecided rollout as
    wrong, its high end as right, so it holds whatever they would have become. The rating is 1 when any
    rollout was right, -1 when all were decided and none was right, and None otherwise.

    Raises ``InputError`` for negative counts and for parts that exceed the whole.

    >>> wrong = estimate_value(num_rollouts=8, num_correct=0)
    >>> wrong.value, wrong.rating
    (0.0, -1)
    >>> cut = estimate_value(num_rollouts=8, num_correct=0, num_truncated=3)
    >>> cut.value, cut.rating, cut.value_low, round(cut.value_high, 3)
    (0.0, None, 0.0, 0.694)
    >>> unknown = estimate_value(num_rollouts=4, num_correct=0, num_truncated=4)
    >>> unknown.value, unknown.rating, unknown.value_low, unknown.value_high
    (None, None, 0.0, 1.0)
    """
    num_undecided = num_truncated + num_ungraded
    _check_counts(num_rollouts, num_correct, num_truncated, num_ungraded)
    num_decided = num_rollouts - num_undecided
    value = num_correct / num_decided if num_decided else None
    low: float | None = None
    high: float | None = None
    if num_rollouts:
        low, _ = wilson_interval(num_correct, num_rollouts)
        _, high = wilson_interval(num_correct + num_undecided, num_rollouts)
    rating = hard_rating(num_rollouts, num_correct, num_undecided)
    return ValueEstimate(num_rollouts, num_correct, num_truncated, num_ungraded, value, low, high, rating)


def hard_rating(num_rollouts: int, num_correct: int, num_undecided: int) -> int | None:
    """Hard label of a step: 1 once a rollout was right, -1 once all are decided wrong, else None.

    >>> hard_rating(8, 1, 5), hard_rating(8, 0, 0), hard_rating(8, 0, 1), hard_rating(0, 0, 0)
    (1, -1, None, None)
    """
    if num_correct > 0:
        return 1
    return -1 if num_rollouts > 0 and num_undecided == 0 else None


def estimate_from_outcomes(outcomes: Iterable[str]) -> ValueEstimate:
    """Estimate from rollout outcomes. A rollout that ended without an answer is decided, and wrong.

    Raises ``InputError`` for an outcome outside the five known ones.

    >>> estimate_from_outcomes(["correct", "no_answer", "truncated", "grader_timeout"]).value
    0.5
    """
    counts = Counter(outcomes)
    unknown = counts.keys() - OUTCOMES
    if unknown:
        raise InputError(f"Unknown outcome {min(unknown)!r}; use one of {', '.join(sorted(OUTCOMES))}.")
    return estimate_value(counts.total(), counts["correct"], counts["truncated"], counts["grader_timeout"])


def _check_counts(num_rollouts: int, num_correct: int, num_truncated: int, num_ungraded: int) -> None:
    parts = (num_correct, num_truncated, num_ungraded)
    if min(num_rollouts, *parts) < 0 or sum(parts) > num_rollouts:
        raise InputError(
            f"Rollout counts do not add up: {num_rollouts} rollouts with {num_correct} correct, "
            f"{num_truncated} truncated and {num_ungraded} not graded; the parts must be at least 0 and "
            "their sum at most the whole."
        )
