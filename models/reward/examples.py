"""Training examples of reward models: a solution, and at each labeled step a distribution over ratings.

Ratings, Monte-Carlo values and teacher scores all become such distributions, so one loss serves every
label source. Leaves out: choosing which solutions to train on (assets) and tokens (encoding.py).
"""

from dataclasses import dataclass

from stepmark.labeling.steps import StepSpan

Target = tuple[float, float, float]  # probabilities of the ratings -1, 0, +1


@dataclass(frozen=True, slots=True)
class Example:
    """One solution; ``targets[s]`` is None where step s has no label."""

    problem_id: str
    problem: str
    solution: str
    steps: tuple[StepSpan, ...]
    targets: tuple[Target | None, ...]
