"""How good estimated step labels are against a truth: overall, by place in the solution, by pass rate.

Takes a polars frame, one row per step of every solution that both have labeled, with the columns of
``agreement`` and ``num_steps`` (of the whole solution), ``value`` (0 to 1, that the solution can still end
right), ``p_wrong`` (0 to 1, that this step or one before it is wrong) and ``pass_rate`` (of the problem; 0 to
1); null is not known. Leaves out: reading and storing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from .agreement import (
    FirstErrorAgreement,
    Rate,
    WrongStepDetection,
    first_error_agreement,
    require_columns,
    wrong_step_detection,
)
from .calibration import Calibration, calibration
from .first_error import wrong_prefixes
from .intervals import PossibleEstimate
from .slices import pass_rate_bin, third

ALL = "all"
_COLUMNS = ("num_steps", "value", "p_wrong", "pass_rate", "true_rating")
_SLICE_RESAMPLES = 2_000  # parts are many and their intervals wide: a fifth of the usual number does


class Figure(NamedTuple):
    """One figure on one part of the steps. ``metric`` says of what; ``num_problems`` have steps in it."""

    slice_name: str
    metric: str
    value: Rate | PossibleEstimate
    num_problems: int


def label_quality(steps: pl.DataFrame) -> list[Figure]:
    """All figures of the labels in ``steps`` (columns: see the module).

    Steps and values are judged up to the true first error: after a wrong step the sources mean different
    things, a truth whether a claim is true, a rollout whether the answer can still be reached. ``p_wrong``
    speaks of a step and all before it, so it is judged on all steps; to leave out those after the true first
    error would leave out where it is right, and make sound probabilities look too high. First errors are
    compared as places, wherever the labels put them.

    Raises ``InputError`` as ``first_error_agreement`` does.
    """
    require_columns(steps, _COLUMNS)
    judged = up_to_first_error(steps)
    return [
        *_over_all(steps, judged),
        *_reliability("value", "share_right", "calibration_error", _calibration_of_values(judged), judged),
        *_reliability(
            "p_wrong", "share_wrong", "p_wrong_calibration_error", _calibration_of_p_wrong(steps), steps
        ),
        *_by_third(judged),
        *_by_pass_rate(steps, judged),
    ]


def up_to_first_error(steps: pl.DataFrame) -> pl.DataFrame:
    """The steps up to and with the true first error of their solution; all where there is none."""
    first_error = pl.col("step_index").filter(pl.col("true_rating") == -1).min().over("solution_id")
    return steps.filter(first_error.is_null() | (pl.col("step_index") <= first_error))


def _over_all(steps: pl.DataFrame, judged: pl.DataFrame) -> Iterator[Figure]:
    first_errors = _first_error_figures(first_error_agreement(steps))
    yield from _figures(ALL, first_errors | _wrong_step_figures(wrong_step_detection(judged)), judged)


def _by_third(steps: pl.DataFrame) -> Iterator[Figure]:
    places = [third(*row) for row in steps.select("step_index", "num_steps").iter_rows()]
    for name, part in _parts(steps.with_columns(part=pl.Series(places, dtype=pl.String))):
        found = wrong_step_detection(part, num_resamples=_SLICE_RESAMPLES)
        yield from _figures(name, _wrong_step_figures(found), part)


def _by_pass_rate(steps: pl.DataFrame, judged: pl.DataFrame) -> Iterator[Figure]:
    first_errors = dict(_parts(_with_bins(steps)))
    for name, part in _parts(_with_bins(judged)):
        figures = _first_error_figures(first_error_agreement(first_errors[name])) | _wrong_step_figures(
            wrong_step_detection(part, num_resamples=_SLICE_RESAMPLES)
        )
        yield from _figures(name, figures, part)


def _with_bins(steps: pl.DataFrame) -> pl.DataFrame:
    bins = [None if rate is None else pass_rate_bin(rate) for rate in steps["pass_rate"]]
    return steps.with_columns(part=pl.Series(bins, dtype=pl.String))


def _parts(steps: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    known = steps.filter(pl.col("part").is_not_null())
    for name in sorted(known["part"].unique()):
        yield name, known.filter(pl.col("part") == name)


def _first_error_figures(found: FirstErrorAgreement) -> dict[str, Rate | PossibleEstimate]:
    return {
        "first_error_agreement": found.exact,
        "first_error_agreement_on_error": found.exact_on_error,
        "first_error_off_by_one": found.off_by_one,
        "first_error_undecided": found.undecided,
    }


def _wrong_step_figures(found: WrongStepDetection) -> dict[str, Rate | PossibleEstimate]:
    return {
        "wrong_step_precision": found.precision,
        "wrong_step_recall": found.recall,
        "wrong_step_f1": found.f1,
        "step_undecided": found.undecided,
    }


def _calibration_of_values(steps: pl.DataFrame) -> Calibration:
    is_right = (steps["true_rating"] >= 0).to_list()
    return calibration(steps["value"].to_list(), is_right, steps["problem_id"].to_list())


def _calibration_of_p_wrong(steps: pl.DataFrame) -> Calibration:
    ordered = steps.sort("solution_id", "step_index")
    solutions = ordered.group_by("solution_id", maintain_order=True).agg("true_rating")
    is_wrong = [truth for ratings in solutions["true_rating"].to_list() for truth in wrong_prefixes(ratings)]
    return calibration(ordered["p_wrong"].to_list(), is_wrong, ordered["problem_id"].to_list())


def _reliability(
    label: str, share: str, error: str, found: Calibration, steps: pl.DataFrame
) -> Iterator[Figure]:
    """The error; of every bin that holds a step the mean of the label in it, and the share that came true."""
    if not found.num_steps:
        return
    yield from _figures(ALL, {error: found.ece}, steps)
    for one in found.bins:
        if one.came_true.total:
            name = f"{label}_{one.low:.1f}-{one.high:.1f}"
            yield Figure(
                name, f"{label}_mean", PossibleEstimate(one.mean_value, None, None), one.num_problems
            )
            yield Figure(name, f"{label}_{share}", one.came_true, one.num_problems)


def _figures(name: str, figures: dict[str, Rate | PossibleEstimate], steps: pl.DataFrame) -> Iterator[Figure]:
    num_problems = steps["problem_id"].n_unique()
    for metric, value in figures.items():
        yield Figure(name, metric, value, num_problems)
