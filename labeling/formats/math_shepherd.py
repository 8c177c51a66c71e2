r"""Math-Shepherd: problem and steps in one text with a tag after each step; then with signs for tags.

A row, cut short::

    {"input": "How much? Step 1: 3 + 5 = 8. ки\nStep 2: The answer is: 8 ки",
     "label": "How much? Step 1: 3 + 5 = 8. +\nStep 2: The answer is: 8 -", "task": "GSM8K"}

A plus becomes rating 1: some completion of this prefix reached the right answer. Of how many is not known, so
the value is not either. Leaves out: the ``task``. Writing leaves out a step's outer white space, and what
``step_signs`` does.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from stepmark.labeling.formats.io.fields import RowError, has_fields, shown, text_of
from stepmark.labeling.formats.io.json_values import JsonObject

from .format import Format, Writer
from .reading import LabeledSolution, label_problem, labeled, solution_of
from .step_signs import FIRST_STEP, RATINGS, SIGNS, are_right, row_if_it_reads_back
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "math-shepherd"
_TAG = "ки"
_STEP = re.compile(r"^Step \d+:", re.MULTILINE)


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as a solution with step labels of source "math-shepherd".

    Raises:
        RowError: if a step has no tag, a tag no sign, or the two texts differ elsewhere.
    """
    *pieces, rest = text_of(row, "input").split(_TAG)
    if not pieces:
        raise RowError(f"input holds no step tag {_TAG!r}")
    if rest.strip():
        raise RowError(f"input ends in {shown(rest.strip())}, a step without the tag {_TAG!r}")
    ratings = _ratings_at_tags(pieces, text_of(row, "label"))
    start = FIRST_STEP.search(pieces[0])
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


def _ratings_at_tags(pieces: list[str], label: str) -> list[int]:
    """The rating at each tag; the label must be the input's text with one sign in the place of each tag."""
    ratings = []
    pos = 0
    for index, piece in enumerate(pieces):
        sign = label[pos + len(piece) : pos + len(piece) + 1]
        if not label.startswith(piece, pos) or sign not in RATINGS:
            raise RowError(f"label does not follow input up to its tag {index + 1} with + or - in its place")
        ratings.append(RATINGS[sign])
        pos += len(piece) + 1
    if label[pos:].strip():
        raise RowError(f"label goes on after the last tag of input: {shown(label[pos:].strip())}")
    return ratings


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """A step that does not begin with its number, "Step 2:", gets it."""
    for one in solutions:
        right = are_right(one, options, tally)
        steps = [_numbered(step, number) for number, step in enumerate(one.steps[: len(right)], start=1)]
        row = {
            "input": _one_text(one, steps, [_TAG] * len(steps)),
            "label": _one_text(one, steps, [SIGNS[is_right] for is_right in right]),
            "task": one.problem.source,
        }
        yield from row_if_it_reads_back(row, read_row, one, steps, right, tally)


def _numbered(step: str, number: int) -> str:
    return step if step.startswith(f"Step {number}:") else f"Step {number}: {step}"


def _one_text(one: ExportedSolution, steps: Sequence[str], marks: Sequence[str]) -> str:
    lines = [f"{step} {mark}" for step, mark in zip(steps, marks, strict=True)]
    return one.problem.problem + " " + "\n".join(lines)


FORMAT = Format(
    name=SOURCE,
    matches=lambda row: has_fields(row, input=str, label=str),
    read_row=read_row,
    writer=Writer(rows=write_rows, place=30),
    place=20,
)
