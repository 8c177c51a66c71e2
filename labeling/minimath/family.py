"""What a minimath family is: it draws operands, writes the problem, reads it back, and works it.

Leaves out: the families themselves (one file per group of subjects) and the drawing of problem sets.
"""

import functools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from .work import Work

Operands = dict[str, int]


@dataclass(frozen=True, slots=True)
class Family:
    """One family of problems of one MATH subject.

    ``templates`` hold ``<name>`` for each operand and are used both ways: to write a problem and, as
    patterns, to read the operands back, so that the oracle needs nothing but the problem's text. The
    operands' names decide which template a problem has. ``draw(rng, level)`` gives operands for level 1-5;
    ``work(operands, rng)`` solves the problem, drawing only the wording from ``rng``.
    """

    name: str
    subject: str
    templates: tuple[str, ...]
    draw: Callable[[random.Random, int], Operands]
    work: Callable[[Operands, random.Random], Work]

    def write(self, operands: Operands) -> str:
        """Write the problem's text."""
        for template in self.templates:
            if set(re.findall(r"<(\w+)>", template)) == set(operands):
                return re.sub(r"<(\w+)>", lambda name: str(operands[name.group(1)]), template)
        raise ValueError(f"family {self.name} has no template for operands {sorted(operands)}")

    def read(self, problem: str) -> Operands | None:
        """Read the operands back from a problem's text, or None if it is of another family."""
        for template in self.templates:
            match = _pattern(template).fullmatch(problem)
            if match is not None:
                return {name: int(text) for name, text in match.groupdict().items()}
        return None


@functools.cache
def _pattern(template: str) -> re.Pattern[str]:
    pieces = re.split(r"<(\w+)>", template)
    return re.compile(
        "".join(
            re.escape(piece) if index % 2 == 0 else rf"(?P<{piece}>-?\d+)"
            for index, piece in enumerate(pieces)
        )
    )
