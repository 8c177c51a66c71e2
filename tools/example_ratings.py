"""The label files of the example store: a few lines of Stepmark's own format, and of PRM800K's by two people.

Leaves out: importing them (example_store.py).
"""

from typing import Any

from stepmark.labeling.vocabulary import HUMAN


def _rated(
    problem: str, steps: list[str], ratings: list[int | None], answer: str | None, outcome: str | None
) -> dict[str, Any]:
    return {
        "problem": problem, "steps": steps, "ratings": ratings, "label_source": HUMAN,
        "final_answer": answer, "outcome": outcome,
    }  # fmt: skip


# The last one is refused: no rating is 2.
_RATINGS = (
    _rated("What is $7 \\cdot 8$?", ["$7 \\cdot 8 = 56$.", "So: \\boxed{56}."], [1, 1], "56", "correct"),
    _rated(
        "What is $9 \\cdot 6$?", ["$9 \\cdot 6 = 56$.", "So: \\boxed{56}."], [-1, None], "56", "incorrect"
    ),
    _rated("What is $9 \\cdot 7$?", ["$9 \\cdot 7 = 63$."], [0], None, None),
    _rated("What is $9 \\cdot 8$?", ["$9 \\cdot 8 = 72$."], [2], None, None),
)


def _people_rated(
    labeler: str, problem: str, steps: list[str], ratings: list[int], seconds: int
) -> dict[str, Any]:
    """A line as PRM800K has them."""
    rated = [
        {
            "completions": [{"text": step, "rating": rating, "flagged": False}],
            "human_completion": None,
            "chosen_completion": 0,
        }
        for step, rating in zip(steps, ratings, strict=True)
    ]
    return {
        "labeler": labeler, "timestamp": "2026-01-01T12:00:00", "generation": 0,
        "is_quality_control_question": False, "is_initial_screening_question": False,
        "question": {"problem": problem, "ground_truth_answer": "21"},
        "label": {"steps": rated, "total_time": 1000 * seconds, "finish_reason": "solution"},
    }  # fmt: skip


_SUMS = {
    "What is $9 + 12$?": ["$9 + 2 = 11$.", "$11 + 10 = 21$.", "So: \\boxed{21}."],
    "What is $3 \\cdot 7$?": ["$3 \\cdot 7 = 21$.", "So: \\boxed{21}."],
    "What is $40 - 19$?": ["$40 - 20 = 20$.", "$20 - 1 = 19$.", "So: \\boxed{19}."],
}
_PEOPLE = {"ann": ([1, 1, 1], [1, 1], [1, -1, -1]), "bob": ([0, 1, 1], [1, 1], [1, 1, -1])}


def ratings_lines() -> list[dict[str, Any]]:
    """Lines of Stepmark's own format."""
    return list(_RATINGS)


def people_lines() -> list[dict[str, Any]]:
    """Lines of PRM800K's format, one a labeler and problem."""
    return [
        _people_rated(labeler, problem, steps, ratings, seconds)
        for seconds, (labeler, of_all) in zip((90, 60), _PEOPLE.items(), strict=True)
        for (problem, steps), ratings in zip(_SUMS.items(), of_all, strict=True)
    ]
