"""Lines of PRM800K that are refused, each with its place, and lines that repeat or contradict another."""

from pathlib import Path
from typing import Any

import pytest

from .prm800k_rows import Row, imported, row, step


def test_a_time_of_less_than_0_is_refused(tmp_path: Path) -> None:
    """No format takes one."""
    line = row(step(("2", 1)))
    line["label"]["total_time"] = -5
    result = imported(tmp_path, line)

    assert [item.reason for item in result.rejects] == ["label.total_time is -5, and no time is less than 0"]


@pytest.mark.parametrize("chunk_lines", [1, 1000])
def test_a_line_that_repeats_another_is_a_duplicate(tmp_path: Path, chunk_lines: int) -> None:
    """It is reported with the line it repeats, whether or not that was in the same chunk."""
    result = imported(tmp_path, row(step(("a", 1))), row(step(("a", 1))), chunk_lines=chunk_lines)

    assert [(item.line, item.reason) for item in result.duplicates] == [
        (2, "duplicate of line 1: the same labels")
    ]
    assert (result.counts["lines"], result.counts["accepted"], result.counts["duplicates"]) == (2, 1, 1)
    assert len(result.human_labels) == 1


def test_a_labeler_who_changes_their_mind_is_refused(tmp_path: Path) -> None:
    """One labeler has one rating of a step; the second line is refused, not merged."""
    result = imported(tmp_path, row(step(("a", 1))), row(step(("a", 0))))

    assert [(item.line, item.reason) for item in result.rejects] == [
        (2, "anna rated this solution differently in line 1; the first rating stays")
    ]


def refused(line: Row, path: str, value: object) -> Row:
    """The line with the value at this path of keys and indices replaced."""
    target: Any = line
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    for part in parents:
        target = target[part]
    target[last] = value
    return line


FIRST, GENERATED = "label.steps[0]", "question.pre_generated_steps"

NO_RATING, NO_BOOL = "not -1, 0, 1 or null", "not true, false or null"

NO_INT, STEPS_FOLLOW = "not a whole number or null", "although steps follow it"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("question", None, "question is None, not an object"),
        ("question/problem", " ", "question.problem is blank"),
        ("question/ground_truth_answer", 2, "question.ground_truth_answer is 2, not text"),
        ("label/steps", {}, "label.steps is {}, not a list"),
        ("label/steps", [], "label.steps is empty: nothing is rated"),
        ("label/steps/0", "a", "label.steps[0] is 'a', not an object"),
        ("label/steps/0/completions", [], f"{FIRST}.chosen_completion is 0, but there are 0 completions"),
        ("label/steps/0/completions/0", "a", f"{FIRST}.completions[0] is 'a', not an object"),
        ("label/steps/0/completions/0/text", "", f"{FIRST}.completions[0].text is blank"),
        ("label/steps/0/completions/0/rating", 2, f"{FIRST}.completions[0].rating is 2, {NO_RATING}"),
        ("label/steps/0/completions/0/rating", True, f"{FIRST}.completions[0].rating is True, {NO_RATING}"),
        ("label/steps/0/completions/0/flagged", 0, f"{FIRST}.completions[0].flagged is 0, {NO_BOOL}"),
        (
            "label/steps/0/chosen_completion",
            1,
            f"{FIRST}.chosen_completion is 1, but there are 1 completions",
        ),
        ("label/steps/0/chosen_completion", "0", f"{FIRST}.chosen_completion is '0', {NO_INT}"),
        ("label/steps/0/chosen_completion", None, f"{FIRST} has no chosen completion {STEPS_FOLLOW}"),
        ("question/pre_generated_steps", ["a"], "label.steps has 2 entries for 1 pre-generated steps"),
        ("question/pre_generated_steps", ["a", "x"], f"label.steps[1] rates other texts than {GENERATED}[1]"),
        ("question/pre_generated_steps", ["a", ""], f"{GENERATED}[1] is '', not the text of a step"),
    ],
)
def test_a_line_that_cannot_be_understood_is_refused_with_the_place(
    tmp_path: Path, path: str, value: object, reason: str
) -> None:
    """The reason names the field as a path, and the value."""
    line = refused(row(step(("a", 1)), step(("b", 1))), path, value)

    result = imported(tmp_path, row(step(("first", 1))), line)

    assert [(item.line, item.reason) for item in result.rejects] == [(2, reason)]
    assert (result.counts["accepted"], result.counts["rejected"]) == (1, 1)


def test_a_line_without_any_taken_step_is_refused(tmp_path: Path) -> None:
    """Twelve real lines consist of unrated texts for a first step."""
    result = imported(tmp_path, row(step(("a", None), ("b", None), chosen=None)))

    assert [item.reason for item in result.rejects] == [
        "no step was chosen or written: there is no solution to label"
    ]
