"""Monte-Carlo step labels: which prefixes of a solution to roll out, and what the rollouts say of its steps.

The last step ends the solution, so its own outcome is its one rollout. Leaves out: sampling the rollouts,
and searches that leave some steps unlabeled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepmark.labeling.ids import prefix_id
from stepmark.labeling.records import StepLabel
from stepmark.labeling.steps import StepSpan
from stepmark.labeling.vocabulary import CORRECT, GRADER_TIMEOUT, MONTE_CARLO, TRUNCATED

from .estimates import estimate_value


@dataclass(frozen=True, slots=True)
class Prefix:
    """A problem with the first steps of a solution; ``prefix`` ends where the next step starts."""

    prefix_id: str
    problem_id: str
    prefix: str


@dataclass(frozen=True, slots=True)
class RolloutCounts:
    """What became of the rollouts from one prefix; the last two are undecided, never wrong."""

    num_rollouts: int
    num_correct: int
    num_truncated: int
    num_ungraded: int
    num_tokens: int


def prefixes(problem_id: str, solution: str, steps: Sequence[StepSpan]) -> list[Prefix]:
    """The prefixes that end in each step but the last, in order."""
    texts = [solution[: span.char_end] for span in steps[:-1]]
    return [Prefix(prefix_id(problem_id, text), problem_id, text) for text in texts]


def labels_from_rollouts(
    solution_id: str,
    solution_prefixes: Sequence[Prefix],
    outcome: str | None,
    counts: Mapping[str, RolloutCounts],
) -> list[StepLabel]:
    """One label per step with rollouts; ``counts`` are by prefix id, ``outcome`` is the solution's own."""
    labels = [
        label_of_counts(solution_id, index, counts[prefix.prefix_id])
        for index, prefix in enumerate(solution_prefixes)
        if prefix.prefix_id in counts
    ]
    if outcome is not None:
        labels.append(label_of_counts(solution_id, len(solution_prefixes), own_rollout(outcome)))
    return labels


def own_rollout(outcome: str) -> RolloutCounts:
    """A solution as the one rollout of its last step, which cost nothing more."""
    return RolloutCounts(1, outcome == CORRECT, outcome == TRUNCATED, outcome == GRADER_TIMEOUT, 0)


def label_of_counts(solution_id: str, step_index: int, counts: RolloutCounts) -> StepLabel:
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
