"""Sums of rational multiples of products: what exact values are made of.

A ``Sum`` maps monomials to rational coefficients. A monomial is a sorted tuple of (generator, exponent):
primes carry exponents strictly between 0 and 1 (so the square root of 8 is 2 times 2^(1/2)), ``"i"`` carries
1, other names carry any rational but 0. Such monomials are linearly independent over the rationals (pi and e
count as independent names), so two sums are equal exactly when their coefficients are. Leaves out: quotients
of sums, which ``exact`` computes with.
"""

import math
from fractions import Fraction

Monomial = tuple[tuple[str, Fraction], ...]
Sum = dict[Monomial, Fraction]

MAX_BITS = 40_000  # an integer of 12,000 digits
_MAX_TERMS = 120
POSITIVE_NAMES = frozenset({"\\pi", "e"})
ONE: Monomial = ()


class NotExactError(Exception):
    """The expression has no exact form here, or is too large: another method must decide."""


class TooLargeError(NotExactError):
    """A number on the way is too large to write out."""


def add(left: Sum, right: Sum) -> Sum:
    """The sum of both.

    Raises:
        NotExactError: if it has too many terms.
    """
    total = dict(left)
    for monomial, factor in right.items():
        both = total.get(monomial, Fraction(0)) + factor
        if both:
            total[monomial] = both
        else:
            total.pop(monomial, None)
    return _limited(total)


def multiply(left: Sum, right: Sum) -> Sum:
    """The product of both.

    Raises:
        NotExactError: if it has too many terms, or coefficients too large to write out.
    """
    if len(left) * len(right) > _MAX_TERMS * 4:
        raise NotExactError("too many terms")
    product: Sum = {}
    for left_monomial, left_factor in left.items():
        for right_monomial, right_factor in right.items():
            if num_bits(left_factor) + num_bits(right_factor) > 2 * MAX_BITS:
                raise TooLargeError("a product too large to write out")
            monomial, extra = _join(left_monomial, right_monomial)
            product[monomial] = product.get(monomial, Fraction(0)) + left_factor * right_factor * extra
    return _limited({monomial: factor for monomial, factor in product.items() if factor})


def _join(left: Monomial, right: Monomial) -> tuple[Monomial, int]:
    """The product of two monomials, and the integer that reducing it sets free."""
    if not left:
        return right, 1
    if not right:
        return left, 1
    exponents = dict(left)
    for generator, exponent in right:
        exponents[generator] = exponents.get(generator, Fraction(0)) + exponent
    extra = 1
    for generator, exponent in list(exponents.items()):
        if generator.isdigit() and exponent >= 1:
            extra *= int(generator)
            exponents[generator] = exponent - 1
        elif generator == "i" and exponent == 2:
            extra, exponents[generator] = -extra, Fraction(0)
    return tuple(sorted((g, e) for g, e in exponents.items() if e)), extra


def reciprocal(monomial: Monomial, factor: Fraction) -> Sum:
    """One divided by ``factor`` times the monomial."""
    inverse: dict[str, Fraction] = {}
    scale = 1 / factor
    for generator, exponent in monomial:
        if generator.isdigit():
            inverse[generator] = 1 - exponent
            scale /= int(generator)
        elif generator == "i":
            inverse[generator] = exponent
            scale = -scale
        else:
            inverse[generator] = -exponent
    return {tuple(sorted(inverse.items())): scale}


def as_float(total: Sum) -> float:
    """The sum as a float.

    Raises:
        NotExactError: if it holds a variable or the imaginary unit.
    """
    result = 0.0
    for monomial, factor in total.items():
        term = float(factor)
        for generator, exponent in monomial:
            if generator.isdigit():
                term *= float(generator) ** float(exponent)
            elif generator in POSITIVE_NAMES:
                term *= (math.pi if generator == "\\pi" else math.e) ** float(exponent)
            else:
                raise NotExactError("not a real constant")
        result += term
    return result


def _limited(total: Sum) -> Sum:
    if len(total) > _MAX_TERMS:
        raise NotExactError("too many terms")
    return total


def num_bits(factor: Fraction) -> int:
    """Bits of numerator and denominator together."""
    return factor.numerator.bit_length() + factor.denominator.bit_length()
