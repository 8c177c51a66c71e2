"""Measuring a tiny model: pass@1 on unseen problems by family and level, and right answers by a wrong step.

Leaves out: judging (stepmark.models.metrics); answers are compared exactly, as minimath's are numbers.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from stepmark.labeling.estimating.wilson import wilson_interval
from stepmark.labeling.grading import last_boxed
from stepmark.labeling.minimath import WorkedProblem, distinct_problems, first_error, rate_steps
from stepmark.labeling.minimath.language import FormulaError, evaluate
from stepmark.labeling.steps import split_steps
from stepmark.models.sampling import EngineConfig, SamplingSpec, open_sampler

from .corpus import prompt

_NO_VARIABLES: dict[str, Fraction] = {}


@dataclass(slots=True)
class Share:
    """``num_right`` of ``num_all``."""

    num_right: int = 0
    num_all: int = 0

    def add(self, is_right: bool) -> None:
        """Count one more."""
        self.num_right += is_right
        self.num_all += 1

    def __str__(self) -> str:
        if not self.num_all:
            return "none"
        low, high = wilson_interval(self.num_right, self.num_all)
        return f"{self.num_right / self.num_all:.1%} [{low:.1%}, {high:.1%}] of {self.num_all:,}"


@dataclass(slots=True)
class Measured:
    """What a model does at temperature 1. Intervals take samples as independent, so they are narrow."""

    overall: Share = field(default_factory=Share)
    by_family: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    by_level: dict[int, Share] = field(default_factory=lambda: defaultdict(Share))
    right_through_wrong_step: Share = field(default_factory=Share)
    cut_off: Share = field(default_factory=Share)


def measure(model: str, num_problems: int, num_samples: int, seed: int) -> Measured:
    """Sample ``num_samples`` solutions to each of ``num_problems`` test problems and count."""
    worked = distinct_problems(num_problems, seed, "test")
    spec = SamplingSpec(temperature=1.0, max_tokens=120, seed=seed)
    config = EngineConfig(kind="in_process", model=model, dtype="float32", max_model_len=256, seed=seed)
    with open_sampler(config) as sampler:
        completions = sampler.sample([prompt(w.problem.problem) for w in worked], num_samples, spec)
    result = Measured()
    for problem, samples in zip(worked, completions, strict=True):
        for sample in samples:
            result.cut_off.add(sample.finish_reason == "length")
            _count(result, problem, sample.text)
    return result


def _count(result: Measured, worked: WorkedProblem, solution: str) -> None:
    is_right = _answer(solution) == _answer(worked.steps[-1])
    result.overall.add(is_right)
    result.by_family[worked.family].add(is_right)
    if worked.problem.level is not None:
        result.by_level[worked.problem.level].add(is_right)
    if is_right:
        steps = [span.step for span in split_steps(solution)]
        result.right_through_wrong_step.add(first_error(rate_steps(worked.problem.problem, steps)) >= 0)


def _answer(text: str) -> Fraction | None:
    boxed = last_boxed(text)
    if boxed is None:
        return None
    try:
        sides: Sequence[Fraction] = evaluate(boxed, _NO_VARIABLES).sides
    except FormulaError:
        return None
    return sides[0] if len(sides) == 1 else None


def model_card(name: str, recipe: str, measured: Measured) -> str:
    """The card as Markdown; ``recipe`` is the JSON beside the checkpoint."""
    lines = [
        f"# tiny {name}",
        "",
        "A Llama over minimath's words and digits, trained from nothing by `stepmark tiny-generator train`.",
        "It knows nothing but minimath. License: Apache-2.0, like the code.",
        "",
        f"Recipe: `{' '.join(recipe.split())}`",
        "",
        "At temperature 1 on test problems, which no training text holds:",
        "",
        f"- pass@1: {measured.overall}",
        f"- right answers reached through a wrong step: {measured.right_through_wrong_step}",
        f"- cut off by the token limit: {measured.cut_off}",
        "",
        "| family | pass@1 |",
        "|---|---|",
        *(f"| {family} | {share} |" for family, share in sorted(measured.by_family.items())),
        "",
        "| level | pass@1 |",
        "|---|---|",
        *(f"| {level} | {share} |" for level, share in sorted(measured.by_level.items())),
        "",
        f"Brackets are 95% intervals over samples. Made by `stepmark tiny-generator measure {name}`.",
        "",
    ]
    return "\n".join(lines)
