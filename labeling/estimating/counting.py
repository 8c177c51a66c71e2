"""Estimators that count: a step is right if one of k rollouts is. Exhaustive, sequential, binary.

They are the field's ways of labeling (Math-Shepherd rolls out every step, OmegaPRM searches by halves), kept
as yardsticks and for those who want their labels. Leaves out: any inference beyond counts (adaptive.py).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from stepmark.labeling.vocabulary import NEGATIVE, POSITIVE

from .estimator import Belief, RolloutRequest, SolutionBeliefs, SolutionToLabel
from .rollout_counts import NO_ROLLOUTS, CountsByPrefix, RolloutCounts

_RIGHT, _WRONG, _OPEN = Belief(0.0, 0.0), Belief(1.0, 1.0), Belief(0.0, 1.0)
_NO_ERROR = -1


@dataclass(frozen=True, slots=True)
class CountingEstimator:
    """``order``: which steps are rolled out. ``num_rollouts``: k, at each of them.

    exhaustive: all of them. sequential: from the first on until one is wrong. binary: the middle of what is
    left, taking for granted that after a wrong step no rollout comes out right.
    """

    order: Literal["exhaustive", "sequential", "binary"]
    num_rollouts: int

    @property
    def name(self) -> str:
        """The order."""
        return self.order

    def parameters(self) -> dict[str, float | int | str]:
        """The fields."""
        return asdict(self)

    def next_rollouts(
        self, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix
    ) -> list[RolloutRequest]:
        """The next steps whose k rollouts are not there yet."""
        return [
            RolloutRequest(index, step, self.num_rollouts)
            for index, solution in enumerate(solutions)
            for step in self._next_steps(solution, counts)
        ]

    def _next_steps(self, solution: SolutionToLabel, counts: CountsByPrefix) -> list[int]:
        if self.order == "exhaustive":
            steps = list(range(len(solution.prefix_ids)))
        else:
            step, _ = self._search(self._ratings(solution, counts))
            steps = [] if step is None else [step]
        return [step for step in steps if not self._is_rolled_out(solution.prefix_ids[step], counts)]

    def estimate(self, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix) -> list[SolutionBeliefs]:
        """Certain where counts decide, open between 0 and 1 where undecided rollouts could."""
        return [
            SolutionBeliefs(solution.solution_id, self._beliefs(solution, counts)) for solution in solutions
        ]

    def _beliefs(self, solution: SolutionToLabel, counts: CountsByPrefix) -> tuple[Belief, ...]:
        ratings = self._ratings(solution, counts)
        num_steps = len(ratings)
        _, first_error = self._search(ratings)
        if first_error is None:
            known = next((step for step, rating in enumerate(ratings) if rating != POSITIVE), num_steps)
            num_right = 0 if self.order == "binary" else known
            return (_RIGHT,) * num_right + (_OPEN,) * (num_steps - num_right)
        num_right = num_steps if first_error == _NO_ERROR else first_error
        return (_RIGHT,) * num_right + (_WRONG,) * (num_steps - num_right)

    def _search(self, ratings: Sequence[int | None]) -> tuple[int | None, int | None]:
        return _binary(ratings) if self.order == "binary" else _sequential(ratings)

    def _ratings(self, solution: SolutionToLabel, counts: CountsByPrefix) -> list[int | None]:
        """Hard ratings of all steps; None where k rollouts are not there, or do not decide."""
        found = [counts.get(prefix_id, NO_ROLLOUTS) for prefix_id in solution.prefix_ids]
        ratings = [hard_rating(one) if one.num_rollouts >= self.num_rollouts else None for one in found]
        return [*ratings, POSITIVE if solution.is_correct else NEGATIVE]

    def _is_rolled_out(self, prefix_id: str, counts: CountsByPrefix) -> bool:
        return counts.get(prefix_id, NO_ROLLOUTS).num_rollouts >= self.num_rollouts


def hard_rating(counts: RolloutCounts) -> int | None:
    """The rating of a step by its rollouts, as the view ``hard_labels`` has it.

    1 once a rollout was right, -1 once all are decided and none was right, None where undecided ones could
    still turn it.

    >>> hard_rating(RolloutCounts(8, 1, 5, 0, 0)), hard_rating(RolloutCounts(8, 0, 0, 0, 0))
    (1, -1)
    >>> hard_rating(RolloutCounts(8, 0, 1, 0, 0)) is None
    True
    """
    if counts.num_correct > 0:
        return POSITIVE
    return NEGATIVE if counts.num_rollouts > 0 and counts.num_undecided == 0 else None


def _sequential(ratings: Sequence[int | None]) -> tuple[int | None, int | None]:
    """The step to roll out next (None: done), and the first error (-1: none, None: open)."""
    for step, rating in enumerate(ratings):
        if rating is None:
            return step, None
        if rating == NEGATIVE:
            return None, step
    return None, _NO_ERROR


def _binary(ratings: Sequence[int | None]) -> tuple[int | None, int | None]:
    """As ``_sequential``; a right final answer means that no step is wrong."""
    if ratings[-1] == POSITIVE:
        return None, _NO_ERROR
    low, high = 0, len(ratings) - 1  # the first error is in [low, high]
    while low < high:
        middle = (low + high) // 2
        if ratings[middle] is None:
            return middle, None
        low, high = (middle + 1, high) if ratings[middle] == POSITIVE else (low, middle)
    return None, low
