"""Stepmark's own format for labels: one solution a line, with the label source it names.

A row, cut short::

    {"problem": "...", "steps": ["...", "..."], "label_source": "human", "ratings": [1, null],
     "values": [0.9, null]}

``ratings`` (-1, 0, 1 or null), ``values`` (0 to 1 or null) and ``estimates`` (objects with the counts,
intervals and beliefs of ``estimates.Estimate``, or null) may be left out, not all of them.
``ground_truth_answer``, ``final_answer``, ``outcome`` and ``generator`` may be given.
Leaves out: the completions beside a path, which PRM800K's format holds.
"""

from typing import Any

from stepmark.labeling.formats.io.fields import (
    RowError,
    labels_for,
    list_of,
    optional_text,
    rating_of,
    shown,
    steps_of,
    text_of,
    value_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.vocabulary import OUTCOMES

from .estimates import Estimate, any_known, estimate_of
from .reading import LabeledSolution, label_problem, labeled, solution_of

SOURCE = "stepmark"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as a solution with step labels of the source it names.

    Raises:
        RowError: if there are not as many ratings or values as steps, or one is out of range.
    """
    steps = steps_of(row, "steps")
    ratings = [rating_of(value, f"ratings[{i}]") for i, value in enumerate(_column(row, "ratings", steps))]
    values = [value_of(value, f"values[{i}]") for i, value in enumerate(_column(row, "values", steps))]
    estimates = [
        _estimate(estimate, i, ratings[i], values[i])
        for i, estimate in enumerate(_column(row, "estimates", steps))
    ]
    if all(label is None for label in [*ratings, *values]) and not any(
        map(any_known, filter(None, estimates))
    ):
        raise RowError("neither ratings nor values nor estimates label any step")
    outcome = optional_text(row, "outcome")
    if outcome is not None and outcome not in OUTCOMES:
        raise RowError(f"outcome is {shown(outcome)}, none of {', '.join(OUTCOMES)}")
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


def _estimate(estimate: object, index: int, rating: int | None, value: float | None) -> Estimate | None:
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
