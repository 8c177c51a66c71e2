"""PRM800K, both phases: what its lines mean, on small rows."""

from pathlib import Path

import pytest

from stepmark.labeling.formats.alternatives import AlternativeSolutions
from stepmark.labeling.steps import StepSpan

from .prm800k_rows import imported, row, step


def test_a_phase_1_solution_is_the_path_of_chosen_completions(tmp_path: Path) -> None:
    """The chosen texts are joined by newlines; the others are kept as alternatives."""
    result = imported(
        tmp_path, row(step(("a", -1), ("b", 1), chosen=1), step(("so 2\n\n# Answer\n\n2", 1), ("c", 0)))
    )

    [solution] = result.solutions
    assert solution.solution == "b\nso 2\n\n# Answer\n\n2"
    assert [span.step for span in solution.steps] == ["b", "so 2\n\n# Answer\n\n2"]
    assert solution.final_answer == "2"
    assert (solution.finish_reason, solution.outcome) == (None, None)
    assert [(label.step_index, label.rating, label.value) for label in result.step_labels] == [
        (0, 1, None),
        (1, 1, None),
    ]
    assert [
        (label.step_index, label.alternative_index, label.completion, label.rating, label.chosen)
        for label in result.human_labels
    ] == [
        (0, 0, "a", -1, False),
        (0, 1, "b", 1, True),
        (1, 0, "so 2\n\n# Answer\n\n2", 1, True),
        (1, 1, "c", 0, False),
    ]


def test_a_label_keeps_who_when_and_how_of_its_line(tmp_path: Path) -> None:
    """Every field of the line that describes the rating is a column."""
    [label] = imported(tmp_path, row(step(("2", 1)), generation=7)).human_labels

    assert (label.labeler, label.labeled_at, label.duration_ms) == ("anna", "2022-07-30T23:23:32", 5000)
    assert (label.phase, label.round, label.finish_reason) == (1, 7, "solution")
    assert (label.is_quality_control, label.is_screening, label.flagged) == (False, False, None)
    assert label.is_human_written is False


def test_a_problem_is_stripped_and_its_split_is_the_callers(tmp_path: Path) -> None:
    """The label file knows no split, subject or level."""
    [problem] = imported(tmp_path, row(step(("2", 1)))).problems

    assert problem.problem == "What is $1+1$?"
    assert (problem.source, problem.split, problem.subject, problem.level) == ("prm800k", "train", None, None)
    assert (problem.ground_truth_answer, problem.ground_truth_solution) == ("2", None)


def test_a_human_completion_is_on_the_path_where_none_was_chosen(tmp_path: Path) -> None:
    """It has the index after the others; its null rating is unknown, so its step has no StepLabel."""
    result = imported(tmp_path, row(step(("bad", -1), chosen=None, human="good"), step(("end", 1))))

    assert result.solutions[0].solution == "good\nend"
    assert [(label.step_index, label.rating) for label in result.step_labels] == [(1, 1)]
    written = result.human_labels[1]
    assert (written.completion, written.alternative_index, written.rating) == ("good", 1, None)
    assert (written.is_human_written, written.chosen, written.flagged) == (True, True, False)


def test_a_chosen_completion_goes_before_a_human_one(tmp_path: Path) -> None:
    """Two real steps have both; the half-written human text was not gone on from."""
    result = imported(tmp_path, row(step(("good", 1), human="The powers of x th"), step(("end", 1))))

    assert result.solutions[0].solution == "good\nend"
    assert [(label.completion, label.chosen) for label in result.human_labels][:2] == [
        ("good", True),
        ("The powers of x th", False),
    ]


def test_giving_up_leaves_alternatives_after_the_last_step(tmp_path: Path) -> None:
    """The last step of a give_up line is all null: unrated texts to a step that was never taken."""
    gave_up = row(step(("a", 1)), step(("b", None), ("c", None), chosen=None))
    gave_up["label"]["finish_reason"] = "give_up"

    result = imported(tmp_path, gave_up)

    assert result.solutions[0].solution == "a"
    assert [(label.step_index, label.rating, label.chosen) for label in result.human_labels] == [
        (0, 1, True),
        (1, None, False),
        (1, None, False),
    ]
    assert len(result.step_labels) == 1


def test_a_phase_2_solution_is_whole_and_labeled_up_to_its_error(tmp_path: Path) -> None:
    """The steps after the found error are steps without a label."""
    result = imported(
        tmp_path,
        row(step(("a", 1)), step(("b", -1), ("b2", 1), chosen=None), pre_generated=["a", "b", "c"]),
    )

    assert result.solutions[0].solution == "a\nb\nc"
    assert result.solutions[0].final_answer == "3"
    assert [(label.step_index, label.rating) for label in result.step_labels] == [(0, 1), (1, -1)]
    assert {label.phase for label in result.human_labels} == {2}
    assert result.problems[0].ground_truth_solution == "It is $2$."


def test_equal_texts_with_different_ratings_are_both_kept(tmp_path: Path) -> None:
    """In a phase 2 step the first of them is the pre-generated one."""
    result = imported(tmp_path, row(step(("a", -1), ("a", 0), chosen=None), pre_generated=["a", "b"]))

    assert [label.rating for label in result.human_labels] == [-1, 0]
    assert [label.rating for label in result.step_labels] == [-1]


def test_unknown_keys_and_missing_ones_are_tolerated(tmp_path: Path) -> None:
    """Rebuilt files lack labeler and times and add an error_reason; what lacks is unknown, not a default."""
    line = row(step(("2", 1)))
    for key in ("labeler", "timestamp", "is_quality_control_question", "is_initial_screening_question"):
        del line[key]
    del line["label"]["total_time"]
    line["label"]["steps"][0]["completions"][0]["error_reason"] = "arithmetic"

    [label] = imported(tmp_path, line).human_labels

    assert label.labeler == "unknown"
    assert (label.labeled_at, label.duration_ms) == (None, None)
    assert (label.is_quality_control, label.is_screening) == (None, None)


@pytest.mark.parametrize(
    ("flag", "count"),
    [
        ("is_quality_control_question", "quality_control"),
        ("is_initial_screening_question", "screening"),
    ],
)
def test_questions_that_test_the_labelers_are_kept_out_of_training(
    tmp_path: Path, flag: str, count: str
) -> None:
    """They stay in the human labels, flagged and counted, and give neither step labels nor examples."""
    result = imported(tmp_path, row(step(("a", 1), ("b", -1)), **{flag: True}))

    assert len(result.human_labels) == 2
    assert result.step_labels == []
    assert AlternativeSolutions().of_chunk(result).solutions == []
    assert result.counts[count] == 1


def test_two_labelers_share_a_solution(tmp_path: Path) -> None:
    """Both ratings are kept, and what both say of the solution's own steps, the first labeler's first."""
    first, second = (
        row(step(("a", 1)), step(("b", None))),
        row(step(("a", -1)), step(("b", 0)), labeler="ben"),
    )

    result = imported(tmp_path, first, second)

    assert len(result.problems) == len(result.solutions) == 1
    assert [(label.labeler, label.rating) for label in result.human_labels] == [
        ("anna", 1),
        ("anna", None),
        ("ben", -1),
        ("ben", 0),
    ]
    assert [(label.step_index, label.rating) for label in result.step_labels] == [(0, 1), (0, -1), (1, 0)]


def test_alternatives_are_examples_of_their_own(tmp_path: Path) -> None:
    """A prefix of the path, another next step and its rating; nulls and repeats are left out, and of one with
    two ratings it is told.
    """
    result = imported(
        tmp_path,
        row(
            step(("a", 1)),
            step(("b", 1), (" bad ", -1), ("bad", -1), ("bad", 0), ("b", 0), ("?", None)),
            step(("c", 0), chosen=None),
        ),
    )

    alternatives = AlternativeSolutions()
    given = alternatives.of_chunk(result)

    assert [(one.solution, one.first_step_index, one.steps) for one in given.solutions] == [
        ("a\nbad", 1, (StepSpan(2, 5, "bad"),)),
        ("a\nb\nc", 2, (StepSpan(4, 5, "c"),)),
    ]
    said = [(one.step_index, one.rating) for one in given.rated_alternatives]
    assert said == [(1, -1), (1, -1), (1, 0), (2, 0)]
