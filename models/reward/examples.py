"""Training examples of reward models: a solution, and at each labeled step a distribution over ratings.

Ratings, Monte-Carlo values and teacher scores all become such distributions, so one loss serves every
label source. Leaves out: choosing which solutions to train on (assets) and tokens (encoding.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stepmark.labeling.steps import StepSpan

Target = tuple[float, float, float]  # probabilities of the ratings -1, 0, +1
_ONE_HOT: dict[int, Target] = {-1: (1.0, 0.0, 0.0), 0: (0.0, 1.0, 0.0), 1: (0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Example:
    """One solution; ``targets[s]`` is None where step s has no label."""

    problem_id: str
    problem: str
    solution: str
    steps: tuple[StepSpan, ...]
    targets: tuple[Target | None, ...]


def rating_target(rating: int | None) -> Target | None:
    """The whole mass on one rating; None stays None: a step nobody rated teaches nothing."""
    return None if rating is None else _ONE_HOT[rating]


def value_target(value: float | None) -> Target | None:
    """A value in [0, 1] as the mass of +1, the rest on -1 (Math-Shepherd's soft estimate)."""
    return None if value is None else (1.0 - value, 0.0, value)


def outcome_targets(num_steps: int, outcome: str | None) -> list[Target | None]:
    """An ORM's targets: the outcome at the last step, nothing elsewhere, nothing if it is undecided."""
    decided = {"correct": _ONE_HOT[1], "incorrect": _ONE_HOT[-1], "no_answer": _ONE_HOT[-1]}
    return [None] * (num_steps - 1) + [decided.get(outcome or "")]


def until_first_error(targets: Sequence[Target | None]) -> list[Target | None]:
    """Drop the targets after the first step that is more likely negative than not."""
    kept: list[Target | None] = []
    for index, target in enumerate(targets):
        kept.append(target)
        if target is not None and target[0] > 0.5:
            return kept + [None] * (len(targets) - index - 1)
    return kept
