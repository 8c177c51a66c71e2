"""Plain tables of steps: one row a step and rater, as CSV, Parquet or JSON Lines.

Columns; the first four are needed, and one of rating, label and value:

- ``problem``: its text; ``solution_id``: whatever tells solutions of a problem apart
- ``step_index``: the step's place, from 0 or 1; ``step``: its text
- ``rating``: -1 wrong, 0 neutral, 1 right, empty where unknown
- ``label``: true or false, + or -, right, neutral or wrong, or a rating
- ``value``: probability, 0 to 1, of ending right
- ``labeler``, a person, or ``label_source``, another source ("table" where neither is told)
- the columns of ``estimates.Estimate``, ``labeled_at``, ``duration_ms``, ``ground_truth_answer``,
  ``final_answer``, ``outcome``, ``generator``: where known

Rows may come in any order. Where no row of the file has index 0, indexes count from 1. A label of 0 is
neutral in a file that has -1, too; without one it may as well mean wrong, and its rows are refused.
Leaves out: columns of other names. All rows are held in memory, for the last one may belong to the first
solution.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepmark.labeling.formats.io.fields import (
    RowError,
    natural_number,
    number_text,
    optional_text,
    optional_time,
    rating_of,
    shown,
    text_of,
    value_of,
    whole_number,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.formats.io.table_files import NEEDED, read_table
from stepmark.labeling.records import HumanLabel, Reject, StepLabel
from stepmark.labeling.vocabulary import HUMAN, OUTCOMES

from .estimates import NAMES as ESTIMATE
from .estimates import Estimate, any_known, estimate_of
from .reading import LabeledSolution, label_problem, solution_of

SOURCE = "table"
LABELS = ("rating", "label", "value")
_USED = (
    *NEEDED, *LABELS, *ESTIMATE, "labeler", "label_source", "labeled_at", "duration_ms",
    "ground_truth_answer", "final_answer", "outcome", "generator",
)  # fmt: skip
_WORDS = {
    **dict.fromkeys(("+", "true", "right", "correct", "positive", "good"), 1),
    **dict.fromkeys(("-", "false", "wrong", "incorrect", "negative", "bad"), -1),
    "neutral": 0,
}


class RowOfTableError(RowError):
    """A refused row of a table, which is not the first row of its solution."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def is_table(names: Any) -> bool:  # noqa: ANN401 - any collection of names
    """Whether these columns are those of a table of steps."""
    return all(name in names for name in NEEDED) and any(name in names for name in LABELS)


def read_solutions(path: Path) -> Iterator[tuple[int, JsonObject | Reject, int]]:
    """What each rater said on each solution, as an object for ``read_row``, and the Rejects of what is none.

    With each comes its first line and how many lines it takes.
    """
    groups: dict[tuple[str, ...], list[tuple[int, JsonObject]]] = {}
    texts: dict[str, str] = {}
    has_zero = has_minus_one = False
    for line, item in read_table(path):
        if isinstance(item, Reject):
            yield line, item, 1
            continue
        row = {name: item[name] for name in _USED if item.get(name) is not None}
        if isinstance(row.get("problem"), str):  # one object for equal texts: a problem stands in many rows
            row["problem"] = texts.setdefault(row["problem"], row["problem"])
        has_zero |= whole_number(row.get("step_index")) == 0
        has_minus_one |= whole_number(row.get("label")) == -1
        key = tuple(str(row.get(name)) for name in ("problem", "solution_id", "labeler", "label_source"))
        groups.setdefault(key, []).append((line, row))
    del texts
    base = 0 if has_zero else 1
    for key in list(groups):
        rows = groups.pop(key)
        yield rows[0][0], {"rows": rows, "base": base, "zero_is_neutral": has_minus_one}, len(rows)


def read_row(grouped: JsonObject, split: str) -> list[LabeledSolution]:
    """The rows of ``read_solutions`` as one solution with the labels of one rater.

    Raises:
        RowError: if a step is missing or there twice, or a label is none.
    """
    rows = _in_order(grouped["rows"], grouped["base"])
    steps, labels = [], []
    for line, row in rows:
        try:
            steps.append(text_of(row, "step"))
            labels.append(_Label.of(row, grouped["zero_is_neutral"]))
        except RowError as error:
            raise RowOfTableError(line, str(error)) from error
    first = rows[0][1]
    problem = label_problem(
        text_of(first, "problem"), SOURCE, split, number_text(first, "ground_truth_answer")
    )
    outcome = optional_text(first, "outcome")
    if outcome is not None and outcome not in OUTCOMES:
        raise RowError(f"outcome is {shown(outcome)}, none of {', '.join(OUTCOMES)}")
    solution = solution_of(
        problem,
        SOURCE,
        steps,
        final_answer=number_text(first, "final_answer"),
        outcome=outcome,
        generator=number_text(first, "generator"),
    )
    labeler = number_text(first, "labeler")
    source = HUMAN if labeler else number_text(first, "label_source") or SOURCE
    key = solution.solution_id
    step_labels = [
        StepLabel(key, index, source, label.rating, label.value, **label.estimate._asdict())
        for index, label in enumerate(labels)
        if label.is_given
    ]
    if labeler is None and not step_labels:
        raise RowError("no row of this solution has a rating, label or value")
    people = [
        HumanLabel(
            key, index, 0, labeler, step, False, label.rating, True, None, None, None, None, None, None,
            label.labeled_at, label.duration_ms,
        )
        for index, (step, label) in enumerate(zip(steps, labels, strict=True))
    ] if labeler else []  # fmt: skip
    return [LabeledSolution(problem, solution, labeler or source, len(steps), people, step_labels)]


def _in_order(rows: list[tuple[int, JsonObject]], base: int) -> list[tuple[int, JsonObject]]:
    """The rows by their index, each once."""
    by_index: dict[int, tuple[int, JsonObject]] = {}
    for line, row in rows:
        for name in ("problem", "solution_id"):
            if row.get(name) is None:
                raise RowOfTableError(line, f"{name} is missing")
        number = whole_number(row.get("step_index"))
        if number is None or number < base:
            raise RowOfTableError(
                line, f"step_index is {shown(row.get('step_index'))}, not a whole number from {base} on"
            )
        if by_index.setdefault(number - base, (line, row))[1] != row:
            raise RowOfTableError(
                line, f"step_index {number} stands in this solution twice, with other values"
            )
    missing = next((index for index in range(len(by_index)) if index not in by_index), None)
    if missing is not None:
        raise RowError(f"the solution has no row of step_index {missing + base}, but later ones")
    return [by_index[index] for index in range(len(by_index))]


@dataclass(frozen=True, slots=True)
class _Label:
    """What a row says of its step."""

    rating: int | None
    value: float | None
    estimate: Estimate
    labeled_at: str | None
    duration_ms: int | None

    @classmethod
    def of(cls, row: JsonObject, zero_is_neutral: bool) -> "_Label":
        rating, label = _rating(row), _label(row, zero_is_neutral)
        if rating is not None and label is not None and rating != label:
            raise RowError(f"rating is {rating}, but label is {shown(row['label'])}")
        if rating is None:
            rating = label
        value = _value(row)
        place = "label" if row.get("rating") is None else "rating"
        estimate = estimate_of(row, rating=rating, value=value, rating_at=place)
        return cls(rating, value, estimate, _moment(row), _duration(row))

    @property
    def is_given(self) -> bool:
        return self.rating is not None or self.value is not None or any_known(self.estimate)


def _rating(row: JsonObject) -> int | None:
    value = row.get("rating")
    number = whole_number(value)
    return rating_of(value if number is None or isinstance(value, bool) else number, "rating")


def _label(row: JsonObject, zero_is_neutral: bool) -> int | None:
    value = row.get("label")
    if value is None:
        return None
    found = _WORDS.get(str(value).strip().lower())
    if found is not None:
        return found
    number = whole_number(value)
    if number == 0 and not zero_is_neutral:
        raise RowError(
            "label is 0 in a file without -1: it may mean wrong or neutral; call it rating (-1, 0, 1)"
            " or write true and false"
        )
    if number is None or not -1 <= number <= 1:
        raise RowError(f"label is {shown(value)}, none of true, false, +, -, right, neutral, wrong, -1, 0, 1")
    return number


def _value(row: JsonObject) -> float | None:
    value = row.get("value")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError as error:
            raise RowError(f"value is {shown(value)}, not a number from 0 to 1 or null") from error
    return value_of(value, "value")


def _duration(row: JsonObject) -> int | None:
    value = row.get("duration_ms")
    return None if value is None else natural_number(value, "duration_ms")


def _moment(row: JsonObject) -> str | None:
    value = row.get("labeled_at")
    if value is None:
        return None
    return optional_time({"labeled_at": str(value)}, "labeled_at")
