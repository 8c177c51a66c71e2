"""The oracle: rates any step of any solution of a minimath problem exactly, from the texts alone.

A step is right (+1) if it is made of claims that are all true, neutral (0) if it repeats an earlier step
word for word, and wrong (-1) otherwise: a false claim, or text that claims nothing. What came before does
not excuse a claim: arithmetic done rightly on a wrong number is a false claim about its quantity.
Leaves out: partial credit, and any judgement of style or usefulness.
"""

import functools
import random
import re
from collections.abc import Sequence
from fractions import Fraction

from stepmark.labeling.errors import InputError
from stepmark.labeling.vocabulary import NEGATIVE, NEUTRAL, POSITIVE

from .catalog import FAMILIES
from .language import FormulaError, congruent, evaluate
from .work import ANSWER_NAME, CONNECTIVES, Work

_CLAIM = r"([A-Za-z][A-Za-z ]*?):? \$([^$\n]+)\$"
_STEP = re.compile(rf"{_CLAIM}(?: and {_CLAIM})?\.")


@functools.lru_cache(maxsize=4096)
def work_of(problem: str) -> Work:
    """Work a minimath problem from its text.

    Raises:
        InputError: if no family reads the text.
    """
    for family in FAMILIES:
        operands = family.read(problem)
        if operands is not None:
            return family.work(operands, random.Random(0))
    raise InputError(
        f"no minimath family reads the problem {problem[:80]!r}; the oracle rates minimath only."
    )


def rate_steps(problem: str, steps: Sequence[str]) -> list[int]:
    """Rate each step -1, 0 or +1; the result is as long as ``steps``.

    >>> rate_steps("Solve $2x + 1 = 7$ for $x$.", ["Collect: $2x = 7 - 1$.", "So: $2x = 5$."])
    [1, -1]

    Raises:
        InputError: if the problem is not of minimath.
    """
    work, seen, ratings = work_of(problem), set[str](), list[int]()
    for step in steps:
        text = step.strip()
        if _is_true(text, work):
            ratings.append(NEUTRAL if text in seen else POSITIVE)
        else:
            ratings.append(NEGATIVE)
        seen.add(text)
    return ratings


def first_error(ratings: Sequence[int]) -> int:
    """Index of the first step rated -1, or -1 if there is none."""
    return next((index for index, rating in enumerate(ratings) if rating == NEGATIVE), -1)


def _is_true(step: str, work: Work) -> bool:
    match = _STEP.fullmatch(step)
    if match is None:
        return False
    first, second = match.groups()[:2], match.groups()[2:]
    claims = [first, second] if second[0] else [first]
    return all(_claim_is_true(name.strip().lower(), formula, work) for name, formula in claims)


def _claim_is_true(name: str, formula: str, work: Work) -> bool:
    try:
        chains = [evaluate(formula, case) for case in work.cases]
    except FormulaError:
        return False
    if not all(chain.holds(work.modulus) for chain in chains):
        return False
    if name == ANSWER_NAME:  # a remainder is one number, not all that are congruent to it
        return all(side == work.answer for chain in chains for side in chain.sides)
    if name in work.quantities:
        return all(_is_value(side, work.quantities[name], work) for chain in chains for side in chain.sides)
    return name in CONNECTIVES and all(chain.relations for chain in chains)


def _is_value(side: Fraction, value: Fraction, work: Work) -> bool:
    # In a problem about remainders a quantity is known modulo the divisor only.
    return side == value or congruent(side, value, work.modulus)
