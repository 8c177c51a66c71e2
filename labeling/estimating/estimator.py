"""What an estimator of first errors is given, and what it gives: rollouts to sample, beliefs about steps.

An estimator has no memory. What it wants sampled next, and what it believes in the end, are functions of the
solutions and of the rollouts that are stored, so a search that was killed goes on where its last batch ended,
and labels can be made again from the rollouts at any time. Leaves out: sampling, and the store.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from stepmark.labeling.errors import InputError

from .rollout_counts import NO_ROLLOUTS, CountsByPrefix


@dataclass(frozen=True, slots=True)
class SolutionToLabel:
    """One solution to label, S steps long.

    ``prefix_ids``: of the prefixes that end in each step but the last (S - 1). ``is_correct``: the solution's
    own outcome, which says what its last step is worth. ``num_tokens_left[j]``: what a rollout from prefix j
    is expected to cost, in tokens. ``siblings[j]``: how many other decided solutions by the completer share
    exactly the first j steps, and how many of them are right (S pairs, or none where they are not known).
    Each is one rollout that nobody had to pay for, of the last prefix it shares, and all of them tell the
    problem's pass rate. The solution itself is not among them: it may have been chosen for its outcome.
    ``error_odds[s]``: how much likelier than elsewhere a teacher finds the first error at step s (S numbers,
    or none where no teacher was asked).
    """

    solution_id: str
    prefix_ids: tuple[str, ...]
    is_correct: bool
    num_tokens_left: tuple[float, ...]
    siblings: tuple[tuple[int, int], ...] = ()
    error_odds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.num_tokens_left) != len(self.prefix_ids):
            raise InputError(f"solution {self.solution_id}: every prefix needs its expected cost.")
        if len(self.error_odds) not in (0, self.num_steps) or len(self.siblings) not in (0, self.num_steps):
            raise InputError(
                f"solution {self.solution_id}: siblings and odds are given for all steps or none."
            )
        if any(not 0 <= correct <= decided for decided, correct in self.siblings):
            raise InputError(f"solution {self.solution_id}: more siblings are right than there are.")

    @property
    def num_steps(self) -> int:
        """S."""
        return len(self.prefix_ids) + 1


@dataclass(frozen=True, slots=True)
class RolloutRequest:
    """That the prefix ending in step ``step_index`` of a solution shall have ``num_rollouts`` in all.

    ``solution_index``: the solution's place in the list that the estimator was given.
    """

    solution_index: int
    step_index: int
    num_rollouts: int


@dataclass(frozen=True, slots=True)
class Belief:
    """What is believed of one step: the probability that it or an earlier one is wrong, and its value.

    ``p_wrong_low`` and ``p_wrong_high`` are the lowest and highest over readings of the undecided rollouts
    as left out, right or wrong (undecided.py). Without any, in all solutions that were inferred from
    together, the two are one. Values are None where the estimator does not estimate them.
    """

    p_wrong_low: float
    p_wrong_high: float
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None


@dataclass(frozen=True, slots=True)
class SolutionBeliefs:
    """What an estimator says of one solution: a belief for each step.

    ``has_signal`` is False where the first error is open, and no prefix is left whose rollouts are expected
    to tell anything: the completer solves the problem too rarely, or errs and recovers too often.
    """

    solution_id: str
    beliefs: tuple[Belief, ...]
    has_signal: bool = True

    def first_error(self, confidence: float = 0.5) -> int | None:
        """The first step that is wrong with at least ``confidence``, -1 for none, None for undecided."""
        for index, belief in enumerate(self.beliefs):
            if belief.p_wrong_low >= confidence:
                return index
            if belief.p_wrong_high > 1 - confidence:
                return None
        return -1


class Estimator(Protocol):
    """Decides what to sample next, and says what the samples mean."""

    @property
    def name(self) -> str:
        """Its name in ``step_labels``."""

    def parameters(self) -> dict[str, float | int | str]:
        """All that decides what it requests and believes, to be kept beside its labels."""

    def next_rollouts(
        self, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix
    ) -> list[RolloutRequest]:
        """What is to be sampled next; nothing when every solution is done. What is there is not repeated."""

    def estimate(self, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix) -> list[SolutionBeliefs]:
        """What the rollouts say of each solution, in their order."""


def missing_rollouts(
    solutions: Sequence[SolutionToLabel], requests: Sequence[RolloutRequest], counts: CountsByPrefix
) -> dict[str, int]:
    """New rollouts to sample, by prefix id: equal prefixes share theirs, and what is there is not sampled."""
    missing: dict[str, int] = {}
    for request in requests:
        prefix_id = solutions[request.solution_index].prefix_ids[request.step_index]
        num_missing = request.num_rollouts - counts.get(prefix_id, NO_ROLLOUTS).num_rollouts
        if num_missing > 0:
            missing[prefix_id] = max(missing.get(prefix_id, 0), num_missing)
    return missing
