"""Reading answers: what a reply states, what a choice settles on, structure and spelling."""

import pytest

from stepmark.labeling.grading.equivalence import decide, spelling_of
from stepmark.labeling.grading.reading.answers import read_answer
from stepmark.labeling.grading.reading.nodes import (
    Based,
    Brackets,
    Items,
    Matrix,
    Named,
    Relation,
    Scalar,
    Words,
)
from stepmark.labeling.grading.reading.normalize import normalize_answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (r"Therefore $x = \boxed{12}$.", "equal"),
        ("The answer is: 12", "equal"),
        ("So Haley has **12** marbles in all.", "equal"),
        ("Let's see: it's 10, no, there are 12 of them", "equal"),
        ("#### 12", "equal"),
        (r"first \boxed{12}, but no: \boxed{13}", "different"),
        ("it is surely not 12", "different"),
        ("<think> I think it is 12", "unparsable"),
    ],
)
def test_a_whole_reply_is_searched_for_its_answer(answer: str, expected: str) -> None:
    """``stepmark grade`` takes whole replies: a stated answer counts first, the last mention second."""
    assert decide("12", answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("D", "equal"),
        ("(D)", "equal"),
        (r"\text{D}", "equal"),
        ("D. it can't be A or B", "equal"),
        ("The answer is for sure D, it can't be A or B", "equal"),
        ("It's not D because it makes no sense, so I think it's C", "different"),
        ("(C) the fourth", "different"),
        ("D and E", "different"),
    ],
)
def test_the_letter_of_a_choice_is_found(answer: str, expected: str) -> None:
    """A letter with its text, or in a sentence that settles on one."""
    assert decide("D", answer) == expected


def test_answers_are_taken_apart() -> None:
    """The structure decides what may be reordered and what a bracket means."""
    assert read_answer("1, 2") == Items((Scalar("1"), Scalar("2")))
    assert read_answer("(1, 2]") == Brackets("(", "]", (Scalar("1"), Scalar("2")))
    assert read_answer("x = 5") == Named("x", Scalar("5"))
    assert read_answer("x + y = 5") == Relation(("x + y", "5"), ("=",))
    assert read_answer(r"7\text{ cm}") == Scalar("7", unit="cm")
    assert read_answer("84%") == Scalar("84", is_percent=True)
    assert read_answer("204_5") == Based("204", "5")
    assert read_answer(r"\text{two lines}") == Words("two lines")
    assert read_answer(r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}") == Matrix(((Scalar("1"),), (Scalar("2"),)))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (r"$\left( 3, \dfrac{\pi}{2} \right)$.", r"( 3, \frac{\pi}{2} )"),
        ("32,\\! 349", "32349"),
        ("(\N{MINUS SIGN}\N{INFINITY}, 5]", r"(-\infty , 5]"),
        (r"\\left(\\frac{1}{5}\\right)", r"(\frac{1}{5})"),
        ("2**3", "2^3"),
        ("{ 1, 2 }.", "1, 2"),
        ("185\\", "185"),
        (r"\begin{pmatrix}1 & 2 \\3 & 4\end{pmatrix}", r"\begin{pmatrix}1 & 2 \\3 & 4\end{pmatrix}"),
    ],
)
def test_notation_has_one_spelling(answer: str, expected: str) -> None:
    """Delimiters, commands, Unicode, Markdown; the rows of a matrix stay."""
    assert normalize_answer(answer) == expected


def test_spaces_between_numbers_keep_their_meaning() -> None:
    """One and a half is not eleven halves, and an answer that says nothing has no spelling."""
    assert spelling_of("1 1/2") != spelling_of("11/2")
    assert spelling_of("( 1 , 2 )") == spelling_of("(1,2)")
    assert spelling_of("$$") is None
