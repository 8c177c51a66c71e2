"""MR-GSM8K: graded solutions with the 1-based number of the first wrong step, "N/A" where none is.

A row, cut short::

    {"uuid": "...", "question": "...", "ground_truth_answer": "18",
     "model_output_steps": ["Step 1: ...", "..."], "model_output_answer_correctness": "correct",
     "model_output_solution_correctness": "wrong", "model_output_solution_first_error_step": "2"}

As in ProcessBench, what follows the first error was not judged. Steps may be a text with one step a line.
Leaves out: the reason of the error, and the kind of question; and writing.
"""

from stepmark.labeling.formats.io.fields import (
    RowError,
    index_of,
    number_text,
    optional_text,
    shown,
    steps_of,
    text_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.steps import split_steps

from .format import Format
from .processbench import outcome_of_answer, ratings_before
from .reading import LabeledSolution, label_problem, labeled, solution_of

SOURCE = "mr-gsm8k"
_STEPS, _FIRST_ERROR = "model_output_steps", "model_output_solution_first_error_step"
_SOLUTION, _ANSWER = "model_output_solution_correctness", "model_output_answer_correctness"
_NONE = {"", "n/a", "na", "none", "null", "-1"}
_CORRECTNESS = {"correct": True, "wrong": False, "incorrect": False, "true": True, "false": False}


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row of MR-GSM8K as a solution with step labels of source "mr-gsm8k".

    Raises:
        RowError: if the first error is no step's number, or contradicts what is said of the solution.
    """
    steps = _steps(row)
    first_error = _first_error(row, len(steps))
    is_right = _is_correct(row, _SOLUTION)
    if is_right is None and first_error == -1:
        raise RowError(f"neither {_FIRST_ERROR} nor {_SOLUTION} says what was found")
    if is_right is not None and is_right != (first_error == -1):
        raise RowError(
            f"{_SOLUTION} is {shown(row[_SOLUTION])}, but {_FIRST_ERROR} is {shown(row.get(_FIRST_ERROR))}"
        )
    outcome = outcome_of_answer(_is_correct(row, _ANSWER))
    problem = label_problem(
        text_of(row, "question"),
        SOURCE,
        split,
        number_text(row, "ground_truth_answer"),
        optional_text(row, "ground_truth_solution"),
    )
    solution = solution_of(problem, SOURCE, steps, outcome=outcome)
    return [labeled(problem, solution, SOURCE, ratings_before(first_error, len(steps)))]


def _steps(row: JsonObject) -> list[str]:
    if isinstance(row.get(_STEPS), str):
        return [span.step for span in split_steps(text_of(row, _STEPS))]
    return steps_of(row, _STEPS)


def _first_error(row: JsonObject, num_steps: int) -> int:
    value = row.get(_FIRST_ERROR)
    if value is None or str(value).strip().lower() in _NONE:
        return -1
    index = index_of(value, _FIRST_ERROR, num_steps, base=1)
    return -1 if index is None else index


def _is_correct(row: JsonObject, key: str) -> bool | None:
    value = row.get(key)
    if value is None:
        return None
    found = _CORRECTNESS.get(str(value).strip().lower())
    if found is None:
        raise RowError(f"{key} is {shown(value)}, not correct or wrong")
    return found


FORMAT = Format(
    name=SOURCE,
    matches=lambda row: _STEPS in row and (_FIRST_ERROR in row or _SOLUTION in row),
    read_row=read_row,
    place=80,
)
