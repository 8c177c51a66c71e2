"""Problem files: rows, folders and tables of the published shapes, and rows that are refused."""

import json
from pathlib import Path

import polars as pl
import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.math import read_problems

from .problem_rows import MATH, REDRAWN, Row, only, problem_counts, write


def test_a_row_of_math_becomes_a_problem(tmp_path: Path) -> None:
    """The text is stripped, the level is a number, the answer is the last box with its nested braces."""
    problem = only(write(tmp_path / "rows.jsonl", MATH))

    assert (problem.problem, problem.level, problem.subject) == ("How many?", 3, "Algebra")
    assert problem.ground_truth_answer == "\\frac{1}{2}"
    assert problem.ground_truth_solution == "First $\\boxed{1}$, no: $\\boxed{\\frac{1}{2}}$."
    assert (problem.source, problem.split) == ("math", "train")


def test_a_row_of_the_redrawn_split_keeps_its_answer(tmp_path: Path) -> None:
    """A given answer goes before the box; subject and level come under other names and types."""
    problem = only(write(tmp_path / "rows.jsonl", REDRAWN | {"answer": " 2.0 "}))

    assert (problem.ground_truth_answer, problem.subject, problem.level) == ("2.0", "Prealgebra", 1)


def test_a_row_of_gsm8k_is_question_and_worked_answer(tmp_path: Path) -> None:
    """What follows the hashes is the answer; the whole text is the solution."""
    row = {"question": "How many?", "answer": "9 * 2 = <<9*2=18>>18\n#### 1,018"}

    problem = only(write(tmp_path / "rows.jsonl", row))

    assert problem.ground_truth_answer == "1,018"
    assert problem.ground_truth_solution == "9 * 2 = <<9*2=18>>18\n#### 1,018"
    assert (problem.subject, problem.level) == (None, None)


@pytest.mark.parametrize(
    ("level", "expected"), [("Level 5", 5), (4, 4), ("2", 2), ("Level ?", None), ("?", None), (None, None)]
)
def test_levels_come_in_several_writings(tmp_path: Path, level: object, expected: int | None) -> None:
    """An unknown level is null, not a number."""
    assert only(write(tmp_path / "rows.jsonl", MATH | {"level": level})).level == expected


@pytest.mark.parametrize("solution", ["so $\\boxed{}$ remain.", "no box at all", ""])
def test_a_problem_without_an_answer_is_kept_and_counted(tmp_path: Path, solution: str) -> None:
    """Two published solutions have an empty box: the problems can be labeled, only not graded."""
    problems, rejects = read_problems(
        write(tmp_path / "rows.jsonl", MATH | {"solution": solution, "answer": " "}), "math", "train"
    )

    assert problems[0].ground_truth_answer is None
    assert problem_counts(problems, rejects) == {
        "problems": 1,
        "rejected": 0,
        "train": 1,
        "level_unknown": 0,
        "subject_unknown": 0,
        "ground_truth_answer_unknown": 1,
        "ground_truth_solution_unknown": int(solution == ""),
    }


def test_a_folder_of_json_is_read_with_the_split_of_its_name(tmp_path: Path) -> None:
    """MATH as published: one problem a file, under train or test and the subject."""
    for split, name, text in [("train", "10", "c"), ("train", "2", "b"), ("test", "1", "a")]:
        path = tmp_path / "MATH" / split / "algebra" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(MATH | {"problem": text}, indent=4))
    (tmp_path / "MATH" / "README.md").write_text("not a problem")

    problems, rejects = read_problems(tmp_path / "MATH", "math")

    assert [(problem.problem, problem.split) for problem in problems] == [
        ("a", "test"),
        ("b", "train"),
        ("c", "train"),
    ]
    assert rejects == []
    assert only(tmp_path / "MATH" / "test" / "algebra", None).split == "test"


def test_parquet_is_read_with_its_nulls(tmp_path: Path) -> None:
    """A table of contest problems has whole numbers for answers and lacks the other columns."""
    path = tmp_path / "test.parquet"
    pl.DataFrame({"question": ["one?", "two?", None], "answer": [1, None, 3]}).write_parquet(path)

    problems, rejects = read_problems(path, "contest")

    assert [(problem.problem, problem.ground_truth_answer) for problem in problems] == [
        ("one?", "1"),
        ("two?", None),
    ]
    assert [(item.line, item.reason) for item in rejects] == [(3, "question is None, not text")]


def test_a_parquet_file_s_name_is_no_pattern(tmp_path: Path) -> None:
    """A file that its name would match as a pattern is not read with it."""
    for name, question in (("w?.parquet", "one?"), ("wx.parquet", "two?")):
        pl.DataFrame({"question": [question], "answer": [1]}).write_parquet(tmp_path / name)

    problems, _ = read_problems(tmp_path / "w?.parquet", "contest", "train")

    assert [problem.problem for problem in problems] == ["one?"]


def test_a_file_that_is_no_parquet_is_an_input_error(tmp_path: Path) -> None:
    """The message names the file."""
    write(tmp_path / "rows.parquet", MATH)

    with pytest.raises(InputError, match=r"rows\.parquet: cannot be read as Parquet"):
        read_problems(tmp_path / "rows.parquet", "math", "train")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"level": "Level 1"}, "question is missing, not text"),
        (MATH | {"problem": ""}, "problem is blank"),
        (MATH | {"problem": 7}, "problem is 7, not text"),
        (MATH | {"solution": ["x"]}, "solution is ['x'], not text"),
        (MATH | {"level": 6}, 'level is 6, not 1 to 5, "Level 1" to "Level 5", or "Level ?"'),
        (MATH | {"split": "validation"}, "split is 'validation', not train or test"),
    ],
)
def test_a_row_that_is_no_problem_is_refused(tmp_path: Path, row: Row, reason: str) -> None:
    """The rows around it are read."""
    path = write(tmp_path / "train.jsonl", MATH | {"problem": "a"}, row, MATH | {"problem": "b"})

    problems, rejects = read_problems(path, "math")

    assert [problem.problem for problem in problems] == ["a", "b"]
    assert [(item.file, item.line, item.reason) for item in rejects] == [(str(path), 2, reason)]
    assert rejects[0].raw == json.dumps(row)


def test_an_empty_folder_is_an_input_error(tmp_path: Path) -> None:
    """Nothing read is a mistake in the path, not an empty data set."""
    with pytest.raises(InputError, match="the folder holds no problem file"):
        read_problems(tmp_path, "math")


@pytest.mark.parametrize("text", ["", "\n\n", "[]"])
def test_a_file_of_nothing_is_an_input_error(tmp_path: Path, text: str) -> None:
    """It is told apart from a file whose rows are refused, which counts them."""
    path = tmp_path / "problems.jsonl"
    path.write_text(text)

    with pytest.raises(InputError, match=r"problems.jsonl: there is no problem in it"):
        read_problems(path, "math", "train")
