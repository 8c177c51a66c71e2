"""minimath: a seeded family of MATH-shaped problems whose every step an oracle can rate."""

from .catalog import FAMILIES, SOURCE, WorkedProblem, distinct_problems, split_of, stream
from .oracle import first_error, rate_steps, truth

__all__ = [
    "FAMILIES",
    "SOURCE",
    "WorkedProblem",
    "distinct_problems",
    "first_error",
    "rate_steps",
    "split_of",
    "stream",
    "truth",
]
