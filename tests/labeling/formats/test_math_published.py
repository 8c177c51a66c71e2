"""Published problem files: what is read of MATH, its redrawn split and GSM8K."""

import json
from collections import Counter
from pathlib import Path

import pytest

from stepmark.labeling.formats.math import read_problems

from .problem_rows import problem_counts

pytestmark = pytest.mark.slow


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
