"""TRL's stepwise supervision: a prompt, its completions in order, and for each whether it is right.

A row: ``{"prompt": "...", "completions": ["step 1", "step 2"], "labels": [true, false]}``. A label of false
becomes rating -1: converters to this format write it for neutral steps too, which cannot be told afterwards.
Leaves out: prompts given as chat messages.
"""

from stepmark.labeling.formats.io.fields import RowError, labels_for, list_of, shown, steps_of, text_of
from stepmark.labeling.formats.io.json_values import JsonObject

from .reading import LabeledSolution, label_problem, labeled, solution_of

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
