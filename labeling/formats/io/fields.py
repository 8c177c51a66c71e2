"""Typed access to the fields of a row; what is missing or of another type refuses the row with a reason.

Leaves out: what is specific to one format.
"""

import contextlib
import re
from datetime import UTC, datetime
from typing import Any

from stepmark.labeling.vocabulary import OUTCOMES, RATINGS

from .json_values import JsonObject

_SHOWN_CHARS = 60
_WHOLE = re.compile(r"[+-]?[0-9]{1,4300}(\.0+)?")  # as many digits as Python makes a number of


class RowError(ValueError):
    """A row that is refused; the message is the reason a person reads, without file and line.

    ``line`` is the line at fault where a row takes several lines, and None where it is the row's own.
    """

    line: int | None = None


def shown(value: object) -> str:
    """A value as a reason quotes it: its Python form, cut short."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."


def text_of(row: JsonObject, key: str, where: str = "") -> str:
    """The string at ``key``.

    Raises:
        RowError: if it is absent, no string, or blank.
    """
    value = row.get(key)
    if not isinstance(value, str):
        raise RowError(f"{where}{key} is {_state(row, key)}, not text")
    if not value.strip():
        raise RowError(f"{where}{key} is blank")
    return value


def optional_text(row: JsonObject, key: str, where: str = "") -> str | None:
    """The string at ``key`` without outer white space; None if it is absent, null or blank."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RowError(f"{where}{key} is {shown(value)}, not text")
    return value.strip() or None


def has_fields(row: JsonObject, **types: type) -> bool:
    """Whether each of these fields is there and of its type.

    >>> has_fields({"steps": [], "label": 1}, steps=list), has_fields({"steps": []}, steps=list, label=int)
    (True, False)
    """
    return all(isinstance(row.get(key), kind) for key, kind in types.items())


def as_object(value: object, where: str) -> JsonObject:
    """The value, an element of a list, as an object; RowError if it is none."""
    if not isinstance(value, dict):
        raise RowError(f"{where} is {shown(value)}, not an object")
    return value


def object_of(row: JsonObject, key: str, where: str = "") -> JsonObject:
    """The object at ``key``; RowError if there is none."""
    value = row.get(key)
    if not isinstance(value, dict):
        raise RowError(f"{where}{key} is {_state(row, key)}, not an object")
    return value


def list_of(row: JsonObject, key: str, where: str = "") -> list[Any]:
    """The list at ``key``; RowError if there is none."""
    value = row.get(key)
    if not isinstance(value, list):
        raise RowError(f"{where}{key} is {_state(row, key)}, not a list")
    return value


def steps_of(row: JsonObject, key: str, where: str = "") -> list[str]:
    """The list of step texts at ``key``.

    Raises:
        RowError: if it is empty, or an element is blank or no string.
    """
    steps = list_of(row, key, where)
    if not steps:
        raise RowError(f"{where}{key} is empty: there is no step to label")
    for index, step in enumerate(steps):
        if not isinstance(step, str) or not step.strip():
            raise RowError(f"{where}{key}[{index}] is {shown(step)}, not the text of a step")
    return steps


def labels_for(steps: list[str], labels: list[Any], key: str) -> list[Any]:
    """``labels``, one a step.

    Raises:
        RowError: if there are more or fewer than steps: which label belongs to which step is not known then.
    """
    if len(labels) != len(steps):
        raise RowError(f"{key} has {len(labels)} entries for {len(steps)} steps")
    return labels


def optional_bool(row: JsonObject, key: str, where: str = "") -> bool | None:
    """The truth value at ``key``; None if it is absent or null, which is not False."""
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise RowError(f"{where}{key} is {shown(value)}, not true, false or null")


def optional_int(row: JsonObject, key: str, where: str = "", *, bits: int = 64) -> int | None:
    """The whole number at ``key`` that fits into as many bits; None if it is absent or null."""
    value = row.get(key)
    if value is None:
        return None
    if type(value) is not int:  # True is an int by isinstance
        raise RowError(f"{where}{key} is {shown(value)}, not a whole number or null")
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise RowError(f"{where}{key} is {shown(value)}, too large a number to store")
    return value


def optional_time(row: JsonObject, key: str, where: str = "") -> str | None:
    """The time at ``key`` as ISO text, in UTC where it names a zone; None if it is absent, null or blank."""
    text = optional_text(row, key, where)
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            time = time.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise RowError(f"{where}{key} is {shown(text)}, not a time such as 2022-07-30T23:23:32") from error
    return time.isoformat()


def whole_number(value: object) -> int | None:
    """A whole number that is written as one: 3, "3", " -1 ", 3.0; None for anything else.

    >>> whole_number("3"), whole_number(True), whole_number(2.5), whole_number("3.0")
    (3, None, None, 3)
    """
    if type(value) is float and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return value if type(value) is int else None


def natural_number(value: object, where: str, *, bits: int = 64) -> int:
    """A whole number from 0 on, also as text, that fits into as many bits with its sign.

    Raises:
        RowError: if it is none, or too large.
    """
    number = whole_number(value)
    if number is None or number < 0:
        raise RowError(f"{where} is {shown(value)}, not a whole number from 0 on")
    if number >= 1 << (bits - 1):
        raise RowError(f"{where} is {shown(value)}, too large a number to store")
    return number


def index_of(value: object, where: str, num_steps: int, *, base: int) -> int | None:
    """The 0-based index that a step's number stands for, counted from ``base``; None for null.

    Raises:
        RowError: if it is no whole number (a text such as "3" is one), or no step has it.
    """
    if value is None:
        return None
    number = whole_number(value)
    if number is None or not base <= number < num_steps + base:
        raise RowError(f"{where} is {shown(value)}, not a number from {base} to {num_steps + base - 1}")
    return number - base


def number_text(row: JsonObject, key: str, where: str = "") -> str | None:
    """As ``optional_text``; a whole number is read as its digits."""
    if type(row.get(key)) is int:
        return str(row[key])
    return optional_text(row, key, where)


def rating_of(value: object, where: str) -> int | None:
    """A rating: -1, 0, 1, or None for unknown; RowError for anything else."""
    if value is None or (type(value) is int and value in RATINGS):
        return value
    raise RowError(f"{where} is {shown(value)}, not -1, 0, 1 or null")


def value_of(value: object, where: str) -> float | None:
    """A value: a number in [0, 1], or None for unknown; RowError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise RowError(f"{where} is {shown(value)}, not a number from 0 to 1 or null")
    return float(value)


def value_of_cell(value: object, where: str) -> float | None:
    """As ``value_of``; the number may be text, as in CSV."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = float(value)
    return value_of(value, where)


def outcome_of(row: JsonObject) -> str | None:
    """The field "outcome": one that the vocabulary has, or None for unknown; RowError for anything else."""
    outcome = optional_text(row, "outcome")
    if outcome is not None and outcome not in OUTCOMES:
        raise RowError(f"outcome is {shown(outcome)}, none of {', '.join(OUTCOMES)}")
    return outcome


def _state(row: JsonObject, key: str) -> str:
    return shown(row[key]) if key in row else "missing"
