"""What a minimath family knows of one problem: its canonical steps and the truth about every quantity.

A step is made of claims such as ``Total: $3 + 4 = 7$``. A claim's words either name a quantity, all of
whose sides must then have that quantity's true value, or are a connective (``So``), after which the
formula must hold where the unknowns have their true values. Leaves out: reading a step back (oracle.py).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

CONNECTIVES = frozenset({"so", "expand", "collect", "simplify", "divide", "factor"})
ANSWER_NAME = "the answer is"


@dataclass(slots=True)
class Work:
    """One worked problem.

    ``steps``: canonical steps in order. ``quantities``: lower-case name to true value. ``cases``: the
    truths of the unknowns, one mapping a solution of the equation (an equation claim must hold in all).
    ``modulus``: what congruences are modulo. ``answer``: the exact answer.
    """

    rng: random.Random
    answer: Fraction = Fraction(0)
    steps: list[str] = field(default_factory=list)
    quantities: dict[str, Fraction] = field(default_factory=dict)
    cases: Sequence[dict[str, Fraction]] = ({},)
    modulus: int | None = None

    def named(self, names: Sequence[str], formula: str, value: int | Fraction) -> None:
        """Add a step that claims ``formula`` of a quantity; one of its ``names`` is drawn."""
        self.steps.append(f"{self.claim(names, formula, value)}.")

    def claim(self, names: Sequence[str], formula: str, value: int | Fraction) -> str:
        """Return the text of a claim without adding a step, and remember the quantity's truth."""
        for name in names:
            self.quantities[name.lower()] = Fraction(value)
        return f"{self.rng.choice(list(names))}: ${formula}$"

    def follows(self, connective: str, formula: str) -> None:
        """Add a step that claims a relation between known or unknown numbers."""
        self.steps.append(f"{connective}: ${formula}$.")

    def concludes(self, answer: int | Fraction) -> "Work":
        """Add the last step, with the boxed answer, and return the finished work."""
        self.answer = Fraction(answer)
        self.quantities[ANSWER_NAME] = self.answer
        self.steps.append(f"The answer is ${boxed(self.answer)}$.")
        return self


def number(value: int | Fraction) -> str:
    r"""Write a number the way MATH does: ``-3``, ``\frac{4}{9}``."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def boxed(value: Fraction) -> str:
    r"""Write ``\boxed{value}``."""
    return rf"\boxed{{{number(value)}}}"


def signed(value: int) -> str:
    """Write a number as a later term of a sum: `` + 3`` or `` - 3``."""
    return f" + {value}" if value >= 0 else f" - {-value}"


def factor(value: int) -> str:
    """Write a number as a factor: negative ones in parentheses."""
    return f"({value})" if value < 0 else str(value)


def product(rng: random.Random, left: int, right: int) -> str:
    r"""Write a product of two numbers in either order, as people do."""
    if rng.random() < 0.5:
        left, right = right, left
    return rf"{factor(left)} \cdot {factor(right)}"
