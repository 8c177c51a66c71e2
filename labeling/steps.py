"""Splitting a solution into its newline-separated steps, without losing a character.

Leaves out: deciding whether a step is right. Blank lines are not steps: they belong to the step before
them (leading ones to the first), so the spans re-join to the solution exactly.
"""

import itertools
import re
from typing import NamedTuple

_LINE = re.compile(r"[^\n]*(?:\n|$)")


class StepSpan(NamedTuple):
    """One step: its span is ``solution[char_start:char_end]``, ``step`` that text without outer space."""

    char_start: int
    char_end: int
    step: str


def split_steps(solution: str) -> list[StepSpan]:
    r"""Split at newlines; spans are contiguous and cover the whole solution.

    >>> [(span.char_start, span.char_end, span.step) for span in split_steps("a = 1\n\nb = 2")]
    [(0, 7, 'a = 1'), (7, 12, 'b = 2')]
    """
    starts = [m.start() for m in _LINE.finditer(solution) if m.group().strip()]
    if not starts:
        return []
    bounds = [0, *starts[1:], len(solution)]
    return spans_at(solution, bounds)


def spans_at(solution: str, bounds: list[int]) -> list[StepSpan]:
    """Spans between consecutive ``bounds``, which start at 0, end at ``len(solution)`` and increase.

    Raises:
        ValueError: if the bounds do not cover the solution in order.
    """
    if not bounds or bounds[0] != 0 or bounds[-1] != len(solution) or bounds != sorted(set(bounds)):
        raise ValueError(f"bounds {bounds} do not cover a solution of {len(solution)} characters in order")
    return [StepSpan(start, end, solution[start:end].strip()) for start, end in itertools.pairwise(bounds)]


def join_steps(steps: list[str]) -> tuple[str, list[StepSpan]]:
    r"""Join given steps with newlines; a step that holds a newline itself stays one step.

    >>> join_steps(["x = 1,\nso", "y = 2"])[1][0]
    StepSpan(char_start=0, char_end=10, step='x = 1,\nso')
    """
    text = "\n".join(steps)
    bounds = [0, *itertools.accumulate(len(step) + 1 for step in steps[:-1]), len(text)]
    return text, spans_at(text, bounds) if steps else []
