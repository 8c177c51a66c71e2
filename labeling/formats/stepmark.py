"""Stepmark's own format for labels: one solution a line, with the label source it names.

A row, cut short::

    {"problem": "...", "steps": ["...", "..."], "label_source": "human", "ratings": [1, null],
     "values": [0.9, null]}

``ratings`` (-1, 0, 1 or null), ``values`` (0 to 1 or null) and ``estimates`` (objects with the counts,
intervals and beliefs of ``estimates.StepEstimate``, or null) may be left out, not all of them.
``ground_truth_answer``, ``final_answer``, ``outcome`` and ``generator`` may be given.
Leaves out: the completions beside a path, which PRM800K's format holds. Writing leaves out who gave a rating
of people, and whose rollouts an estimate rests on.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from stepmark.labeling.formats.io.fields import (
    RowError,
    has_fields,
    labels_for,
    list_of,
    optional_text,
    outcome_of,
    rating_of,
    shown,
    steps_of,
    text_of,
    value_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.records import StepLabel

from .estimates import ESTIMATE_COLUMNS, StepEstimate, estimate_of
from .format import Format, Writer
from .reading import LabeledSolution, label_problem, labeled, solution_of
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "stepmark"
_NO_LABEL = "solutions left out: no step has a rating, a value or an estimate"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as a solution with step labels of the source it names.

    Raises:
        RowError: if there are not as many ratings or values as steps, or one is out of range.
    """
    steps = steps_of(row, "steps")
    ratings = [rating_of(value, f"ratings[{i}]") for i, value in enumerate(_column(row, "ratings", steps))]
    values = [value_of(value, f"values[{i}]") for i, value in enumerate(_column(row, "values", steps))]
    estimates = [
        _read_estimate(estimate, i, ratings[i], values[i])
        for i, estimate in enumerate(_column(row, "estimates", steps))
    ]
    has_label = any(label is not None for label in (*ratings, *values))
    if not has_label and not any(estimate.labels_step for estimate in estimates if estimate):
        raise RowError("neither ratings nor values nor estimates label any step")
    outcome = outcome_of(row)
    answer = optional_text(row, "ground_truth_answer")
    problem = label_problem(text_of(row, "problem"), SOURCE, split, answer)
    solution = solution_of(
        problem,
        SOURCE,
        steps,
        final_answer=optional_text(row, "final_answer"),
        outcome=outcome,
        generator=optional_text(row, "generator"),
    )
    return [labeled(problem, solution, text_of(row, "label_source").strip(), ratings, values, estimates)]


def _read_estimate(
    estimate: object, index: int, rating: int | None, value: float | None
) -> StepEstimate | None:
    where = f"estimates[{index}]"
    if estimate is None:
        return None
    if not isinstance(estimate, dict):
        raise RowError(f"{where} is {shown(estimate)}, not an object or null")
    places = {"rating_at": f"ratings[{index}]", "value_at": f"values[{index}]"}
    return estimate_of(estimate, f"{where}.", rating=rating, value=value, **places)


def _column(row: JsonObject, key: str, steps: list[str]) -> list[Any]:
    if row.get(key) is None:
        return [None] * len(steps)
    return labels_for(steps, list_of(row, key), key)


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """A row a solution and label source."""
    for one in solutions:
        ratings = [label.rating if label else None for label in one.labels]
        values = [label.value if label else None for label in one.labels]
        estimates = [_known_of_estimate(label) if label else None for label in one.labels]
        if all(known is None for known in (*ratings, *values, *estimates)):
            tally.reasons[_NO_LABEL] += 1
            continue
        more = {"estimates": estimates} if any(estimates) else {}
        yield {
            "problem": one.problem.problem,
            "steps": one.pieces,
            "label_source": one.label_source,
            "ratings": ratings,
            "values": values,
            **more,
            "ground_truth_answer": one.problem.ground_truth_answer,
            "final_answer": one.solution.final_answer,
            "outcome": one.solution.outcome,
            "generator": one.solution.generator,
        }


def _known_of_estimate(label: StepLabel) -> Row | None:
    known = {name: getattr(label, name) for name in ESTIMATE_COLUMNS}
    return {name: value for name, value in known.items() if value is not None} or None


FORMAT = Format(
    name=SOURCE,
    matches=lambda row: has_fields(row, problem=str, steps=list, label_source=str),
    read_row=read_row,
    writer=Writer(rows=write_rows, holds_sources=True, place=80),
    place=100,
)
