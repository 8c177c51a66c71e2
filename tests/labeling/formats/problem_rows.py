"""Rows of problem files, and helpers that write and read them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

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
