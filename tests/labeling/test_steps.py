"""Splitting solutions into steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepmark.labeling.steps import join_steps, spans_at, split_steps


@given(st.text(alphabet="ab \n\r\t"))
def test_spans_rejoin_to_the_solution_exactly(solution: str) -> None:
    """Not a character is lost, whatever the white space; only a blank solution has no steps."""
    spans = split_steps(solution)

    rejoined = "".join(solution[span.char_start : span.char_end] for span in spans)
    assert rejoined == (solution if solution.strip() else "")
    assert all(span.step for span in spans)


def test_blank_lines_are_not_steps() -> None:
    """Blank lines belong to the step before them, leading ones to the first."""
    spans = split_steps("\n\nx = 1\n\n\ny = 2\n")

    assert [(span.char_start, span.char_end, span.step) for span in spans] == [
        (0, 10, "x = 1"),
        (10, 16, "y = 2"),
    ]


def test_a_given_step_with_a_newline_stays_one_step() -> None:
    """Steps that come from a file keep their own newlines."""
    text, spans = join_steps(["first\nstill first", "second"])

    assert text == "first\nstill first\nsecond"
    assert [text[span.char_start : span.char_end] for span in spans] == ["first\nstill first\n", "second"]


def test_bounds_that_do_not_cover_the_solution_are_refused() -> None:
    """A gap at the end would lose text without a word."""
    with pytest.raises(ValueError, match="do not cover"):
        spans_at("abc", [0, 2])
