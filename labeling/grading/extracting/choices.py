r"""The letter of a multiple-choice answer: ``(D) Alina``, ``the answer is B``.

Leaves out: what the letter stands for; a grader does not see the question.
"""

import re

from .prose import is_prose, is_ruled_out

_TEXT_COMMAND = re.compile(r"\\text[a-z]*\s*\{([^{}]*)\}")
_NO_SECOND = r"(?!\s*(?:,|&|and\b|or\b)\s*\(?[A-J]\b)"
_CHOICE_STATED = re.compile(rf"\banswer\b[^.\n]{{0,40}}?(?<![A-Za-z])\(?([A-J])\)?(?![A-Za-z]){_NO_SECOND}")
_CHOICE_FIRST = re.compile(rf"\s*(?:\*\*)?(?:\(([A-J])\)|([A-J])[.):。])(?:\*\*)?{_NO_SECOND}(?:\s|$)")
_CHOICE_ALONE = re.compile(r"(?<![A-Za-z\\])\(?([A-J])\)?(?![A-Za-z'])")
_CHOICE_WITH_TEXT = re.compile(r"\(([A-J])\)\s+[A-Za-z].*|([A-J])[.):]?\s+[A-Z][a-z].*", re.DOTALL)
_LETTER_ONLY = re.compile(r"\(?([A-J])\)?")


def only_letter(text: str) -> str | None:
    """The letter of a text that is nothing but a letter, in parentheses or not.

    >>> only_letter("(B)"), only_letter("B2")
    ('B', None)
    """
    match = _LETTER_ONLY.fullmatch(text)
    return match[1] if match else None


def letter_with_text(text: str) -> str | None:
    """The letter of a choice written with its text, ``(D) Alina``, or None if the text is no such choice."""
    match = None if _names_several(text) else _CHOICE_WITH_TEXT.fullmatch(text.strip())
    return (match[1] or match[2]) if match else None


def chosen_letter(text: str) -> str | None:
    """The letter of a multiple-choice answer that a text settles on, or None."""
    if _names_several(text):
        return None
    first = _CHOICE_FIRST.match(text)
    if first:
        return first[1] or first[2]
    stated = _CHOICE_STATED.search(text)
    if stated:
        return stated[1]
    alone = [m for m in _CHOICE_ALONE.finditer(text) if not is_ruled_out(text, m.start())]
    return alone[-1][1] if alone and is_prose(text) else None


def plain_text(text: str) -> str:
    r"""The text with the content of ``\text{...}`` in its place."""
    return _TEXT_COMMAND.sub(r"\1", text)


def _names_several(text: str) -> bool:
    return len(set(_CHOICE_ALONE.findall(text))) > 1 and not is_prose(text)
