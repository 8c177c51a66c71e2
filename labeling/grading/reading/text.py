r"""Reading text: words, names in capitals, number words, times of day and numerals with a base.

Leaves out: lists of words, and units behind a number (``units``).
"""

import re

from .nodes import Based, Scalar, Words

_CLOCK = re.compile(r"(\d{1,2}(?::\d\d)*)\s*(?:\\text\s*\{)?\s*([ap])\.?\s?m\.?\s*\}?", re.IGNORECASE)
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_BASED = re.compile(r"(?:\\text\s*\{\s*)?([0-9A-Z]+(?:\.[0-9A-Z]+)?)(?:\s*\})?\s*_\s*\{?\s*(\d{1,2})\s*\}?")
_WORD = re.compile(r"[A-Za-z]+")
_WORDS_ONLY = re.compile(r"[A-Za-z0-9\s.'()?!-]+")
_SHORT_WORDS = frozenset({
    "odd", "even", "yes", "no", "all", "any", "none", "one", "two", "six", "ten", "may", "mon", "tue",
    "wed", "thu", "fri", "sat", "sun", "true", "dne",
})  # fmt: skip
_FUNCTION_NAMES = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "log", "exp", "sqrt", "arcsin", "arccos", "arctan", "sinh",
    "cosh", "tanh", "pi",
})  # fmt: skip
_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SMALL_NUMBERS.split())}
_MIN_WORD_LETTERS = 4


def without_text_command(text: str) -> str:
    r"""The text with the content of ``\text{...}`` in its place."""
    return _TEXT.sub(r"\1", text)


def read_clock(text: str) -> Words | None:
    """A time of day, ``08:34 p.m.``, in one spelling, or None if the text is none."""
    clock = _CLOCK.fullmatch(text)
    return Words(f"{clock[1].lstrip('0')}{clock[2].lower()}m") if clock else None


def read_numeral(text: str) -> Based | None:
    """A numeral with its base, ``204_5``, or None if the text is none."""
    based = _BASED.fullmatch(text)
    if based and all(int(digit, 36) < int(based[2]) for digit in based[1].replace(".", "")):
        return Based(based[1].lstrip("0") or "0", based[2])
    return None


def read_phrase(text: str) -> Words | Scalar | None:
    """Words, or the number they spell out; None if the text is an expression."""
    if not _WORDS_ONLY.fullmatch(text) or not _holds_word(text):
        return None
    phrase = read_words(text)
    return Scalar(_NUMBER_WORDS[phrase.words]) if phrase.words in _NUMBER_WORDS else phrase


def read_words(text: str) -> Words:
    """Text in one spelling: outer punctuation gone, lower case unless it is a name in capitals."""
    plain = " ".join(without_text_command(text).split())
    plain = re.sub(r"[().?!]", "", plain).strip()
    return Words(plain if plain.isupper() and " " not in plain else plain.lower())


def _holds_word(text: str) -> bool:
    """True if a text of letters and digits holds a word or name, and is no expression or counted thing."""
    if re.match(r"\s*[\d(]*\d", text):
        return False
    return any(
        len(word) >= _MIN_WORD_LETTERS
        or word.lower() in _SHORT_WORDS
        or (len(word) > 1 and not word.islower())
        for word in _WORD.findall(text)
        if word not in _FUNCTION_NAMES
    )
