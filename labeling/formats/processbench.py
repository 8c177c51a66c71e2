"""ProcessBench: solutions of many models with the 0-based index of the first wrong step, -1 for none.

A row, cut short::

    {"id": "gsm8k-0", "generator": "Qwen2-7B-Instruct", "problem": "...", "steps": ["...", "..."],
     "final_answer_correct": false, "label": 1}

Steps before the first error are right (rating 1) and that step is wrong (-1); what follows an error was not
judged and has no label. A right final answer may stand after a wrong step: the outcome is what the file says.
Leaves out: ground-truth answers, which the file does not have, and the row's ``id``.
"""

from stepmark.labeling.formats.io.fields import (
    RowError,
    optional_bool,
    optional_text,
    shown,
    steps_of,
    text_of,
    whole_number,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.vocabulary import CORRECT, INCORRECT

from .reading import LabeledSolution, label_problem, labeled, solution_of

SOURCE = "processbench"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row of ProcessBench as a solution with step labels of source "processbench".

    Raises:
        RowError: if the label is not the index of a step or -1, or a field is missing.
    """
    steps = steps_of(row, "steps")
    label = whole_number(row.get("label"))
    if label is None or not -1 <= label < len(steps):
        raise RowError(
            f"label is {shown(row.get('label'))}, not -1 or the 0-based index of one of {len(steps)} steps"
        )
    is_right = optional_bool(row, "final_answer_correct")
    problem = label_problem(text_of(row, "problem"), SOURCE, split)
    solution = solution_of(
        problem,
        SOURCE,
        steps,
        outcome=None if is_right is None else CORRECT if is_right else INCORRECT,
        generator=optional_text(row, "generator"),
    )
    return [labeled(problem, solution, SOURCE, ratings_before(label, len(steps)))]


def ratings_before(first_error: int, num_steps: int) -> list[int | None]:
    """The ratings that the index of the first error implies: 1 before it, -1 at it, unknown after it.

    >>> ratings_before(1, 3), ratings_before(-1, 2)
    ([1, -1, None], [1, 1])
    """
    if first_error == -1:
        return [1] * num_steps
    return [1] * first_error + [-1] + [None] * (num_steps - first_error - 1)
