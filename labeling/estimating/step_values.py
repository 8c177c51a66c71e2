"""The value of a step from its rollouts: counts in, value and interval out.

A rollout cut off by the token limit, or one whose answer the grader could not judge in time, says nothing
about the step: it is undecided, never wrong. Leaves out: which prefixes to roll out, and the hard, soft and
thresholded labels, which are views over ``step_labels``.

>>> estimate_value(num_rollouts=8, num_correct=3, num_truncated=2).value  # 3 of the 6 decided ones
0.5
"""

from dataclasses import dataclass

from stepmark.labeling.errors import InputError

from .wilson import wilson_interval


@dataclass(frozen=True, slots=True)
class ValueEstimate:
    """What one step's rollouts say. Field names are columns of ``step_labels``.

    ``value`` is the share of right ones among the decided rollouts, None where none is decided.
    ``value_low`` and ``value_high`` bound it with 95% confidence, None where there is no rollout at all.
    """

    num_rollouts: int
    num_correct: int
    num_truncated: int
    num_ungraded: int
    value: float | None
    value_low: float | None
    value_high: float | None


def estimate_value(
    num_rollouts: int, num_correct: int, num_truncated: int = 0, num_ungraded: int = 0
) -> ValueEstimate:
    """Value and interval of a step with ``num_rollouts`` rollouts, undecided ones included.

    The interval is Wilson's, widened by what was not decided: its low end takes every undecided rollout as
    wrong, its high end as right, so it holds whatever they would have become.

    Raises ``InputError`` for negative counts and for parts that exceed the whole.

    >>> wrong = estimate_value(num_rollouts=8, num_correct=0)
    >>> wrong.value, round(wrong.value_high, 3)
    (0.0, 0.324)
    >>> cut = estimate_value(num_rollouts=8, num_correct=0, num_truncated=3)
    >>> cut.value, cut.value_low, round(cut.value_high, 3)
    (0.0, 0.0, 0.694)
    >>> unknown = estimate_value(num_rollouts=4, num_correct=0, num_truncated=4)
    >>> unknown.value, unknown.value_low, unknown.value_high
    (None, 0.0, 1.0)
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
    return ValueEstimate(num_rollouts, num_correct, num_truncated, num_ungraded, value, low, high)


def _check_counts(num_rollouts: int, num_correct: int, num_truncated: int, num_ungraded: int) -> None:
    parts = (num_correct, num_truncated, num_ungraded)
    if min(num_rollouts, *parts) < 0 or sum(parts) > num_rollouts:
        raise InputError(
            f"Rollout counts do not add up: {num_rollouts} rollouts with {num_correct} correct, "
            f"{num_truncated} truncated and {num_ungraded} not graded; the parts must be at least 0 and "
            "their sum at most the whole."
        )
