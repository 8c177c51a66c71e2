"""PRMBench: solutions into which errors were written on purpose, with the 1-based numbers of the wrong steps.

A row, cut short; ``original_question``, ``original_process`` and others may stand beside::

    {"modified_question": "...", "modified_process": ["1. ...", "2. ...", "3. ..."], "error_steps": [2, 3],
     "classification": "circular", "idx": "circular_prm_test_p1_0"}

Every step is judged: those in ``error_steps`` are wrong (-1), all others right (1).
Leaves out: the original process, which the row says nothing about, the kind of error and its reason; and
writing.
"""

from stepmark.labeling.formats.io.fields import (
    RowError,
    has_fields,
    index_of,
    list_of,
    optional_text,
    steps_of,
    text_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject

from .format import Format
from .reading import LabeledSolution, label_problem, labeled, solution_of

SOURCE = "prmbench"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row of PRMBench as its modified solution with step labels of source "prmbench".

    Raises:
        RowError: if an error step is no step's number, or a field is missing.
    """
    steps = steps_of(row, "modified_process")
    errors = {
        index_of(number, f"error_steps[{place}]", len(steps), base=1)
        for place, number in enumerate(list_of(row, "error_steps"))
    }
    if None in errors:
        raise RowError("error_steps holds null: which step is meant is not known")
    question = "modified_question" if row.get("modified_question") is not None else "question"
    problem = label_problem(text_of(row, question), SOURCE, split, optional_text(row, "ground_truth"))
    ratings = [-1 if index in errors else 1 for index in range(len(steps))]
    return [labeled(problem, solution_of(problem, SOURCE, steps), SOURCE, ratings)]


FORMAT = Format(
    name=SOURCE,
    matches=lambda row: has_fields(row, modified_process=list, error_steps=list),
    read_row=read_row,
    place=70,
)
