"""What a row of a table says of its step: rating, label, value, estimate, and when and how fast it was rated.

Cells may be text, as in CSV. Leaves out: whose word it is, and which step's (``tables``).
"""

from dataclasses import dataclass

from stepmark.labeling.formats.io.fields import (
    RowError,
    natural_number,
    optional_time,
    rating_of,
    shown,
    value_of_cell,
    whole_number,
)
from stepmark.labeling.formats.io.json_values import JsonObject

from .estimates import StepEstimate, estimate_of

LABELS = ("rating", "label", "value")
"""The columns that label a step; a table has one of them at least."""

_WORDS = {
    **dict.fromkeys(("+", "true", "right", "correct", "positive", "good"), 1),
    **dict.fromkeys(("-", "false", "wrong", "incorrect", "negative", "bad"), -1),
    "neutral": 0,
}


@dataclass(frozen=True, slots=True)
class TableLabel:
    """What one row says of its step; None is not known."""

    rating: int | None
    value: float | None
    estimate: StepEstimate
    labeled_at: str | None
    duration_ms: int | None

    @classmethod
    def of(cls, row: JsonObject, *, zero_is_neutral: bool) -> "TableLabel":
        """Read a row; its "label" of 0 is refused unless ``zero_is_neutral``.

        Raises:
            RowError: if a cell is no such thing, or two contradict each other.
        """
        rating, label = _rating(row), _label(row, zero_is_neutral)
        if rating is not None and label is not None and rating != label:
            raise RowError(f"rating is {rating}, but label is {shown(row['label'])}")
        if rating is None:
            rating = label
        value = value_of_cell(row.get("value"), "value")
        place = "label" if row.get("rating") is None else "rating"
        estimate = estimate_of(row, rating=rating, value=value, rating_at=place)
        return cls(rating, value, estimate, _time(row), _duration(row))

    @property
    def is_known(self) -> bool:
        """Whether the row labels its step at all."""
        return self.rating is not None or self.value is not None or self.estimate.labels_step


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


def _duration(row: JsonObject) -> int | None:
    value = row.get("duration_ms")
    return None if value is None else natural_number(value, "duration_ms")


def _time(row: JsonObject) -> str | None:
    value = row.get("labeled_at")
    if value is None:
        return None
    return optional_time({"labeled_at": str(value)}, "labeled_at")
