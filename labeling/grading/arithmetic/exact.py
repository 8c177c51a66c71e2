"""Exact values of answers: quotients of sums of radicals, constants and variables.

A value is a quotient of two ``Sum``s, whose terms are independent of each other; so two values are equal
exactly when their cross products have equal coefficients: no computer algebra, no guess. Leaves out:
everything that has no such form (logarithms, trigonometry, roots of sums, symbolic exponents) and everything
too large to compute at once; both raise ``NotExactError`` and are left to computer algebra.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from .sums import (
    MAX_BITS,
    ONE,
    POSITIVE_NAMES,
    NotExactError,
    Sum,
    TooLargeError,
    add,
    as_float,
    multiply,
    num_bits,
    reciprocal,
)

_MAX_SUM_POWER = 12
_LARGEST_TRIAL_FACTOR = 5_000


@dataclass(frozen=True, slots=True)
class Value:
    """An exact value: ``numerator / denominator``, the denominator never zero."""

    numerator: Sum
    denominator: Sum

    def __eq__(self, other: object) -> bool:
        """True when the two values are the same, by comparing cross products."""
        if not isinstance(other, Value):
            return NotImplemented
        left = multiply(self.numerator, other.denominator)
        return left == multiply(other.numerator, self.denominator)

    def __hash__(self) -> int:
        raise TypeError("equal values can have different parts, so a Value has no hash")

    def __add__(self, other: "Value") -> "Value":
        if self.denominator == other.denominator:
            return Value(add(self.numerator, other.numerator), self.denominator)
        top = add(multiply(self.numerator, other.denominator), multiply(other.numerator, self.denominator))
        return Value(top, multiply(self.denominator, other.denominator))

    def __neg__(self) -> "Value":
        return Value({monomial: -factor for monomial, factor in self.numerator.items()}, self.denominator)

    def __sub__(self, other: "Value") -> "Value":
        return self + (-other)

    def __mul__(self, other: "Value") -> "Value":
        return _quotient(
            multiply(self.numerator, other.numerator), multiply(self.denominator, other.denominator)
        )

    def __truediv__(self, other: "Value") -> "Value":
        if not other.numerator:
            raise NotExactError("division by zero")
        return self * Value(other.denominator, other.numerator)

    @property
    def rational(self) -> Fraction | None:
        """The value as a fraction, or None if it is not rational or that is not visible."""
        if not self.numerator:
            return Fraction(0)
        if set(self.numerator) == {ONE} and set(self.denominator) == {ONE}:
            return self.numerator[ONE] / self.denominator[ONE]
        return None

    @property
    def is_sum(self) -> bool:
        """True if the value is written without a denominator, so its parts show what it is."""
        return set(self.denominator) == {ONE}

    @property
    def names(self) -> frozenset[str]:
        """The variables in the value; pi, e and the imaginary unit are constants and not among them."""
        used = {name for part in (self.numerator, self.denominator) for m in part for name, _ in m}
        return frozenset(n for n in used if not n.isdigit() and n not in POSITIVE_NAMES and n != "i")

    @property
    def size(self) -> int:
        """Roughly the bits the value occupies; work done with it grows with this."""
        return sum(num_bits(f) + 64 for part in (self.numerator, self.denominator) for f in part.values())

    def approximate(self) -> float | None:
        """The value as a float when it is a real constant of ordinary size, else None."""
        try:
            top, bottom = as_float(self.numerator), as_float(self.denominator)
            return top / bottom
        except (NotExactError, OverflowError, ZeroDivisionError):
            return None


def number(value: int | Fraction) -> Value:
    """An exact rational constant."""
    return _checked(Value({ONE: Fraction(value)} if value else {}, {ONE: Fraction(1)}))


def name(symbol: str) -> Value:
    r"""A variable or a named constant (``"\pi"``, ``"e"``, ``"i"``)."""
    return Value({((symbol, Fraction(1)),): Fraction(1)}, {ONE: Fraction(1)})


def power(base: Value, exponent: Fraction) -> Value:
    """``base ** exponent``, exact.

    Raises:
        NotExactError: for 0 to a negative power, roots of sums, and results over the size limits.
    """
    if exponent.denominator > 1:
        base = _root(base, exponent.denominator)
    whole = exponent.numerator
    if whole < 0:
        base, whole = number(1) / base, -whole
    terms = max(len(base.numerator), len(base.denominator))
    if whole > MAX_BITS / max(_power_bits(base), 1 / MAX_BITS):
        raise TooLargeError("a power too large to write out")
    if terms > 1 and whole > _MAX_SUM_POWER:
        raise NotExactError("a sum to a large power")
    result = number(1)
    while whole:
        if whole & 1:
            result = result * base
        whole >>= 1
        if whole:
            base = base * base
    return result


def proportion(left: Value, right: Value) -> Fraction | None:
    """The rational constant that ``left / right`` is, or None if it is not one."""
    first = multiply(left.numerator, right.denominator)
    second = multiply(right.numerator, left.denominator)
    if not first or first.keys() != second.keys():
        return None
    ratios = {first[monomial] / second[monomial] for monomial in first}
    return ratios.pop() if len(ratios) == 1 else None


def _root(value: Value, degree: int) -> Value:
    if len(value.numerator) != 1 or len(value.denominator) != 1:
        if not value.numerator:
            return value
        raise NotExactError("a root of a sum")
    ((top, top_factor),) = value.numerator.items()
    ((bottom, bottom_factor),) = value.denominator.items()
    if bottom != ONE:
        raise NotExactError("a root of a quotient of radicals")
    factor = top_factor / bottom_factor
    free = [(n, e) for n, e in top if not n.isdigit() and n not in POSITIVE_NAMES]
    if free and (len(free) > 1 or free[0][1] != 1 or free[0][0] == "i" or factor < 0):
        raise NotExactError("a root that depends on the sign of a variable")
    result = Value({tuple((n, e / degree) for n, e in top): Fraction(1)}, {ONE: Fraction(1)})
    if factor < 0:
        if degree % 2 == 0 and degree != 2:
            raise NotExactError("an even root of a negative number")
        result = result * (name("i") if degree == 2 else number(-1))
    positive = abs(factor)
    result = result * _integer_root(positive.numerator, degree)
    return result / _integer_root(positive.denominator, degree)


def _integer_root(value: int, degree: int) -> Value:
    factors = {str(p): Fraction(k, degree) for p, k in _factorize(value)}
    outside, inside = 1, []
    for prime, exponent in factors.items():
        outside *= int(prime) ** (exponent.numerator // exponent.denominator)
        if exponent % 1:
            inside.append((prime, exponent % 1))
    return Value({tuple(sorted(inside)): Fraction(outside)}, {ONE: Fraction(1)})


def _factorize(value: int) -> Iterator[tuple[int, int]]:
    candidate = 2
    while candidate * candidate <= value and candidate <= _LARGEST_TRIAL_FACTOR:
        count = 0
        while value % candidate == 0:
            value //= candidate
            count += 1
        if count:
            yield candidate, count
        candidate += 1 if candidate == 2 else 2
    if value == 1:
        return
    root = math.isqrt(value)
    if value < _LARGEST_TRIAL_FACTOR**2:
        yield value, 1
    elif root * root == value and root < _LARGEST_TRIAL_FACTOR**2:
        yield root, 2
    else:
        raise NotExactError("a radicand too large to factor")


def _quotient(top: Sum, bottom: Sum) -> Value:
    """Divide by a denominator of one term; longer ones stay, equality multiplies crosswise."""
    if len(bottom) != 1:
        return Value(top, bottom)
    ((monomial, factor),) = bottom.items()
    if monomial == ONE:
        if factor == 1:
            return Value(top, bottom)
        return _checked(Value({m: f / factor for m, f in top.items()}, {ONE: Fraction(1)}))
    return Value(multiply(top, reciprocal(monomial, factor)), {ONE: Fraction(1)})


def _checked(value: Value) -> Value:
    if value.size > 4 * MAX_BITS:
        raise TooLargeError("a number too large to write out")
    return value


def _power_bits(value: Value) -> float:
    """Bits that each multiplication by the value adds to the larger side of a coefficient."""
    factors = [*value.numerator.values(), *value.denominator.values()]
    return max((math.log2(max(abs(f.numerator), f.denominator)) for f in factors), default=0.0)
