r"""Numbers and tokens of LaTeX or plain arithmetic: ``0.1\overline{6}``, ``3.54e-07``, 10,000-digit integers.

Leaves out: what the tokens mean together, which ``latex_expressions`` reads.
"""

import re
from fractions import Fraction

from .sums import MAX_BITS, NotExactError, TooLargeError

_INT_CHUNK_DIGITS = 4_000  # Python refuses to read longer digit strings at once
_MAX_LETTERS_MULTIPLIED = 3  # longer runs of letters are words
_NUMBER = re.compile(r"(?P<sign>-?)(?P<whole>\d*)(?:\.(?P<decimals>\d*))?(?:e(?P<exponent>[+-]?\d{1,3}))?\Z")
_TOKEN = re.compile(
    r"\s*(\d+(?:\.\d*)?(?:\\overline\{\d+\})?|\.\d+(?:\\overline\{\d+\})?|\\[a-zA-Z]+|[A-Za-z]+|\S)"
)


def read_number(text: str) -> Fraction | None:
    """The value of one plain number, or None if the text is something else.

    Raises:
        TooLargeError: if the number has more digits than are computed with.
    """
    match = _NUMBER.match(text)
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    decimals = match["decimals"] or ""
    value = Fraction(_integer(match["whole"] + decimals), 10 ** len(decimals))
    return (-value if match["sign"] else value) * Fraction(10) ** int(match["exponent"] or "0")


def _integer(digits: str) -> int:
    digits = digits.lstrip("0") or "0"
    if len(digits) * 3.33 > MAX_BITS:
        raise TooLargeError("a number with too many digits")
    value = 0
    for start in range(0, len(digits), _INT_CHUNK_DIGITS):
        chunk = digits[start : start + _INT_CHUNK_DIGITS]
        value = value * 10 ** len(chunk) + int(chunk)
    return value


def read_repeating(token: str) -> Fraction:
    r"""A number token, with a repeating part if it has one.

    >>> read_repeating(r"0.1\overline{6}")
    Fraction(1, 6)

    Raises:
        NotExactError: if the token is no number.
    """
    plain, _, rest = token.partition("\\overline{")
    value = read_number(plain)
    period = rest.rstrip("}")
    if value is None or (period and "." not in plain):
        raise NotExactError(f"{token!r} is no number")
    if not period:
        return value
    decimals = len(plain.partition(".")[2])
    return value + Fraction(_integer(period), (10 ** len(period) - 1) * 10**decimals)


def tokens_of(text: str) -> list[str]:
    r"""Numbers, commands, single letters and signs; ``sqrt`` and ``pi`` written plainly become commands.

    >>> tokens_of(r"3*sqrt(5)x")
    ['3', '*', '\\sqrt', '(', '5', ')', 'x']

    Raises:
        NotExactError: if letters read as a word or as a name in capitals, whose order matters.
    """
    tokens: list[str] = []
    for token in _TOKEN.findall(text):
        if token.isascii() and token.isalpha():
            tokens.extend(_letters(token))
        else:
            tokens.append(token)
    return tokens


def _letters(run: str) -> list[str]:
    for word in ("sqrt", "pi"):
        if run.endswith(word) and len(run) <= len(word) + 2:
            return [*run[: -len(word)], "\\" + word]
    if len(run) > _MAX_LETTERS_MULTIPLIED or (len(run) > 1 and not run.islower()):
        raise NotExactError("a word, not a product of letters")
    return list(run)
