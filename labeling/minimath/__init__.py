"""minimath: a seeded family of MATH-shaped problems whose every step an oracle can rate.

``family`` is what a family of problems is, ``algebra`` and ``numbers`` hold the families, ``work`` the worked
solution of a problem, ``catalog`` all families and seeded sets of problems. ``oracle`` rates steps, whose
formulas ``language`` evaluates. A new family is one object in ``algebra`` or ``numbers`` and its
name in ``catalog``.
"""

from .catalog import FAMILIES, SOURCE, WorkedProblem, distinct_problems, split_of, stream
from .oracle import first_error, rate_steps, work_of

__all__ = [
    "FAMILIES",
    "SOURCE",
    "WorkedProblem",
    "distinct_problems",
    "first_error",
    "rate_steps",
    "split_of",
    "stream",
    "work_of",
]
