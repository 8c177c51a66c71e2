r"""Reading LaTeX or plain arithmetic into exact values: ``1\frac{1}{2}``, ``3*sqrt(5)/7``, ``(x+1)^2``.

Leaves out: lists, intervals, relations, units and text, which are taken apart first, and functions,
for which ``NotExactError`` is raised. Letters multiply: ``xy`` is x times y.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from .exact import Value, name, number, power
from .latex_tokens import read_number, read_repeating, tokens_of
from .sums import MAX_BITS, NotExactError, TooLargeError

_MAX_EXPRESSION_CHARS = 600
_MAX_DEPTH = 40
_MAX_WORK_BITS = 500_000
_MAX_BINOMIAL = 2_000
_MAX_ROOT_DEGREE = 100
_POWERS_OF_INTEGERS = re.compile(r"(?:[2-9]|[1-9]\d+)(?:\^(?:[2-9]|[1-9]\d+))*!?\Z")
_GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta",
    "kappa", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega",
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Sigma", "Phi", "Psi", "Omega", "ell", "pi",
})  # fmt: skip
_FUNCTION_LETTERS = frozenset("fghFGHPQRST")
_TIMES = frozenset({"*", "\\cdot", "\\times"})
_OVER = frozenset({"/", "\\div"})
_CLOSING = {"(": ")", "{": "}", "[": "]"}


class HugeNumberError(NotExactError):
    """The whole expression is an integer beyond the size limit, so it equals no number within it.

    ``tower`` holds its numbers: ``["9", "9", "8"]`` for 9^(9^8).
    """

    def __init__(self, tower: list[str]) -> None:
        super().__init__("a number too large to write out")
        self.tower = tower


@lru_cache(maxsize=20_000)
def read_exact(text: str) -> Value:
    r"""The exact value of an expression.

    >>> read_exact(r"1\frac{1}{2}").rational
    Fraction(3, 2)

    Raises:
        HugeNumberError: if the text is a power or factorial of integers too large to write out.
        NotExactError: if the text has no exact value here; another method must decide.
    """
    try:
        plain = read_number(text)
        if plain is not None:
            return number(plain)
        if len(text) > _MAX_EXPRESSION_CHARS:
            raise NotExactError("an expression too long")
        return _Parser(tokens_of(text)).whole()
    except TooLargeError as error:
        plain_text = re.sub(r"[{}\s]", "", text)
        if _POWERS_OF_INTEGERS.match(plain_text):
            raise HugeNumberError(plain_text.split("^")) from error
        raise


class _Parser:
    """Recursive descent over tokens. The limits on depth and work make every parse end quickly."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0
        self._work_bits = 0

    def _peek(self, ahead: int = 0) -> str:
        index = self._position + ahead
        return self._tokens[index] if index < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._position += 1
        return token

    def _limited(self, value: Value) -> Value:
        """The value; raises NotExactError once all values together are too large."""
        self._work_bits += value.size
        if self._work_bits > _MAX_WORK_BITS:
            raise NotExactError("too much arithmetic")
        return value

    def whole(self) -> Value:
        value = self._sum()
        if self._position < len(self._tokens):
            raise NotExactError("left-over tokens")
        return value

    def _sum(self) -> Value:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise NotExactError("nested too deeply")
        total = self._product()
        while self._peek() in ("+", "-"):
            sign = self._take()
            term = self._product()
            total = self._limited(total + term if sign == "+" else total - term)
        self._depth -= 1
        return total

    def _product(self) -> Value:
        result = self._signed_factor()
        while True:
            token = self._peek()
            if token in _TIMES or token in _OVER:
                self._take()
                factor = self._signed_factor()
                result = self._limited(result / factor if token in _OVER else result * factor)
            elif _starts_implicit_factor(token):
                result = self._limited(result * self._factor())
            else:
                return result

    def _signed_factor(self) -> Value:
        negative = False
        while self._peek() in ("+", "-"):
            negative ^= self._take() == "-"
        factor = self._factor()
        return -factor if negative else factor

    def _factor(self) -> Value:
        base = self._base()
        while self._peek() in ("^", "!"):
            if self._take() == "^":
                base = self._raise(base, self._exponent())
            elif self._peek() == "!":
                raise NotExactError("a double factorial")
            else:
                base = _factorial(base)
        return self._limited(base)

    def _raise(self, base: Value, exponent: Value) -> Value:
        degree, constant = exponent.rational, base.rational
        if degree is None:
            raise NotExactError("an exponent that is no rational number")
        if constant is not None and constant < 0 and degree.denominator > 1:
            raise NotExactError("a fractional power of a negative number")
        return power(base, degree)

    def _exponent(self) -> Value:
        if self._peek() == "-":
            self._take()
            return -self._exponent()
        value = self._base() if self._peek() in ("{", "(") else self._single()
        if self._peek() == "^":
            self._take()
            value = self._raise(value, self._exponent())
        return value

    def _single(self) -> Value:
        token = self._take()
        return number(read_repeating(token)) if token[:1] in "0123456789." else _named(token)

    def _base(self) -> Value:
        token = self._peek()
        if token in _CLOSING:
            return self._group()
        if token in _READERS:
            self._take()
            return _READERS[token](self)
        value = self._single()
        if token[:1] in "0123456789.":
            return self._mixed(value)
        return self._symbol(token, value)

    def _group(self) -> Value:
        closing = _CLOSING[self._take()]
        value = self._sum()
        if self._take() != closing:
            raise NotExactError(f"no {closing} where one must stand")
        return value

    def _mixed(self, whole: Value) -> Value:
        r"""``1\frac{1}{2}`` and ``1 1/2``: an integer right before a proper fraction adds."""
        start = self._position
        if self._peek() == "\\frac":
            self._take()
            top, bottom = self._argument().rational, self._argument().rational
        elif self._peek().isdigit():
            top_token, slash, bottom_token = self._take(), self._take(), self._take()
            if slash != "/" or not bottom_token.isdigit():
                raise NotExactError("two numbers side by side")
            top, bottom = read_number(top_token), read_number(bottom_token)
        else:
            return whole
        if _is_mixed(whole.rational, top, bottom) and top is not None and bottom and self._peek() != "^":
            return whole + number(top / bottom)
        self._position = start
        return whole

    def _symbol(self, token: str, value: Value) -> Value:
        following = self._peek()
        if following == "'" or (token in _FUNCTION_LETTERS and following in ("(", "[")):
            raise NotExactError("a function applied to something")
        if following != "_":
            return value
        self._take()
        parts = [self._take()]
        while parts[0] == "{" and parts[-1] not in ("}", ""):
            parts.append(self._take())
        return name(f"{token}_{''.join(parts).strip('{}')}")

    def _argument(self) -> Value:
        r"""One argument of a command: a group, or a single digit as in ``\frac12``."""
        token = self._peek()
        if token in ("{", "("):
            return self._group()
        if token.isdigit() and len(token) > 1:
            self._tokens[self._position : self._position + 1] = [token[0], token[1:]]
        if token in _READERS:
            self._take()
            return _READERS[token](self)
        return self._single()

    def fraction(self) -> Value:
        top = self._argument()
        return top / self._argument()

    def root(self) -> Value:
        degree: Fraction | None = Fraction(2)
        if self._peek() == "[":
            degree = self._group().rational
        if degree is None or degree.denominator != 1 or not 2 <= degree <= _MAX_ROOT_DEGREE:
            raise NotExactError("a root of unusual degree")
        return power(self._argument(), 1 / degree)

    def binomial(self) -> Value:
        top, bottom = self._argument().rational, self._argument().rational
        if top is None or bottom is None or top.denominator != 1 or bottom.denominator != 1:
            raise NotExactError("a binomial coefficient of other things than integers")
        if not 0 <= bottom <= top <= _MAX_BINOMIAL:
            raise NotExactError("a binomial coefficient out of range")
        return number(math.comb(int(top), int(bottom)))


_READERS: dict[str, Callable[[_Parser], Value]] = {
    "\\frac": _Parser.fraction,
    "\\sqrt": _Parser.root,
    "\\binom": _Parser.binomial,
}


def _starts_implicit_factor(token: str) -> bool:
    # A number right behind a factor is ambiguous (x2, (3)2) and ends the product instead.
    if token in _CLOSING or token in _READERS or token[1:] in _GREEK:
        return True
    return token.isascii() and token.isalpha()


def _named(token: str) -> Value:
    if (token.isascii() and token.isalpha()) or (token[:1] == "\\" and token[1:] in _GREEK):
        return name(token)
    raise NotExactError(f"{token!r} has no exact value")


def _is_mixed(whole: Fraction | None, top: Fraction | None, bottom: Fraction | None) -> bool:
    if whole is None or top is None or bottom is None:
        return False
    return whole.denominator == top.denominator == bottom.denominator == 1 and 0 < top < bottom


def _factorial(value: Value) -> Value:
    whole = value.rational
    if whole is None or whole.denominator != 1 or whole < 0:
        raise NotExactError("a factorial of something else than a natural number")
    if math.lgamma(min(whole.numerator, 10**12) + 1) > MAX_BITS * math.log(2):
        raise TooLargeError("a factorial too large to write out")
    return number(math.factorial(whole.numerator))
