r"""The slow path for one pair of expressions: math-verify's LaTeX reader and a comparison of values in SymPy.

Two expressions are equal when they agree to 20 digits at every point tried, and different when they clearly
do not at one; simplification is tried only where there are no values. Values come first because symbolic
judgement is slow and has called different expressions equal. Text that the reader is known to misread
(``1 2`` as the sum 3, ``f'`` as f, ``12_5`` as 12, ``AB`` as ``ab``) is not given to it. Leaves out: time
limits. Run it in a process that can be killed (``pool``): some inputs never end.
"""

import logging
import random
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import sympy  # type: ignore[import-untyped]
from latex2sympy2_extended.latex2sympy2 import NormalizationConfig  # type: ignore[import-untyped]
from math_verify import LatexExtractionConfig, parse, verify  # type: ignore[import-untyped]

from .logic import all_of
from .scalars import is_rounding_of

Expression: TypeAlias = Any  # SymPy has no types

_DIGITS = 30
_AGREE = sympy.Float("1e-20", _DIGITS)
_MIN_POINTS = 3
_NUM_POINTS = 8
_LARGEST_NUMERATOR, _DENOMINATOR = 200, 61  # of the points: small numbers at which nothing special happens
_LARGEST_INTEGER_POINT = 12
_CONFIG = LatexExtractionConfig(
    # Its unit stripping would turn 2 pi r h into 2 pi r; units are gone before.
    normalization_config=NormalizationConfig(
        basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="none", equations=False
    ),
    boxed_match_priority=-1,
)
_DISCRETE = (sympy.Sum, sympy.Product, sympy.factorial, sympy.binomial, sympy.Mod)
_MISREAD = re.compile(
    r"(?<![_\d])\d+\s+[\d.]|\d\s*\\binom|'|\d\s*_"
    r"|\\(?:text|overline|angle|triangle|operatorname)(?![a-zA-Z])"
    r"|(?<![a-zA-Z\\])(?:[A-Z]{2,}|[a-zA-Z]{4,})(?![a-zA-Z])"
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[a-z*]+\}")
_MIXED = re.compile(r"(?<![\d.])(\d+)\s*\\frac\{(\d+)\}\{(\d+)\}")

for _library in ("math_verify", "latex2sympy2_extended"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)


class SympyAlgebra:
    """Compares single expressions written in LaTeX. None means: this method cannot tell."""

    def equal(self, left: str, right: str) -> bool | None:
        """Whether two expressions (or matrices) are equal."""
        first, second = _parsed(left), _parsed(right)
        if first is None or second is None:
            return None
        is_equal: bool | None = _attempt(lambda: _equal(first, second))
        if is_equal is False and (_is_rounded(left, second) or _is_rounded(right, first)):
            return True
        return is_equal

    def ratio(self, left: str, right: str) -> float | None:
        """The constant that ``left / right`` is everywhere, or None if it is none or cannot be told."""
        first, second = _parsed(left), _parsed(right)
        if not isinstance(first, sympy.Expr) or not isinstance(second, sympy.Expr):
            return None
        pairs = [(a, b) for a, b in _values(first, second) if a.is_real and b.is_real]
        ratios = [a / b for a, b in pairs if abs(a) > _AGREE and abs(b) > _AGREE]
        if len(ratios) < _MIN_POINTS or any(abs(ratio - ratios[0]) > _AGREE for ratio in ratios):
            return None
        return float(ratios[0])

    def can_read(self, text: str) -> bool:
        """Whether the text is an expression at all."""
        return _is_misread(text) or _read(text) is not None


def _attempt(compute: Callable[[], Expression]) -> Expression:
    """The result, or None where SymPy or the reader fails: they raise errors of many kinds on odd input."""
    try:
        return compute()
    except (RecursionError, MemoryError):
        raise  # these are limits of the process, and are reported as such
    except Exception:
        return None


def _is_misread(latex: str) -> bool:
    return _MISREAD.search(_ENVIRONMENT.sub(" , ", latex)) is not None


@lru_cache(maxsize=2_000)
def _parsed(latex: str) -> Expression:
    expression = None if _is_misread(latex) else _read(latex)
    return None if expression is None else _attempt(lambda: _repaired(expression))


@lru_cache(maxsize=2_000)
def _read(latex: str) -> Expression:
    plain = _MIXED.sub(r"(\1+\\frac{\2}{\3})", latex)
    found = _attempt(
        lambda: parse(
            f"${plain}$", extraction_config=[_CONFIG], fallback_mode="no_fallback", parsing_timeout=None
        )
    )
    return found[0] if found else None


def _repaired(expression: Expression) -> Expression:
    """The expression in a form that has exact values, or None if it has none (as 1/0)."""
    if isinstance(expression, sympy.MatrixBase | sympy.MatrixExpr):
        return expression.doit()
    if expression.has(sympy.zoo, sympy.nan):
        return None
    expression = expression.replace(_is_log_with_base, _quotient_of_logs)
    exact = {number: sympy.Rational(str(number)) for number in expression.atoms(sympy.Float)}
    imaginary = {symbol: sympy.I for symbol in expression.free_symbols if symbol.name == "i"}
    return expression.xreplace(exact | imaginary)


def _is_log_with_base(part: Expression) -> bool:
    return isinstance(part, sympy.log) and len(part.args) == 2


def _quotient_of_logs(part: Expression) -> Expression:
    # The reader leaves log(x, base) unevaluated, and SymPy gives that form no value.
    return sympy.log(part.args[0]) / sympy.log(part.args[1])


def _equal(first: Expression, second: Expression) -> bool | None:
    if isinstance(first, sympy.MatrixBase) and isinstance(second, sympy.MatrixBase):
        if first.shape != second.shape:
            return False
        return all_of(_equal(a, b) for a, b in zip(first.flat(), second.flat(), strict=True))
    if isinstance(first, sympy.Expr) and isinstance(second, sympy.Expr):
        is_equal = True if first == second else _equal_in_values(first, second)
        if is_equal is None and sympy.simplify(first - second) == 0:
            return True
        return is_equal
    # Relations are taken apart before they come here; the reader turns some into True or 0.
    if isinstance(first, sympy.Set) and isinstance(second, sympy.Set):
        return True if verify(first, second, timeout_seconds=None) else None
    return None


def _equal_in_values(first: Expression, second: Expression) -> bool | None:
    pairs = _values(first, second)
    real = [(a, b) for a, b in pairs if a.is_real and b.is_real]
    usable = real if len(real) >= min(_MIN_POINTS, len(pairs)) else pairs
    if any(abs(a - b) > _AGREE * max(1, abs(a), abs(b)) for a, b in usable):
        return False
    num_needed = _MIN_POINTS if first.free_symbols | second.free_symbols else 1
    return True if len(usable) >= num_needed else None


def _values(first: Expression, second: Expression) -> list[tuple[Expression, Expression]]:
    """Both values at every point where both have one: positive points first, then points of either sign."""
    symbols = sorted(first.free_symbols | second.free_symbols, key=str)
    is_discrete = first.has(*_DISCRETE) or second.has(*_DISCRETE)
    rng = random.Random(0)
    pairs = []
    for index in range(_NUM_POINTS if symbols else 1):
        lowest = 1 if index < _NUM_POINTS // 2 else -_LARGEST_NUMERATOR
        if is_discrete:
            point = {symbol: sympy.Integer(rng.randint(1, _LARGEST_INTEGER_POINT)) for symbol in symbols}
        else:
            numerators = [rng.randint(lowest, _LARGEST_NUMERATOR) for _ in symbols]
            point = {s: sympy.Rational(n, _DENOMINATOR) for s, n in zip(symbols, numerators, strict=True)}
        pair = (_value(first, point), _value(second, point))
        if None not in pair:
            pairs.append(pair)
    return pairs


def _value(expression: Expression, point: dict[Expression, Expression]) -> Expression:
    try:
        value = _attempt(lambda: expression.subs(point).doit().evalf(_DIGITS))
        if value is not None and not value.is_Float:
            value = _attempt(lambda: value.evalf(_DIGITS, chop=True))
    except RecursionError:  # sums between bounds that are no integers
        return None
    return value if value is not None and value.is_number and value.is_finite else None


def _is_rounded(text: str, exact: Expression) -> bool:
    value = _value(exact, {}) if isinstance(exact, sympy.Expr) and not exact.free_symbols else None
    return value is not None and bool(value.is_real) and is_rounding_of(text, Fraction(str(value)))
