r"""Units and other words behind a number: ``10\text{ cm}``, ``5 apples``, ``45 mph``.

A unit is dropped before numbers are compared, as the problem fixes it; two known units that differ make
answers different. Leaves out: converting units, so 1 m and 100 cm are different answers.
"""

import re

_KNOWN = {
    "mm": "millimeter millimetre mm", "cm": "centimeter centimetre cm", "m": "meter metre",
    "km": "kilometer kilometre km", "in": "inch inches in", "ft": "foot feet ft", "yd": "yard yd",
    "mi": "mile mi", "s": "second sec", "min": "minute min", "h": "hour hr", "day": "day", "week": "week wk",
    "month": "month", "year": "year yr", "g": "gram gm", "kg": "kilogram kg", "lb": "pound lb",
    "oz": "ounce oz", "dollar": "dollar usd buck", "cent": "cent", "euro": "euro", "l": "liter litre",
    "ml": "milliliter millilitre ml", "gal": "gallon gal", "mph": "mph", "kmh": "kmh kph",
    "rad": "radian rad", "deg": "degree deg", "acre": "acre",
}  # fmt: skip
_CANONICAL = {word: unit for unit, words in _KNOWN.items() for word in words.split()}
_FUNCTIONS = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "log", "exp", "lim", "max", "gcd", "lcm", "mod", "det",
    "arcsin", "arccos", "arctan",
})  # fmt: skip
_CLOCK_WORDS = re.compile(r"\b[ap]\.?\s?m\b\.?", re.IGNORECASE)
_BODY_END = r"(?P<body>.*[\d})!])"
_TEXT_UNIT = re.compile(
    _BODY_END + r"\s*\\text\s*\{(?P<words>[^{}]*)\}\s*(?:\^\s*\{?\s*(?P<power>[23])\s*\}?)?"
)
_PLAIN_UNIT = re.compile(
    _BODY_END
    + r"(?P<gap>\s*)(?P<words>[A-Za-z]+\.?(?:[ /]+[A-Za-z]+\.?)*)\s*(?:\^\s*\{?\s*(?P<power>[23])\s*\}?)?"
)
_SINGLE_LETTERS = frozenset("msgLh")
_MIN_WORD_LETTERS = 3


def split_unit(text: str) -> tuple[str, str | None]:
    r"""The text without words behind its number, and the canonical unit if it is a known one.

    >>> split_unit(r"440\text{ cm}^2"), split_unit("7 apples"), split_unit("3x")
    (('440', 'cm^2'), ('7', None), ('3x', None))
    """
    for pattern, is_unit in ((_TEXT_UNIT, _is_text_unit), (_PLAIN_UNIT, _is_plain_unit)):
        match = pattern.fullmatch(text)
        if match and is_unit(match):
            return match["body"].rstrip(), _canonical(match["words"], match["power"])
    return text, None


def _is_text_unit(match: re.Match[str]) -> bool:
    words = match["words"]
    return not _CLOCK_WORDS.search(words) and not re.search(r"\d", words) and not match["body"].endswith("_}")


def _is_plain_unit(match: re.Match[str]) -> bool:
    found = re.findall("[A-Za-z]+", match["words"])
    if _CLOCK_WORDS.search(match["words"]) or any(word.lower() in _FUNCTIONS for word in found):
        return False
    if _base_unit(match["words"]) is not None and len(found[0]) > 1:
        return True
    if not match["gap"]:
        return False
    if len(found) == 1 and found[0] in _SINGLE_LETTERS:
        return match["body"].isdigit()
    return len(found[0]) >= _MIN_WORD_LETTERS and found[0].islower()


def _base_unit(words: str) -> str | None:
    last = re.sub(r"[^a-z]", " ", words.lower()).split()[-1:]
    if not last:
        return None
    return next((_CANONICAL[form] for form in (last[0], last[0][:-1]) if form in _CANONICAL), None)


def _canonical(words: str, power: str | None) -> str | None:
    spelled = words.strip()
    if spelled in _SINGLE_LETTERS:
        base: str | None = spelled.lower()
    else:
        base = _base_unit(words)
    if base is None or re.search(r"\bper\b|/", words):
        return None
    lowered = words.lower()
    if re.search(r"\bsq(?:uare)?\b", lowered):
        power = "2"
    elif re.search(r"\bcu(?:bic)?\b", lowered):
        power = "3"
    return base if power is None else f"{base}^{power}"
