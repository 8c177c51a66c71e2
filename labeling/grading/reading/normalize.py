r"""One spelling for answers that only look different: ``$\dfrac{1}{2}$.`` becomes ``\frac{1}{2}``.

Rewrites notation, never mathematics: delimiters, spacing, synonyms of commands, Unicode signs, thousands
separators, Markdown. Leaves out units, percent signs and lists, whose meaning ``answers`` decides.
"""

import re
import unicodedata
from functools import lru_cache

from .unicode_signs import SIGNS

_MATRIX = re.compile(r"\\begin\{(?:[pbvBV]?matrix|array|cases|aligned?\*?)\}")

# Each pair is one rewrite; the order matters, later rewrites rely on earlier ones.
_REWRITES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r"\\text(?:normal|bf|it|rm|sf|tt)(?![a-zA-Z])|\\[mh]box(?![a-zA-Z])", r"\\text"),
        (r"\\(?:mathrm|operatorname|mathbf|mathit|boldsymbol|bm|mathsf|rm)\s*\{\s*([a-zA-Z])\s*\}", r" \1"),
        (r"\\mathrm(?![a-zA-Z])", r"\\text"),
        (r"\\(?:mathbf|mathit|boldsymbol|operatorname)\s*\{([^{}]*)\}", r"\1"),
        (r"\\\\\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in)\s*\]", r"\\\\ "),
        (r"\\\$|\$|(?<!\\)\\[()\[\]]|`", ""),
        (r"\\(?:display|text|script)style(?![a-zA-Z])", " "),
        (r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\s*\.?", ""),
        (r"\\lbrace(?![a-zA-Z])", r"\\{"),
        (r"\\rbrace(?![a-zA-Z])", r"\\}"),
        (r"\\[dtc]frac(?![a-zA-Z])", r"\\frac"),
        (r"\\[dt]binom(?![a-zA-Z])", r"\\binom"),
        (r"\\(?:leq|leqslant|leqq)(?![a-zA-Z])|<=|=<", r"\\le "),
        (r"\\(?:geq|geqslant|geqq)(?![a-zA-Z])|>=", r"\\ge "),
        (r"\\neq(?![a-zA-Z])|(?<![\d)])!=|\\not\s*=", r"\\ne "),
        (r"\\lt(?![a-zA-Z])", "<"),
        (r"\\gt(?![a-zA-Z])", ">"),
        (r"\\mathbb\{?\s*R\s*\}?|(?i:\ball real numbers\b(?! except))", r"(-\\infty,\\infty)"),
        (r"\\varnothing(?![a-zA-Z])|\\\{\s*\\\}", r"\\emptyset"),
        (r"(?<=\d)\s*(?:,\s*\\!|\\!\s*,|\{,\})\s*(?=\d{3})", ""),
        (r"\\(?:thinspace|negthinspace|nobreak)(?![a-zA-Z])|\\!", ""),
        (r"\\q?quad|(?<!\\)\\[,;:> \n]|~|\\(?:enspace|hfill)(?![a-zA-Z])", " "),
        (r"\\(?:,|;)", " "),
        (r"\^\s*\{?\s*\\circ\s*\}?|\\degrees?(?![a-zA-Z])", "\N{DEGREE SIGN}"),
        (r"\N{DEGREE SIGN}(?:\s*\\text\{\s*[CF]\s*\}|\s*[CF](?![a-z]))?", " "),
        (r"\{,\}", ","),
        (r"(?<=[\w)])(?:\*\*| \*\* )(?=[\w({-])", "^"),
        (r"\*\*|__", ""),
        (r"\\text\{\s*\}|(?<!\\)\\(?=\d)", ""),
        (r"\\phantom\{[^{}]*\}|\\(?:label|tag)\{[^{}]*\}", ""),
        (r"\\%", "%"),
        (r"(?i)(?<!\s)\s*+(?:\\text\{\s*)?\b(?:percent(?:age)?|pct)\b\.?(?:\s*\})?", "%"),
        (r"(?<!\\)\b(?:infinity|inf)\b", r"\\infty "),
        (r"\s+", " "),
    ]
]  # fmt: skip
_THOUSANDS = re.compile(r"\d{1,3}(?:[, ]\d{3})+")
_TRIGONOMETRY = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)(?![a-zA-Z])")
_DEGREES = re.compile(r"(\d+(?:\.\d+)?)\s*\^\s*\{?\s*\\circ\s*\}?")
# A run is looked at from its start only: from every place of it, long runs would take quadratic time.
_OUTER_PUNCTUATION = re.compile(r"^[\s=:]+|(?<![\s.,;:\\])[\s.,;:\\]+$")
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def has_control_characters(text: str) -> bool:
    """True if the text holds characters that no answer has, such as a NUL."""
    return _CONTROL.search(text) is not None


@lru_cache(maxsize=20_000)
def normalize_answer(answer: str) -> str:
    r"""The answer with one spelling for every notation; two answers with equal results are the same.

    >>> normalize_answer(r"$\left( 3, \dfrac{\pi}{2} \right)$.")
    '( 3, \\frac{\\pi}{2} )'
    """
    if _PLAIN_NUMBER.fullmatch(answer):
        return answer
    text = answer.translate(SIGNS)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if _MATRIX.search(text) is None:
        text = re.sub(r"\\\\(?=[a-zA-Z{}!,;:%$()\[\]])", r"\\", text)
    if _TRIGONOMETRY.search(text):
        text = _DEGREES.sub(r"(\1 \\frac{\\pi}{180})", text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return strip_outer(text)


def strip_outer(text: str) -> str:
    r"""The text without outer white space, closing punctuation and a pair of braces that groups it all.

    >>> strip_outer("{ 1, 2 }.")
    '1, 2'
    """
    previous = None
    while previous != text:
        previous = text
        text = _OUTER_PUNCTUATION.sub("", text)
        if text.startswith("{") and _closes_at(text) == len(text) - 1:
            text = text[1:-1]
    return text


def _closes_at(text: str) -> int:
    depth = 0
    for index, char in enumerate(text):
        if char in "{}" and (index == 0 or text[index - 1] != "\\"):
            depth += 1 if char == "{" else -1
            if depth == 0:
                return index
    return -1


def join_thousands(text: str) -> str:
    """The text with ``1,234`` and ``1 234`` written ``1234``, if all of it is one such number."""
    match = _THOUSANDS.fullmatch(text.removeprefix("-").partition(".")[0])
    return re.sub("[, ]", "", text) if match else text
