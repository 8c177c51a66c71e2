"""The smaller label formats: what a row means."""

import json
from pathlib import Path

import pytest

from stepmark.labeling.formats.reading import merged
from stepmark.labeling.formats.registry import import_labels
from stepmark.labeling.ids import problem_id

from .label_rows import (
    PROCESSBENCH,
    RLHFLOW,
    SHEPHERD,
    STEPMARK,
    TRL,
    chat,
    imported,
    omega,
    ratings,
)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (1, [(0, 1), (1, -1)]),
        (0, [(0, -1)]),
        (2, [(0, 1), (1, 1), (2, -1)]),
        (-1, [(0, 1), (1, 1), (2, 1)]),
    ],
)
def test_processbench_counts_steps_from_0(
    tmp_path: Path, label: int, expected: list[tuple[int, int]]
) -> None:
    """Steps before the first error are right, it is wrong, and later ones have no label; -1 is no error."""
    assert ratings(imported(tmp_path, PROCESSBENCH | {"label": label})) == expected


def test_processbench_keeps_outcome_and_generator(tmp_path: Path) -> None:
    """A right final answer after a wrong step stays a correct outcome; without the field it is unknown."""
    result = imported(
        tmp_path, PROCESSBENCH, {**PROCESSBENCH, "steps": ["x", "y"], "final_answer_correct": None}
    )

    assert [(s.solution, s.outcome, s.generator) for s in result.solutions] == [
        ("a\nb\nb\nc", "correct", "a-model"),
        ("x\ny", None, "a-model"),
    ]
    assert [span.step for span in result.solutions[0].steps] == ["a", "b\nb", "c"]
    assert result.problems[0].ground_truth_answer is None


def test_trl_labels_become_ratings(tmp_path: Path) -> None:
    """True is 1 and false is -1; completions keep their blanks and are joined by newlines."""
    result = imported(tmp_path, TRL)

    assert ratings(result) == [(0, 1), (1, -1)]
    assert result.solutions[0].solution == "a\n b"
    assert {label.label_source for label in result.step_labels} == {"trl"}


def test_math_shepherd_parts_problem_steps_and_signs(tmp_path: Path) -> None:
    """The tags go, the step numbers stay, and the value behind a sign is unknown."""
    result = imported(tmp_path, SHEPHERD)

    assert result.problems[0].problem == "How many?"
    assert result.solutions[0].solution == "Step 1: 3 + 5 = 8.\nStep 2: The answer is: 8"
    assert ratings(result) == [(0, 1), (1, -1)]
    assert {label.value for label in result.step_labels} == {None}


@pytest.mark.parametrize("key", ["messages", "conversations"])
def test_rlhflow_parts_the_first_message_at_step_1(tmp_path: Path, key: str) -> None:
    """Both names of the list are read."""
    result = imported(tmp_path, {key: RLHFLOW["messages"]})

    assert result.problems[0].problem == "How many?"
    assert [span.step for span in result.solutions[0].steps] == [
        "Step 1: 3 + 5 = 8.",
        "Step 2: The answer is 8",
    ]
    assert ratings(result) == [(0, 1), (1, -1)]


def test_rlhflow_parts_the_first_message_after_a_known_problem(tmp_path: Path) -> None:
    """The longest problem that the message begins with counts, white space aside."""
    known = ["How  many\napples? ", "How many"]
    result = imported(tmp_path, chat(("How many apples? There are 3.", "+")), known_problems=known)

    assert problem_id(result.problems[0].problem) == problem_id("How  many\napples?")
    assert result.solutions[0].solution == "There are 3."


def test_omegaprm_trees_become_solutions_of_their_leaves(tmp_path: Path) -> None:
    """Each leaf is a solution; its steps are the pieces between prefixes, with the prefixes' mean values."""
    result = imported(
        tmp_path,
        omega(
            ("How many?", 0.5),
            ("How many?\n\nb", 1.0),
            ("How many?\n\na\n\na2", 0.0),
            ("How many?\n\na", 0.25),
            ("How many?\n\na\n\na3", 1.0),
            ("How many?\n\na", 0.75),
            ("How many?\n\na\n\na33", 1.0),
        ),
    )

    labels = {(label.solution_id, label.step_index): label for label in result.step_labels}
    values = {
        solution.solution: [labels[solution.solution_id, index].value for index in range(len(solution.steps))]
        for solution in result.solutions
    }
    assert values == {"a\na2": [0.5, 0.0], "a\na3": [0.5, 1.0], "a\na33": [0.5, 1.0], "b": [1.0]}
    assert {(label.rating, label.num_rollouts) for label in result.step_labels} == {(None, None)}
    assert result.problems[0].ground_truth_answer == "8"
    assert result.counts["lines"] == result.counts["accepted"] == 1


def test_the_own_format_names_its_label_source(tmp_path: Path) -> None:
    """Ratings, values or both are read; a step with neither has no label."""
    result = imported(
        tmp_path, STEPMARK, STEPMARK | {"label_source": "mc", "values": [0.5, 1], "ratings": None}
    )

    assert [(s.label_source, s.step_index, s.rating, s.value) for s in result.step_labels] == [
        ("ben", 0, 0, None),
        ("mc", 0, None, 0.5),
        ("mc", 1, None, 1.0),
    ]
    assert len(result.solutions) == 1


def test_chunks_hold_each_row_once(tmp_path: Path) -> None:
    """A problem comes with the first chunk that needs it, and the counts add up."""
    path = tmp_path / "labels.jsonl"
    rows = [PROCESSBENCH | {"steps": [f"{index}", "b"]} for index in range(5)]
    path.write_text("\n".join(json.dumps(row) for row in rows))

    chunks = list(import_labels(path, "auto", "test", chunk_lines=2))

    assert [chunk.counts["lines"] for chunk in chunks] == [2, 2, 1]
    assert [len(chunk.problems) for chunk in chunks] == [1, 0, 0]
    assert [len(chunk.solutions) for chunk in chunks] == [2, 2, 1]
    assert chunks[0].problems[0].split == "test"
    assert merged(chunks).counts == {"lines": 5, "accepted": 5, "steps": 10, "step_labels": 10}
