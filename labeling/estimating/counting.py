"""Estimators that count: a step is right if one of k rollouts is. Exhaustive, sequential, binary.

They are the field's ways of labeling (Math-Shepherd rolls out every step, OmegaPRM searches by halves), kept
as yardsticks and for those who want their labels. Leaves out: any inference beyond counts (adaptive.py).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from .cases import NO_ROLLOUTS, Ask, Belief, Case, Evidence, Finding
from .estimates import hard_rating
from .monte_carlo import RolloutCounts

_RIGHT, _WRONG, _OPEN = Belief(0.0, 0.0), Belief(1.0, 1.0), Belief(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Counting:
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

    def asks(self, cases: Sequence[Case], evidence: Evidence) -> list[Ask]:
        """The next steps whose k rollouts are not there yet."""
        asks = []
        for index, case in enumerate(cases):
            for step in self._next(case, evidence):
                asks.append(Ask(index, step, self.num_rollouts))
        return asks

    def _next(self, case: Case, evidence: Evidence) -> list[int]:
        ratings = _ratings(case, evidence, self.num_rollouts)
        if self.order == "exhaustive":
            return [step for step in range(case.num_steps - 1) if not _is_done(case, evidence, step, self)]
        step = _sequential(ratings)[0] if self.order == "sequential" else _binary(ratings)[0]
        is_open = step is not None and not _is_done(case, evidence, step, self)
        return [step] if is_open and step is not None else []

    def findings(self, cases: Sequence[Case], evidence: Evidence) -> list[Finding]:
        """Certain where counts decide, open between 0 and 1 where undecided rollouts could."""
        return [self._finding(case, evidence) for case in cases]

    def _finding(self, case: Case, evidence: Evidence) -> Finding:
        ratings = _ratings(case, evidence, self.num_rollouts)
        first_error = (_binary if self.order == "binary" else _sequential)(ratings)[1]
        if first_error is None:
            known = next((step for step, rating in enumerate(ratings) if rating != 1), case.num_steps)
            known = 0 if self.order == "binary" else known
            return Finding(case.solution_id, (_RIGHT,) * known + (_OPEN,) * (case.num_steps - known))
        num_right = case.num_steps if first_error < 0 else first_error
        return Finding(case.solution_id, (_RIGHT,) * num_right + (_WRONG,) * (case.num_steps - num_right))


def _ratings(case: Case, evidence: Evidence, num_rollouts: int) -> list[int | None]:
    """Hard labels of all steps; None where k rollouts are not there, or do not decide."""
    counted = [evidence.get(key, NO_ROLLOUTS) for key in case.prefix_ids]
    ratings = [_rating(counts) if counts.num_rollouts >= num_rollouts else None for counts in counted]
    return [*ratings, 1 if case.is_correct else -1]


def _rating(counts: RolloutCounts) -> int | None:
    return hard_rating(counts.num_rollouts, counts.num_correct, counts.num_truncated + counts.num_ungraded)


def _is_done(case: Case, evidence: Evidence, step: int, estimator: Counting) -> bool:
    if step >= len(case.prefix_ids):
        return True
    return evidence.get(case.prefix_ids[step], NO_ROLLOUTS).num_rollouts >= estimator.num_rollouts


def _sequential(ratings: Sequence[int | None]) -> tuple[int | None, int | None]:
    """The step to look at next (None: done), and the first error (-1: none, None: open)."""
    for step, rating in enumerate(ratings):
        if rating is None:
            return step, None
        if rating < 0:
            return None, step
    return None, -1


def _binary(ratings: Sequence[int | None]) -> tuple[int | None, int | None]:
    """As ``_sequential``; a right final answer means that no step is wrong."""
    if ratings[-1] == 1:
        return None, -1
    low, high = 0, len(ratings) - 1  # the first error is in [low, high]
    while low < high:
        middle = (low + high) // 2
        if ratings[middle] is None:
            return middle, None
        low, high = (middle + 1, high) if ratings[middle] == 1 else (low, middle)
    return None, low
