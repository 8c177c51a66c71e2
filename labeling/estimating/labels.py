"""Step labels from rollout counts, one step at a time.

The last step ends the solution, so its own outcome is its one rollout. Leaves out: what an estimator
infers beyond the counts of the step itself.
"""

from collections.abc import Sequence

from stepmark.labeling.records import StepLabel
from stepmark.labeling.vocabulary import MONTE_CARLO

from .prefixes import Prefix
from .rollout_counts import CountsByPrefix, RolloutCounts, own_rollout
from .step_values import estimate_value


def labels_from_rollouts(
    solution_id: str, prefixes: Sequence[Prefix], outcome: str | None, counts: CountsByPrefix
) -> list[StepLabel]:
    """One label per step with rollouts; ``outcome`` is the solution's own."""
    labels = [
        label_from_counts(solution_id, index, counts[prefix.prefix_id])
        for index, prefix in enumerate(prefixes)
        if prefix.prefix_id in counts
    ]
    if outcome is not None:
        labels.append(label_from_counts(solution_id, len(prefixes), own_rollout(outcome)))
    return labels


def label_from_counts(solution_id: str, step_index: int, counts: RolloutCounts) -> StepLabel:
    """The label that counts alone give."""
    estimate = estimate_value(
        counts.num_rollouts, counts.num_correct, counts.num_truncated, counts.num_ungraded
    )
    return StepLabel(
        solution_id=solution_id,
        step_index=step_index,
        label_source=MONTE_CARLO,
        rating=None,
        value=estimate.value,
        num_rollouts=estimate.num_rollouts,
        num_correct=estimate.num_correct,
        num_truncated=estimate.num_truncated,
        num_ungraded=estimate.num_ungraded,
        value_low=estimate.value_low,
        value_high=estimate.value_high,
        cost_tokens=counts.num_tokens,
    )
