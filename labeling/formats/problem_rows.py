r"""One row of a problem file as a Problem: MATH, the PRM800K split files, GSM8K, and tables like them.

Four published shapes::

    {"problem": "...", "level": "Level 3", "type": "Algebra", "solution": "... $\\boxed{2}$"}
    {"problem": "...", "solution": "...", "answer": "2", "subject": "Algebra", "level": 3, "unique_id": "..."}
    {"question": "...", "answer": "She makes 9 * 2 = 18.\n#### 18"}
    a table with the columns question and answer

Leaves out: files, splits and duplicates (``math``, ``splits``).
"""

import re

from stepmark.labeling.formats.io.fields import RowError, optional_text, shown, text_of
from stepmark.labeling.formats.io.json_values import JsonObject, is_text
from stepmark.labeling.grading import last_boxed
from stepmark.labeling.ids import problem_id
from stepmark.labeling.records import Problem

_LEVEL = re.compile(r"(?:level\s*)?([1-5])", re.IGNORECASE)
_UNKNOWN_LEVELS = ("", "?", "level ?")
_GSM8K_ANSWER = re.compile(r"^#### *(?P<answer>.*\S)", re.MULTILINE)


def problem_of(row: JsonObject, source: str, split: str) -> Problem:
    """The row's problem. The answer is the given one, else the solution's last box; an empty one is unknown.

    Raises:
        RowError: if the row has no problem text, or a field is not what it should be.
    """
    text = text_of(row, "problem" if "problem" in row else "question").strip()
    if not is_text(text):
        raise RowError("the problem holds bytes that are not UTF-8")
    solution, answer = _solution_and_answer(row)
    return Problem(
        problem_id=problem_id(text),
        source=source,
        split=split,
        subject=optional_text(row, "subject") or optional_text(row, "type"),
        level=_level(row.get("level")),
        problem=text,
        ground_truth_solution=solution,
        ground_truth_answer=answer,
    )


def _solution_and_answer(row: JsonObject) -> tuple[str | None, str | None]:
    solution, answer = optional_text(row, "solution"), _answer(row)
    hashes = list(_GSM8K_ANSWER.finditer(answer or ""))
    if solution is None and hashes:
        return answer, hashes[-1]["answer"]
    if answer is None and solution is not None:
        answer = last_boxed(solution)
    return solution, answer


def _answer(row: JsonObject) -> str | None:
    if type(row.get("answer")) is int:  # tables of contests hold answers as whole numbers
        return str(row["answer"])
    return optional_text(row, "answer")


def _level(value: object) -> int | None:
    """1 to 5, or None where it is not known ("Level ?")."""
    if value is None or str(value).strip().lower() in _UNKNOWN_LEVELS:
        return None
    match = _LEVEL.fullmatch(str(value).strip())
    if not match:
        raise RowError(f'level is {shown(value)}, not 1 to 5, "Level 1" to "Level 5", or "Level ?"')
    return int(match[1])
