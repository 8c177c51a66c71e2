"""The text the tiny models read: worked minimath problems, and pages of checked equations.

The equations are true and false ones, each marked, as text in the world holds both; none of them is a
solution, so no step label reaches the models. Leaves out: test problems, whose split keeps them away.
"""

import itertools
import random
import re
from collections.abc import Iterator
from fractions import Fraction

from stepmark.labeling.minimath import WorkedProblem, stream
from stepmark.labeling.minimath.language import FormulaError, evaluate

CHECK_SHARE = 0.25  # of documents, in a base's text
_CHECKS_PER_PAGE = 8


def prompt(problem: str) -> str:
    """The text before a solution, for the tiny models."""
    return f"{problem}\n"


def document(worked: WorkedProblem) -> str:
    """A worked problem as one text."""
    return prompt(worked.problem.problem) + "\n".join(worked.steps)


def documents(seed: int, check_share: float) -> Iterator[str]:
    """Worked train problems for ever, with pages of checked equations among them."""
    rng = random.Random(f"checks {seed}")
    worked_problems = stream(seed, "train")
    while True:
        if rng.random() < check_share:
            page = [check(worked, rng) for worked in itertools.islice(worked_problems, _CHECKS_PER_PAGE)]
            yield "\n".join(page)
        else:
            yield document(next(worked_problems))


def check(worked: WorkedProblem, rng: random.Random | None = None) -> str:
    """One equation of a worked problem, perhaps with a number changed, and whether it is true."""
    rng = rng or random.Random(0)
    formulas = [f for step in worked.steps for f in re.findall(r"\$([^$]+)\$", step) if _is_equation(f)]
    if not formulas:
        return "Check: $1 = 1$. yes"
    formula = rng.choice(formulas)
    if rng.random() < 0.5:
        formula = _change_number(formula, rng)
    return f"Check: ${formula}$. {'yes' if _is_true(formula) else 'no'}"


def _is_equation(formula: str) -> bool:
    return "=" in formula and "x" not in formula


def _is_true(formula: str) -> bool:
    no_variables: dict[str, Fraction] = {}
    try:
        return evaluate(formula, no_variables).holds(None)
    except FormulaError:
        return False


def _change_number(formula: str, rng: random.Random) -> str:
    numbers = list(re.finditer(r"\d+", formula))
    match = rng.choice(numbers)
    digits = list(match.group())
    if rng.random() < 0.5:
        position = rng.randrange(len(digits))
        digits[position] = str((int(digits[position]) + rng.randint(1, 9)) % 10)
        changed = str(int("".join(digits)))
    else:
        changed = str(abs(int(match.group()) + rng.choice((-10, -2, -1, 1, 2, 10))))
    return formula[: match.start()] + changed + formula[match.end() :]
