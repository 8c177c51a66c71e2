"""Problem files: the published shapes, splits that are told, inferred and in doubt, and the real data."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.math import read_problems
from stepmark.labeling.records import Problem, Reject

Row = dict[str, Any]
MATH: Row = {
    "problem": "  How many? ",
    "level": "Level 3",
    "type": "Algebra",
    "solution": "First $\\boxed{1}$, no: $\\boxed{\\frac{1}{2}}$.\n",
}
REDRAWN: Row = {
    "problem": "What is $1+1$?",
    "solution": "It is $\\boxed{2}$.",
    "answer": "2",
    "subject": "Prealgebra",
    "level": 1,
    "unique_id": "test/prealgebra/7.json",
}


def write(path: Path, *rows: Row) -> Path:
    """These rows as JSON Lines at the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def only(path: Path, split: str | None = "train") -> Problem:
    """The one problem that the file holds."""
    [problem], rejects = read_problems(path, "math", split)
    assert rejects == []
    return problem


def problem_counts(problems: list[Problem], rejects: list[Reject]) -> dict[str, int]:
    """What was read, and how often a field is not known."""
    counts = Counter({"problems": len(problems), "rejected": len(rejects)})
    counts.update(problem.split for problem in problems)
    for name in ("level", "subject", "ground_truth_answer", "ground_truth_solution"):
        counts[f"{name}_unknown"] = sum(getattr(problem, name) is None for problem in problems)
    return dict(counts)


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


@pytest.mark.parametrize(
    ("name", "row", "split"),
    [
        ("rows.jsonl", MATH | {"split": "test"}, "test"),
        ("rows.jsonl", MATH | {"unique_id": "test/algebra/1.json"}, "test"),
        ("math_train_7500.jsonl", MATH, "train"),
        ("math-test.jsonl", MATH | {"unique_id": "test/algebra/1.json"}, "test"),
        ("latest_training.jsonl", MATH | {"unique_id": "train/algebra/1.json"}, "train"),
        ("test/algebra/1.json", MATH, "test"),
        ("prm800k_split_train.jsonl", REDRAWN, "train"),
        ("test.jsonl", REDRAWN, "test"),
    ],
)
def test_the_split_is_inferred_from_row_name_and_id(tmp_path: Path, name: str, row: Row, split: str) -> None:
    """Words of names count, parts of words do not; the ids of the redrawn split do not count."""
    assert only(write(tmp_path / name, row), None).split == split


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("rows.jsonl", MATH, "nothing says whether this is for training or test"),
        ("rows.jsonl", REDRAWN, "nothing says whether this is for training or test"),
        ("train_and_test.jsonl", MATH, "nothing says whether this is for training or test"),
        (
            "train.jsonl",
            MATH | {"unique_id": "test/1.json"},
            "the file's name says train, unique_id says test",
        ),
    ],
)
def test_a_split_in_doubt_is_asked_for(tmp_path: Path, name: str, row: Row, message: str) -> None:
    """A guess could put test problems into training."""
    with pytest.raises(InputError, match=f"line 1: {message}; say which with --split"):
        read_problems(write(tmp_path / name, row), "math")


def test_a_split_that_is_given_goes_before_all_others(tmp_path: Path) -> None:
    """The caller knows best, but only train and test are splits."""
    path = write(tmp_path / "train.jsonl", MATH | {"unique_id": "test/a/1.json"})

    assert only(path, "test").split == "test"
    with pytest.raises(InputError, match="split is 'dev'; give train or test"):
        read_problems(path, "math", "dev")


def test_the_first_of_equal_problems_stays(tmp_path: Path) -> None:
    """Outer white space does not make another problem; the reason names line, split and differing answers."""
    path = write(
        tmp_path / "rows.jsonl",
        {"problem": "a", "answer": "1", "split": "test"},
        {"problem": "\na ", "answer": "1", "split": "test"},
        {"problem": "a", "answer": "2", "split": "train"},
    )

    problems, rejects = read_problems(path, "math")

    assert [(problem.problem, problem.split) for problem in problems] == [("a", "test")]
    assert [(item.line, item.reason) for item in rejects] == [
        (2, "duplicate of line 1"),
        (
            3,
            "duplicate of line 1, which stays in test; this one was to go to train"
            "; the answers differ: there '1', here '2'",
        ),
    ]


def test_a_problem_in_both_files_of_the_paper_is_for_testing(tmp_path: Path) -> None:
    """Training on it would be a leak, so the training row is refused."""
    write(tmp_path / "train.jsonl", REDRAWN, REDRAWN | {"problem": "other"})
    test = write(tmp_path / "test.jsonl", REDRAWN)
    test.write_bytes(gzip.compress(test.read_bytes()))

    problems, rejects = read_problems(tmp_path, "math")

    assert [(problem.problem, problem.split) for problem in problems] == [
        ("What is $1+1$?", "test"),
        ("other", "train"),
    ]
    assert [item.reason for item in rejects] == [
        f"duplicate of {test}, line 1, which stays in test; this one was to go to train"
    ]


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


def test_the_paper_split_is_read_but_for_one_duplicate(tmp_path: Path, real_data: Path) -> None:
    """Of 12,500 rows one repeats a training problem; two levels and two answers are unknown."""
    train, test = (real_data / "math" / f"prm800k_split_{name}.jsonl" for name in ("train_12000", "test_500"))
    texts = [json.loads(line)["problem"].strip() for path in (train, test) for line in path.open()]

    for path in (train, test):
        (tmp_path / path.name).symlink_to(path)

    problems, rejects = read_problems(tmp_path, "math")

    assert len(texts) == 12_500
    assert {problem.problem for problem in problems} == set(texts)
    assert [(item.line, item.reason) for item in rejects] == [(11_999, "duplicate of line 3193")]
    assert problem_counts(problems, rejects) == {
        "problems": 12_499,
        "rejected": 1,
        "train": 11_999,
        "test": 500,
        "level_unknown": 2,
        "subject_unknown": 0,
        "ground_truth_answer_unknown": 2,
        "ground_truth_solution_unknown": 0,
    }


@pytest.mark.parametrize(
    ("name", "split", "num_problems"),
    [("math_train_7500", "train", 7500), ("math_test_5000", "test", 5000), ("gsm8k_test", "test", 1319)],
)
def test_published_files_are_read_whole(real_data: Path, name: str, split: str, num_problems: int) -> None:
    """Their splits come from the names, and nothing is refused."""
    problems, rejects = read_problems(real_data / "math" / f"{name}.jsonl", "published")

    assert Counter(problem.split for problem in problems) == {split: num_problems}
    assert rejects == []


def test_boxes_give_the_answers_that_the_paper_took(real_data: Path) -> None:
    """The last box of MATH's solutions is the redrawn split's answer, but for one problem about boxes."""
    folder = real_data / "math"
    boxed = [
        problem
        for name in ("math_train_7500", "math_test_5000")
        for problem in read_problems(folder / f"{name}.jsonl", "math")[0]
    ]
    given, _ = read_problems(folder / "prm800k_split_train_12000.jsonl", "math")
    answer = {problem.problem_id: problem.ground_truth_answer for problem in given}

    differing = [p for p in boxed if p.problem_id in answer and p.ground_truth_answer != answer[p.problem_id]]

    assert [problem.ground_truth_answer for problem in differing] == ["12"]
    assert "we have not boxed the correct answer" in str(differing[0].ground_truth_solution)
