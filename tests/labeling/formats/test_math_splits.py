"""Splits of problems: told, inferred and in doubt, and what becomes of a problem that comes twice."""

import gzip
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.math import read_problems

from .problem_rows import MATH, REDRAWN, Row, only, write


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
