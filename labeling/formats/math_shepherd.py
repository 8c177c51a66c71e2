r"""Math-Shepherd: problem and steps in one text with a tag after each step; then with signs for tags.

A row, cut short::

    {"input": "How much? Step 1: 3 + 5 = 8. ки\nStep 2: The answer is: 8 ки",
     "label": "How much? Step 1: 3 + 5 = 8. +\nStep 2: The answer is: 8 -", "task": "GSM8K"}

A plus becomes rating 1: some completion of this prefix reached the right answer. Of how many is not known, so
the value is not either. Leaves out: the ``task``.
"""

import re

from stepmark.labeling.formats.io.fields import RowError, shown, text_of
from stepmark.labeling.formats.io.json_values import JsonObject

from .reading import LabeledSolution, label_problem, labeled, solution_of

SOURCE = "math-shepherd"
TAG = "ки"
_STEP = re.compile(r"^Step \d+:", re.MULTILINE)
_FIRST_STEP = re.compile(r"\s(?=Step 1:)")
_RATINGS = {"+": 1, "-": -1}


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as a solution with step labels of source "math-shepherd".

    Raises:
        RowError: if a step has no tag, a tag no sign, or the two texts differ elsewhere.
    """
    *pieces, rest = text_of(row, "input").split(TAG)
    if not pieces:
        raise RowError(f"input holds no step tag {TAG!r}")
    if rest.strip():
        raise RowError(f"input ends in {shown(rest.strip())}, a step without the tag {TAG!r}")
    ratings = _signs(pieces, text_of(row, "label"))
    start = _FIRST_STEP.search(pieces[0])
    if start is None:
        raise RowError('input holds no "Step 1:" to tell where the problem ends')
    steps = [pieces[0][start.end() :].strip(), *(piece.strip() for piece in pieces[1:])]
    for index, step in enumerate(steps):
        if len(_STEP.findall(step)) > 1 or not step:
            raise RowError(f"the text before tag {index + 1} is {shown(step)}, not one step")
    problem = label_problem(pieces[0][: start.start()], SOURCE, split)
    if not problem.problem:
        raise RowError("there is no problem before the first step")
    return [labeled(problem, solution_of(problem, SOURCE, steps), SOURCE, ratings)]


def _signs(pieces: list[str], label: str) -> list[int]:
    """The rating at each tag; the label must be the input's text with one sign in the place of each tag."""
    ratings = []
    pos = 0
    for index, piece in enumerate(pieces):
        sign = label[pos + len(piece) : pos + len(piece) + 1]
        if not label.startswith(piece, pos) or sign not in _RATINGS:
            raise RowError(f"label does not follow input up to its tag {index + 1} with + or - in its place")
        ratings.append(_RATINGS[sign])
        pos += len(piece) + 1
    if label[pos:].strip():
        raise RowError(f"label goes on after the last tag of input: {shown(label[pos:].strip())}")
    return ratings
