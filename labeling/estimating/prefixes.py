"""The prefixes of a solution, from which rollouts go on.

Leaves out: how many rollouts each gets, which an estimator decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stepmark.labeling.ids import prefix_id
from stepmark.labeling.steps import StepSpan


@dataclass(frozen=True, slots=True)
class Prefix:
    """A problem with the first steps of a solution; ``prefix`` ends where the next step starts."""

    prefix_id: str
    problem_id: str
    prefix: str


def prefixes_of(problem_id: str, solution: str, steps: Sequence[StepSpan]) -> list[Prefix]:
    """The prefixes that end in each step but the last, in order."""
    texts = [solution[: span.char_end] for span in steps[:-1]]
    return [Prefix(prefix_id(problem_id, text), problem_id, text) for text in texts]
