"""Typed access to the fields of a row; what is missing or of another type refuses the row with a reason.

Leaves out: what is specific to one format.
"""

from typing import Any

from .json_values import JsonObject

_SHOWN_CHARS = 60


class RowError(ValueError):
    """A row that is refused; the message is the reason a person reads, without file and line."""


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


def optional_int(row: JsonObject, key: str, where: str = "") -> int | None:
    """The whole number at ``key``; None if it is absent or null."""
    value = row.get(key)
    if value is None or type(value) is int:  # True is an int by isinstance
        return value
    raise RowError(f"{where}{key} is {shown(value)}, not a whole number or null")


def rating_of(value: object, where: str) -> int | None:
    """A rating: -1, 0, 1, or None for unknown; RowError for anything else."""
    if value is None or (type(value) is int and value in (-1, 0, 1)):
        return value
    raise RowError(f"{where} is {shown(value)}, not -1, 0, 1 or null")


def value_of(value: object, where: str) -> float | None:
    """A value: a number in [0, 1], or None for unknown; RowError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise RowError(f"{where} is {shown(value)}, not a number from 0 to 1 or null")
    return float(value)


def _state(row: JsonObject, key: str) -> str:
    return shown(row[key]) if key in row else "missing"
