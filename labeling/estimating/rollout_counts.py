"""What became of the rollouts from one prefix, as counts.

Leaves out: what the counts say of a step (``step_values``, ``counting``, ``inference``).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from stepmark.labeling.vocabulary import CORRECT, GRADER_TIMEOUT, TRUNCATED


@dataclass(frozen=True, slots=True)
class RolloutCounts:
    """Rollouts by outcome; those truncated and those not graded in time are undecided, never wrong."""

    num_rollouts: int
    num_correct: int
    num_truncated: int
    num_ungraded: int
    num_tokens: int

    @property
    def num_undecided(self) -> int:
        """Rollouts that say nothing about the prefix."""
        return self.num_truncated + self.num_ungraded

    @property
    def num_decided(self) -> int:
        """Rollouts that ended right or wrong."""
        return self.num_rollouts - self.num_undecided


CountsByPrefix = Mapping[str, RolloutCounts]  # keys are prefix ids
NO_ROLLOUTS = RolloutCounts(0, 0, 0, 0, 0)


def own_rollout(outcome: str) -> RolloutCounts:
    """A solution as the one rollout of its last step, which cost nothing more."""
    return RolloutCounts(1, outcome == CORRECT, outcome == TRUNCATED, outcome == GRADER_TIMEOUT, 0)
