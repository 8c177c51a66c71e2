r"""The little language of minimath's formulas: parse and evaluate ``$3 \cdot 12 = 36$`` exactly.

Numbers are exact fractions, so a claim is true or false and nothing between. Leaves out: everything
minimath's own solutions do not need; a formula outside the language raises FormulaError.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<command>\\(?:frac|cdot|equiv|gcd|boxed))|(?P<variable>[a-z])"
    r"|(?P<symbol>[-+=^(){},]))"
)
_MAX_DIGITS = 9  # model output may hold any number: a bound keeps powers of it small
_MAX_EXPONENT = 4
_MAX_TOKENS = 200  # the parser recurses: a bound keeps it within the stack


class FormulaError(ValueError):
    """The text is no formula of the language, or it has no value (a division by zero, say)."""


@dataclass(frozen=True, slots=True)
class Chain:
    r"""A formula's sides, and the relations between them (``=`` or ``\equiv``), one fewer than sides."""

    sides: tuple[Fraction, ...]
    relations: tuple[str, ...]

    def holds(self, modulus: int | None) -> bool:
        r"""Say whether every relation is true; ``\equiv`` compares modulo ``modulus``."""
        for relation, left, right in zip(self.relations, self.sides, self.sides[1:], strict=False):
            if relation == "=" and left != right:
                return False
            if relation == r"\equiv" and not congruent(left, right, modulus):
                return False
        return True


def congruent(left: Fraction, right: Fraction, modulus: int | None) -> bool:
    """Say whether two integers agree modulo ``modulus``; false for fractions or without a modulus."""
    if modulus is None or left.denominator != 1 or right.denominator != 1:
        return False
    return (left - right) % modulus == 0


def evaluate(formula: str, variables: Mapping[str, Fraction]) -> Chain:
    r"""Parse a formula and evaluate its sides.

    >>> evaluate(r"2x + 1 = \frac{14}{2}", {"x": Fraction(3)}).sides
    (Fraction(7, 1), Fraction(7, 1))

    Raises:
        FormulaError: if the text is not in the language or a side has no value.
    """
    return _Parser(formula, variables).chain()


class _Parser:
    def __init__(self, formula: str, variables: Mapping[str, Fraction]) -> None:
        self._variables = variables
        self._tokens = _tokenize(formula)
        self._position = 0

    def chain(self) -> Chain:
        sides, relations = [self._sum()], []
        while self._peek() in ("=", r"\equiv"):
            relations.append(self._next())
            sides.append(self._sum())
        if self._peek():
            raise FormulaError(f"unexpected {self._peek()!r}")
        return Chain(tuple(sides), tuple(relations))

    def _peek(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._position += 1
        return token

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise FormulaError(f"expected {token!r}, found {found!r}")

    def _sum(self) -> Fraction:
        sign = -1 if self._peek() == "-" else 1
        if sign < 0:
            self._next()
        total = sign * self._product()
        while self._peek() in ("+", "-"):
            sign = 1 if self._next() == "+" else -1
            total += sign * self._product()
        return total

    def _product(self) -> Fraction:
        value = self._power()
        while True:
            token = self._peek()
            if token == r"\cdot":
                self._next()
                value *= self._power()
            elif token == "(" or (token.isalpha() and len(token) == 1):
                value *= self._power()  # 4x, 2(x + 1): a number may not follow, 4 6 is no product
            else:
                return value

    def _power(self) -> Fraction:
        base = self._atom()
        if self._peek() != "^":
            return base
        self._next()
        exponent = self._next()
        if not exponent.isdigit() or int(exponent) > _MAX_EXPONENT:
            raise FormulaError(f"exponent {exponent!r}")
        return base ** int(exponent)

    def _atom(self) -> Fraction:
        token = self._next()
        if token.isdigit():
            return Fraction(int(token))
        if token == "(":
            return self._closed(")")
        if token == r"\boxed":
            self._expect("{")
            return self._closed("}")
        if token == r"\frac":
            return self._fraction()
        if token == r"\gcd":
            return self._gcd()
        if token in self._variables:
            return self._variables[token]
        raise FormulaError(f"unexpected {token!r}")

    def _closed(self, closing: str) -> Fraction:
        value = self._sum()
        self._expect(closing)
        return value

    def _fraction(self) -> Fraction:
        self._expect("{")
        numerator = self._closed("}")
        self._expect("{")
        denominator = self._closed("}")
        if denominator == 0:
            raise FormulaError("division by zero")
        return numerator / denominator

    def _gcd(self) -> Fraction:
        self._expect("(")
        left = self._closed(",")
        right = self._closed(")")
        if left.denominator != 1 or right.denominator != 1:
            raise FormulaError("gcd of fractions")
        return Fraction(math.gcd(left.numerator, right.numerator))


def _tokenize(formula: str) -> list[str]:
    tokens, position, text = [], 0, formula.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"unexpected {text[position : position + 10]!r}")
        token = match.group(match.lastgroup or 0)
        if token.isdigit() and len(token) > _MAX_DIGITS:
            raise FormulaError(f"a number of {len(token)} digits")
        tokens.append(token)
        position = match.end()
        if len(tokens) > _MAX_TOKENS:
            raise FormulaError(f"more than {_MAX_TOKENS} tokens")
    return tokens
