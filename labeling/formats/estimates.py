"""What a step label says beside its rating and value where it is an estimate: counts, intervals, beliefs.

Without them a rating would be guessed anew from the value when the label comes back from a file. Leaves out:
the sampler of the rollouts, which another store does not know.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from stepmark.labeling.formats.io.fields import RowError, natural_number, shown, value_of_cell
from stepmark.labeling.formats.io.json_values import JsonObject

_TOLERANCE = 1e-6  # the audit's


class StepEstimate(NamedTuple):
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

    @property
    def labels_step(self) -> bool:
        """Whether it says how the step is: how it was made and what it cost do not."""
        return self.num_rollouts is not None or self.p_wrong_low is not None


ESTIMATE_COLUMNS = StepEstimate._fields


def estimate_of(
    row: JsonObject,
    where: str = "",
    *,
    rating: int | None,
    value: float | None,
    rating_at: str = "rating",
    value_at: str = "value",
) -> StepEstimate:
    """The estimate in the fields of ``row``; numbers and truth values may be text, as in CSV.

    ``rating`` and ``value`` are those of its step, ``rating_at`` and ``value_at`` the places they stand in.

    Raises:
        RowError: if one is out of range, or they contradict each other, as the audit ``labels_count`` has it.
    """
    values: dict[str, Any] = {}
    for name, read in _READERS.items():
        if row.get(name) is not None:
            values[name] = read(row[name], f"{where}{name}")
    estimate = StepEstimate(**values)
    _check_counts(estimate, where)
    for low, high in (("value_low", "value_high"), ("p_wrong_low", "p_wrong_high")):
        if values.get(low) is not None and values.get(high) is not None and values[low] > values[high]:
            raise RowError(f"{where}{low} is {values[low]}, above {high}, which is {values[high]}")
    if value is not None:
        _check_value(estimate, where, value, value_at)
    if rating == -1 and estimate.num_correct:
        raise RowError(f"{rating_at} is {rating}, but {where}num_correct is {estimate.num_correct}")
    return estimate


def _check_counts(estimate: StepEstimate, where: str) -> None:
    num_rollouts, num_correct = estimate.num_rollouts, estimate.num_correct
    if num_rollouts is None:
        for name in ("num_correct", "num_truncated", "num_ungraded"):
            number = getattr(estimate, name)
            if number or (number is not None and name == "num_correct"):
                raise RowError(f"{where}{name} is {number}, but num_rollouts is not given")
        return
    if num_correct is None:
        raise RowError(f"{where}num_rollouts is {num_rollouts}, but num_correct is not given")
    counted = num_correct + _num_undecided(estimate)
    if counted > num_rollouts:
        raise RowError(f"{where}num_rollouts is {num_rollouts}, fewer than the {counted} that are counted")


def _check_value(estimate: StepEstimate, where: str, value: float, value_at: str) -> None:
    if estimate.value_low is not None and value < estimate.value_low:
        raise RowError(f"{value_at} is {value}, below {where}value_low, which is {estimate.value_low}")
    if estimate.value_high is not None and value > estimate.value_high:
        raise RowError(f"{value_at} is {value}, above {where}value_high, which is {estimate.value_high}")
    if estimate.num_rollouts is None or estimate.num_correct is None or estimate.p_wrong_low is not None:
        return  # where there are beliefs, counts alone do not decide
    num_decided = estimate.num_rollouts - _num_undecided(estimate)
    if num_decided and abs(value - estimate.num_correct / num_decided) > _TOLERANCE:
        raise RowError(
            f"{value_at} is {value}, but {where}num_correct is {estimate.num_correct}"
            f" of {num_decided} decided rollouts"
        )


def _num_undecided(estimate: StepEstimate) -> int:
    return (estimate.num_truncated or 0) + (estimate.num_ungraded or 0)


def _num_samples(value: object, where: str) -> int:
    return natural_number(value, where, bits=32)


def _bool_of_cell(value: object, where: str) -> bool:
    known = {"true": True, "false": False}.get(str(value).strip().lower())
    if known is None:
        raise RowError(f"{where} is {shown(value)}, not true, false or null")
    return known


def _optional_text(value: object, where: str) -> str | None:
    if not isinstance(value, str):
        raise RowError(f"{where} is {shown(value)}, not text")
    return value.strip() or None


_READERS: dict[str, Callable[[object, str], object]] = {
    **dict.fromkeys(("num_rollouts", "num_correct", "num_truncated", "num_ungraded"), _num_samples),
    "cost_tokens": natural_number,
    **dict.fromkeys(("value_low", "value_high", "p_wrong_low", "p_wrong_high"), value_of_cell),
    "has_signal": _bool_of_cell,
    "estimator": _optional_text,
}
