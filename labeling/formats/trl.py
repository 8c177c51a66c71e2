"""TRL's stepwise supervision: a prompt, its completions in order, and for each whether it is right.

A row: ``{"prompt": "...", "completions": ["step 1", "step 2"], "labels": [true, false]}``. A label of false
becomes rating -1: converters to this format write it for neutral steps too, which cannot be told afterwards.
Leaves out: prompts given as chat messages. Writing leaves out what ``step_signs`` does.
"""

from collections.abc import Iterable, Iterator

from stepmark.labeling.formats.io.fields import (
    RowError,
    has_fields,
    labels_for,
    list_of,
    shown,
    steps_of,
    text_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject

from .format import Format, Writer
from .reading import LabeledSolution, label_problem, labeled, solution_of
from .step_signs import are_right
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "trl"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as a solution with step labels of source "trl".

    Raises:
        RowError: if there are not as many labels as completions, or a label is neither true nor false.
    """
    steps = steps_of(row, "completions")
    labels = labels_for(steps, list_of(row, "labels"), "labels")
    for index, label in enumerate(labels):
        if not isinstance(label, bool):
            raise RowError(f"labels[{index}] is {shown(label)}, not true or false")
    problem = label_problem(text_of(row, "prompt"), SOURCE, split)
    ratings = [1 if label else -1 for label in labels]
    return [labeled(problem, solution_of(problem, SOURCE, steps), SOURCE, ratings)]


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """Completions joined by newlines are the solution's start."""
    for one in solutions:
        right = are_right(one, options, tally)
        if right:
            yield {"prompt": one.problem.problem, "completions": one.pieces[: len(right)], "labels": right}


FORMAT = Format(
    name=SOURCE,
    matches=lambda row: has_fields(row, completions=list, labels=list),
    read_row=read_row,
    writer=Writer(rows=write_rows, place=20),
    place=30,
)
