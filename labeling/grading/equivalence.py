r"""Whether an answer is the ground-truth answer, written differently.

Both sides are normalised, taken apart and compared piece by piece with exact arithmetic. Where that cannot
tell, an ``Algebra`` is asked; without one the pair stays undecided (None), which is how the calling process
and the killable worker share this code. Leaves out: time limits, which ``pool`` and ``worker`` keep.
"""

import re

from stepmark.labeling.grading.comparing.algebra import Algebra
from stepmark.labeling.grading.comparing.comparison import Comparison
from stepmark.labeling.grading.extracting.choices import (
    chosen_letter,
    letter_with_text,
    only_letter,
    plain_text,
)
from stepmark.labeling.grading.extracting.final_answers import final_answer, joined_boxes
from stepmark.labeling.grading.extracting.prose import answer_in
from stepmark.labeling.grading.reading.answers import MAX_ANSWER_CHARS, read_answer
from stepmark.labeling.grading.reading.brackets import depths
from stepmark.labeling.grading.reading.nodes import Braces, Items, Node, Scalar, Union
from stepmark.labeling.grading.reading.normalize import has_control_characters, normalize_answer, strip_outer
from stepmark.labeling.vocabulary import DIFFERENT, EQUAL, UNPARSABLE, Verdict

_MAX_TEXT_CHARS = 200_000
_MAX_SHORT_CHARS = 1_000  # some regular expressions take quadratic time, which is nothing up to here
_MAX_NESTING = 30
_ANSWER_WORD = re.compile(
    r"(?<!\s)\s*+(?:the\s+)?(?:final\s+)?answer\s*+(?:is|:)?\s*+(?=[^a-zA-Z\s])", re.IGNORECASE
)
_EMPTY_COMMANDS = re.compile(r"\\(?:boxed|fbox|text|begin|end|frac|sqrt)(?![a-zA-Z])")
_CONTENT = re.compile(r"\w")
_DECIMAL_COMMA = re.compile(r"-?\d+,(?:\d{1,2}|\d{4,})")
_DECIMAL_POINT = re.compile(r"-?\d*\.\d+")
_PLAIN_NUMBER = re.compile(r"-?\d+")


def decide_with_algebra(ground_truth: str, answer: str | None) -> Verdict:
    r"""The verdict, with computer algebra where needed. May never return: call it in a process to be killed.

    >>> decide_with_algebra(r"\frac{1}{2}", "0.5")
    'equal'
    >>> decide_with_algebra("2", "12"), decide_with_algebra("2", "")
    ('different', 'unparsable')
    """
    # Importing SymPy takes a second, which most answers need not wait for.
    from stepmark.labeling.grading.comparing.sympy_algebra import SympyAlgebra  # noqa: PLC0415

    return decide(ground_truth, answer, SympyAlgebra()) or DIFFERENT


def decide(ground_truth: str, answer: str | None, algebra: Algebra | None = None) -> Verdict | None:
    """The verdict; without algebra it comes quickly, and is None where exact comparison cannot tell.

    It is None for long texts as well: what takes long is left to a process that can be killed.
    """
    if answer is None or len(answer) > _MAX_TEXT_CHARS or has_control_characters(answer):
        return UNPARSABLE
    if algebra is None and not (_is_short(ground_truth) and _is_short(answer)):
        return None
    if _has_content(_spelling(answer)) and _spelling(ground_truth) == _spelling(answer):
        return EQUAL
    truth_text = _answer_in_ground_truth(ground_truth, answer)
    given = _prepared(_answer_to_compare(truth_text, answer) or "")
    if not _is_answer(given):
        return UNPARSABLE
    return _verdict(_prepared(truth_text), given, algebra)


def _verdict(truth: str, given: str, algebra: Algebra | None) -> Verdict | None:
    if _spelling(truth) == _spelling(given) or _same_decimal_comma(truth, given):
        return EQUAL
    given_node = read_answer(given)
    is_equal = Comparison(algebra).equal(read_answer(truth), given_node)
    if is_equal is not None:
        return EQUAL if is_equal else DIFFERENT
    if algebra is None:
        return None
    return DIFFERENT if _is_readable(given_node, algebra) else UNPARSABLE


def spelling_of(answer: str) -> str | None:
    """A key under which answers written alike meet; None for an answer without content.

    The key of a long text is the text itself.
    """
    spelling = _spelling(answer) if _is_short(answer) else answer
    return spelling if _has_content(spelling) and not has_control_characters(answer) else None


def _is_short(text: str) -> bool:
    return len(text) <= _MAX_SHORT_CHARS or _PLAIN_NUMBER.fullmatch(text) is not None


def _spelling(text: str) -> str:
    # Spaces between letters or digits carry meaning: 1 1/2 is not 11/2.
    return re.sub(r"(?<!\w)\s+|\s+(?!\w)", "", normalize_answer(text))


def _has_content(text: str) -> bool:
    return _CONTENT.search(_EMPTY_COMMANDS.sub("", text)) is not None


def _is_answer(text: str) -> bool:
    if not _has_content(text):
        return False
    return _PLAIN_NUMBER.fullmatch(text) is not None or (
        len(text) <= MAX_ANSWER_CHARS and max(depths(text)) <= _MAX_NESTING
    )


def _prepared(text: str) -> str:
    return strip_outer(normalize_answer(_ANSWER_WORD.sub("", text, count=1)))


def _answer_in_ground_truth(ground_truth: str, answer: str) -> str:
    """The answer in a ground truth, which may be a whole solution but is not searched for mere mentions."""
    boxes = joined_boxes(ground_truth)
    if len(boxes) > 1 and isinstance(read_answer(_prepared(answer_in(answer) or "")), Items | Braces):
        return ", ".join(boxes)
    return final_answer(ground_truth) or ground_truth


def _answer_to_compare(ground_truth: str, answer: str) -> str | None:
    """The answer in a text, of the kind the ground truth is: the letter of a choice, a list, or any other."""
    truth = plain_text(_prepared(ground_truth))
    truth_letter = only_letter(truth) or letter_with_text(truth)
    if truth_letter is not None:
        alone = only_letter(plain_text(_prepared(answer)))
        choice = alone or letter_with_text(plain_text(answer)) or chosen_letter(answer)
        if choice is not None:
            return ground_truth if choice == truth_letter else choice
    boxes = joined_boxes(answer)
    if len(boxes) > 1 and isinstance(read_answer(truth), Items | Braces | Union):
        return ", ".join(boxes)
    return answer_in(answer)


def _same_decimal_comma(truth: str, given: str) -> bool:
    """``1,22`` is 1.22 when the other side is a decimal number."""
    for comma, point in ((truth, given), (given, truth)):
        if _DECIMAL_COMMA.fullmatch(comma) and _DECIMAL_POINT.fullmatch(point):
            return comma.replace(",", ".") == point
    return False


def _is_readable(node: Node, algebra: Algebra) -> bool:
    if isinstance(node, Scalar):
        return algebra.can_read(node.latex)
    return not isinstance(node, Items | Braces) or all(_is_readable(item, algebra) for item in node.items)
