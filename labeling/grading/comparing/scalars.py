r"""Comparing single expressions by exact arithmetic: fractions, radicals, polynomials, percent, decimals.

Leaves out: what needs computer algebra; the result is None there.
"""

import re
from fractions import Fraction

from stepmark.labeling.grading.arithmetic.exact import Value, proportion
from stepmark.labeling.grading.arithmetic.latex_expressions import HugeNumberError, read_exact
from stepmark.labeling.grading.arithmetic.sums import MAX_BITS, NotExactError
from stepmark.labeling.grading.reading.nodes import Relation, Scalar

_DECIMAL = re.compile(r"-?\d*\.(\d+)")
_MIN_DECIMALS = 6  # a decimal with fewer is a rounded answer, not the exact one
_FLOAT_ERROR = Fraction(1, 10**13)  # relative, of a value computed in floats
_INFINITY = re.compile(r"\s*[-+]?\s*\\infty\s*")


def compare_scalars(ground_truth: Scalar, answer: Scalar) -> bool | None:
    """Whether two expressions are equal; None if exact arithmetic cannot tell.

    ``10%`` is 0.1, and also 10, as the sign is often part of the question. The other way round a ground truth
    of at most 1 is taken as a fraction: 0.5 is 50%, not 0.5%.
    """
    units = [("%" if side.is_percent else side.unit) for side in (ground_truth, answer)]
    if all(units) and units[0] != units[1]:
        return False
    truth, given = ground_truth.latex, answer.latex
    if ground_truth.is_percent == answer.is_percent:
        return compare_expressions(truth, given)
    percent, plain = (truth, given) if ground_truth.is_percent else (given, truth)
    as_fraction = compare_expressions(f"({percent})/100", plain)
    if as_fraction is not False:
        return as_fraction
    sign_matters = answer.is_percent and _is_at_most_one(plain)
    return False if sign_matters else compare_expressions(percent, plain)


def compare_expressions(left: str, right: str) -> bool | None:
    """Whether two expressions without units are equal; None if exact arithmetic cannot tell."""
    if left == right:
        return True
    first, second = _read(left), _read(right)
    if _INFINITY.fullmatch(left) or _INFINITY.fullmatch(right):
        return _compare_infinities(left, first, right, second)
    if isinstance(first, Value) and isinstance(second, Value):
        return _compare_values(left, first, right, second)
    if isinstance(first, HugeNumberError) and isinstance(second, HugeNumberError):
        return _compare_towers(first.tower, second.tower)
    return _compare_huge(first, second)


def is_exact(text: str) -> bool:
    """Whether the text is an expression that exact arithmetic reads."""
    return isinstance(_read(text), Value)


def _read(text: str) -> Value | HugeNumberError | None:
    try:
        return read_exact(text)
    except HugeNumberError as error:
        return error
    except NotExactError:
        return None


def _compare_values(left: str, first: Value, right: str, second: Value) -> bool | None:
    try:
        return first == second or _is_rounded(left, second) or _is_rounded(right, first)
    except NotExactError:
        return None


def _compare_infinities(
    left: str, first: Value | HugeNumberError | None, right: str, second: Value | HugeNumberError | None
) -> bool | None:
    if _INFINITY.fullmatch(left) and _INFINITY.fullmatch(right):
        return ("-" in left) == ("-" in right)
    return None if first is None and second is None else False


def _compare_towers(left: list[str], right: list[str]) -> bool | None:
    """Powers of one base are equal exactly when their exponents are."""
    if len(left) == len(right) == 1 and left[0].isdigit() and right[0].isdigit():
        return left == right
    if len(left) == 1 or len(right) == 1 or left[0] != right[0]:
        return None
    return compare_expressions("^".join(left[1:]), "^".join(right[1:]))


def _compare_huge(
    first: Value | HugeNumberError | None, second: Value | HugeNumberError | None
) -> bool | None:
    """Whether an integer beyond the size limit can equal the other side, if one side is such an integer."""
    huge, other = (first, second) if isinstance(first, HugeNumberError) else (second, first)
    if not isinstance(huge, HugeNumberError) or not isinstance(other, Value):
        return None
    if other.rational is not None:
        is_smaller = other.rational.numerator.bit_length() < MAX_BITS
        return False if is_smaller else None
    return False if other.is_sum else None  # visibly no rational number, so no integer


def _is_rounded(text: str, exact: Value) -> bool:
    if _DECIMAL.fullmatch(text) is None:
        return False
    if exact.rational is not None:
        return not _has_finite_decimals(exact.rational) and is_rounding_of(text, exact.rational)
    value = exact.approximate()
    if value is None:
        return False
    return is_rounding_of(text, Fraction(value), abs(Fraction(value)) * _FLOAT_ERROR)


def is_rounding_of(text: str, value: Fraction, error: Fraction = Fraction(0)) -> bool:
    """True for a decimal of at least 6 places that ``value``, known up to ``error``, rounds or truncates to.

    >>> is_rounding_of("0.333333", Fraction(1, 3)), is_rounding_of("0.33", Fraction(1, 3))
    (True, False)
    """
    match = _DECIMAL.fullmatch(text)
    if match is None or len(match[1]) < _MIN_DECIMALS:
        return False
    return abs(Fraction(text) - value) <= Fraction(1, 10 ** len(match[1])) + error


def _has_finite_decimals(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _is_at_most_one(text: str) -> bool:
    value = _read(text)
    rational = value.rational if isinstance(value, Value) else None
    return rational is not None and abs(rational) <= 1


def ratio_of_differences(left: Relation, right: Relation) -> Fraction | None:
    """The constant c with left.lhs - left.rhs = c (right.lhs - right.rhs); 0 if there is none.

    None if exact arithmetic cannot tell. Both relations have two sides.
    """
    values = [_read(side) for side in (*left.sides, *right.sides)]
    exact = [value for value in values if isinstance(value, Value)]
    if len(exact) < len(values):
        return None
    try:
        return proportion(exact[0] - exact[1], exact[2] - exact[3]) or Fraction(0)
    except NotExactError:
        return None
