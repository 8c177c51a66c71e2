"""ProcessBench: solutions of many models with the 0-based index of the first wrong step, -1 for none.

A row, cut short::

    {"id": "gsm8k-0", "generator": "Qwen2-7B-Instruct", "problem": "...", "steps": ["...", "..."],
     "final_answer_correct": false, "label": 1}

Steps before the first error are right (rating 1) and that step is wrong (-1); what follows an error was not
judged and has no label. A right final answer may stand after a wrong step: the outcome is what the file says.
Leaves out: ground-truth answers, which the file does not have, and the row's ``id``. Writing leaves out what
comes after the first error, values, neutral ratings (which are no errors), and solutions of which the first
error is not known.
"""

from collections.abc import Iterable, Iterator

from stepmark.labeling.formats.io.fields import (
    RowError,
    has_fields,
    optional_bool,
    optional_text,
    shown,
    steps_of,
    text_of,
    whole_number,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.vocabulary import CORRECT, INCORRECT

from .format import Format, Writer
from .reading import LabeledSolution, label_problem, labeled, solution_of
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "processbench"
_UNKNOWN = "solutions left out: a step without a label stands before their first error"
_ANSWER_IS_RIGHT: dict[str | None, bool] = {CORRECT: True, INCORRECT: False}


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
    problem = label_problem(text_of(row, "problem"), SOURCE, split)
    solution = solution_of(
        problem,
        SOURCE,
        steps,
        outcome=outcome_of_answer(optional_bool(row, "final_answer_correct")),
        generator=optional_text(row, "generator"),
    )
    return [labeled(problem, solution, SOURCE, ratings_before(label, len(steps)))]


def outcome_of_answer(is_right: bool | None) -> str | None:
    """The outcome of a solution with a right or wrong final answer; None where it is not known which."""
    return None if is_right is None else CORRECT if is_right else INCORRECT


def ratings_before(first_error: int, num_steps: int) -> list[int | None]:
    """The ratings that the index of the first error implies: 1 before it, -1 at it, unknown after it.

    >>> ratings_before(1, 3), ratings_before(-1, 2)
    ([1, -1, None], [1, 1])
    """
    if first_error == -1:
        return [1] * num_steps
    return [1] * first_error + [-1] + [None] * (num_steps - first_error - 1)


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """A row a solution, with the id it has in the store."""
    for one in solutions:
        label = first_error(one.ratings)
        if label is None:
            tally.reasons[_UNKNOWN] += 1
            continue
        yield {
            "id": one.solution.solution_id,
            "generator": one.solution.generator,
            "problem": one.problem.problem,
            "steps": one.pieces,
            "final_answer_correct": _ANSWER_IS_RIGHT.get(one.solution.outcome),
            "label": label,
        }


def first_error(ratings: Iterable[int | None]) -> int | None:
    """The first -1, or -1 where there is none; None where an unknown rating comes before.

    >>> first_error([1, -1, None]), first_error([1, 0]), first_error([1, None, -1])
    (1, -1, None)
    """
    for index, rating in enumerate(ratings):
        if rating is None:
            return None
        if rating == -1:
            return index
    return -1


def _matches(row: JsonObject) -> bool:
    # A row that names its label source is Stepmark's own, whatever its other keys.
    has_label = "label" in row and not has_fields(row, label_source=str)
    return has_label and has_fields(row, problem=str, steps=list)


FORMAT = Format(
    name=SOURCE,
    matches=_matches,
    read_row=read_row,
    writer=Writer(rows=write_rows, layout="array", place=50),
    place=40,
)
