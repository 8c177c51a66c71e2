r"""What a text that states no answer formally mentions last: ``... so Haley has **99** marbles.``

Serves ``stepmark grade``, whose input may be whole replies of a model. The pipeline never guesses: a solution
that states no final answer has none.
"""

import re
import unicodedata

from .final_answers import final_answer, math_segments

_NUMBER = re.compile(
    r"(?<![\w\\{}^_./,])-?\$?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:[.,]\d+)?(?:/\d+)?\s?%?(?![\w{}\\^_/])",
    re.ASCII,
)
_COMMANDS = re.compile(r"\\text\s*\{[^{}]*\}|\\begin\{[^{}]*\}|\\end\{[^{}]*\}|\\[a-zA-Z]+")
_WORDS_OF_FORMULAS = frozenset(
    ("and", "or", "sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "sqrt", "pi")
)
_LAST_LETTER_OF_FORMULAS = 0x05FF
_RULES_OUT = re.compile(
    r"(?:\bnot|n't|\bexcept|\bthan|\bwithout|\bneither|\bnor)(?:\s+\w+)?\s*$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LABEL = re.compile(r"[A-Za-z ]{3,}\s*:\s*-?[\d$]")
_MIN_PROSE_WORDS = 3


def is_prose(text: str) -> bool:
    """True if a text is sentences around an answer rather than an answer."""
    outside = text
    segments = [segment for segment in math_segments(text) if _num_words(segment[2]) <= 1]
    for start, end, _ in reversed(segments):
        outside = outside[:start] + " " + outside[end:]
    num_words = _num_words(outside)
    if num_words >= _MIN_PROSE_WORDS or any(_is_foreign_letter(char) for char in outside):
        return True
    if _LABEL.match(text):
        return True
    return bool(segments) and num_words > 1 and text[: segments[-1][0]].strip() != ""


def _num_words(text: str) -> int:
    return sum(word.lower() not in _WORDS_OF_FORMULAS for word in _WORD.findall(_COMMANDS.sub(" ", text)))


def _is_foreign_letter(char: str) -> bool:
    """True for letters that occur in sentences of other languages, and not in formulas as Greek ones do."""
    if ord(char) > _LAST_LETTER_OF_FORMULAS:
        return unicodedata.category(char) == "Lo"
    return char.isalpha() and "\u00c0" <= char <= "\u024f"


def answer_in(text: str) -> str | None:
    """The answer a text states, else what it mentions last, else the text; None if it is still thinking."""
    stated = final_answer(text)
    if stated is not None and not is_prose(stated):
        return stated
    if "<think>" in text:
        return stated
    if stated is None and not is_prose(text):
        return text
    mentioned = last_mentioned(stated or text)
    return mentioned or stated or text


def last_mentioned(text: str) -> str | None:
    """The last formula or free-standing number of a text, unless the text rules it out ("not 5")."""
    formulas = [
        (end, start, content) for start, end, content in math_segments(text) if _num_words(content) <= 1
    ]
    numbers = [(m.end(), m.start(), m.group().strip()) for m in _NUMBER.finditer(text)]
    found = sorted(formulas + numbers)
    if not found:
        return None
    _, start, content = found[-1]
    return None if is_ruled_out(text, start) else content


def is_ruled_out(text: str, position: int) -> bool:
    """True if the words right before a place deny what stands there: "not 5", "other than (B)"."""
    return _RULES_OUT.search(text[:position]) is not None
