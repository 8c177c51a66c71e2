"""How a figure with its 95% interval is shown: in percent as text, and as fields of JSON.

Leaves out: computing it (stepmark.models.metrics).
"""

from typing import Protocol


class Interval(Protocol):
    """A value with its 95% interval; None where undefined."""

    @property
    def value(self) -> float | None:
        """The value itself."""

    @property
    def low(self) -> float | None:
        """The interval's lower end."""

    @property
    def high(self) -> float | None:
        """The interval's upper end."""


def percent(point: Interval) -> str:
    """``52.3 [48.1, 56.0]``, in percent; without an interval where there is none."""
    return _percent(point, "")


def signed_percent(point: Interval) -> str:
    """``+12.0 [+8.1, +16.0]``, in percentage points."""
    return _percent(point, "+")


def _percent(point: Interval, sign: str) -> str:
    if point.value is None:
        return "not defined"
    value, *ends = (f"{100 * x:{sign}.1f}" for x in (point.value, point.low, point.high) if x is not None)
    return f"{value} [{', '.join(ends)}]" if ends else value


def interval_fields(point: Interval) -> dict[str, float | None]:
    """The ends of the interval under the published keys."""
    return {"ci95_low": point.low, "ci95_high": point.high}


def value_fields(point: Interval) -> dict[str, float | None]:
    """Value and interval under the published keys."""
    return {"value": point.value, **interval_fields(point)}
