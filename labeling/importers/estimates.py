"""What a step label says beside its rating and value where it is an estimate: counts, intervals, beliefs.

Without them a rating would be guessed anew from the value when the label comes back from a file. Leaves out:
the sampler of the rollouts, which another store does not know.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .fields import RowError, shown, whole_number
from .json_values import JsonObject

_MAX_COUNT = 2**31


class Estimate(NamedTuple):
    """Columns of ``step_labels``; None is not known."""

    num_rollouts: int | None = None
    num_correct: int | None = None
    num_truncated: int | None = None
    num_ungraded: int | None = None
    value_low: float | None = None
    value_high: float | None = None
    p_wrong_low: float | None = None
    p_wrong_high: float | None = None
    has_signal: bool | None = None
    cost_tokens: int | None = None
    estimator: str | None = None


NAMES = Estimate._fields


def any_known(estimate: Estimate) -> bool:
    """Whether it labels its step: how it was made and what it cost say nothing of it."""
    return estimate.num_rollouts is not None or estimate.p_wrong_low is not None


def estimate_of(row: JsonObject, where: str = "") -> Estimate:
    """The estimate in the fields of ``row``; numbers and truth values may be text, as in CSV.

    Raises:
        RowError: if one is out of range, or they contradict each other.
    """
    values: dict[str, Any] = {}
    for name, read in _READERS.items():
        if row.get(name) is not None:
            values[name] = read(row[name], f"{where}{name}")
    estimate = Estimate(**values)
    counted = sum(number or 0 for number in estimate[1:4])
    if estimate.num_rollouts is not None and counted > estimate.num_rollouts:
        raise RowError(
            f"{where}num_rollouts is {estimate.num_rollouts}, fewer than the {counted} that are counted"
        )
    for low, high in (("value_low", "value_high"), ("p_wrong_low", "p_wrong_high")):
        if values.get(low) is not None and values.get(high) is not None and values[low] > values[high]:
            raise RowError(f"{where}{low} is {values[low]}, above {high}, which is {values[high]}")
    return estimate


def _count(value: object, where: str) -> int:
    number = whole_number(value)
    if number is None or not 0 <= number < _MAX_COUNT:
        raise RowError(f"{where} is {shown(value)}, not a whole number from 0 on")
    return number


def _share(value: object, where: str) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else -1
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number <= 1:
        raise RowError(f"{where} is {shown(value)}, not a number from 0 to 1 or null")
    return number


def _truth(value: object, where: str) -> bool:
    known = {"true": True, "false": False}.get(str(value).strip().lower())
    if known is None:
        raise RowError(f"{where} is {shown(value)}, not true, false or null")
    return known


def _text(value: object, where: str) -> str | None:
    if not isinstance(value, str):
        raise RowError(f"{where} is {shown(value)}, not text")
    return value.strip() or None


_READERS: dict[str, Callable[[object, str], object]] = {
    **dict.fromkeys(("num_rollouts", "num_correct", "num_truncated", "num_ungraded", "cost_tokens"), _count),
    **dict.fromkeys(("value_low", "value_high", "p_wrong_low", "p_wrong_high"), _share),
    "has_signal": _truth,
    "estimator": _text,
}
