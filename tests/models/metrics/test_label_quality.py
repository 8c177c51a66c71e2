"""Figures of label quality on planted labels whose answers can be counted by hand."""

import numpy as np
import polars as pl
import pytest

from stepmark.models.metrics.label_quality import Figure, label_quality, up_to_first_error

Rows = list[tuple[int | None, int | None]]  # label and truth, step by step
SCHEMA = {
    "problem_id": pl.String,
    "solution_id": pl.String,
    "step_index": pl.Int64,
    "num_steps": pl.Int64,
    "rating": pl.Int8,
    "true_rating": pl.Int8,
    "value": pl.Float64,
    "p_wrong": pl.Float64,
    "pass_rate": pl.Float64,
}


def _steps(solutions: dict[str, Rows], pass_rates: dict[str, float] | None = None) -> pl.DataFrame:
    rows = [
        ("p" + key, key, index, len(ratings), label, truth, None, None, (pass_rates or {}).get(key))
        for key, ratings in solutions.items()
        for index, (label, truth) in enumerate(ratings)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _by_name(figures: list[Figure]) -> dict[tuple[str, str], Figure]:
    return {(figure.slice_name, figure.metric): figure for figure in figures}


def _values(steps: pl.DataFrame, slice_name: str = "all") -> dict[str, float | None]:
    return {f.metric: f.value.value for f in label_quality(steps) if f.slice_name == slice_name}


# Two first errors found, one put a step late, one missed, one right solution and one left open.
SIX: dict[str, Rows] = {
    "exact": [(1, 1), (-1, -1), (-1, 1)],
    "first": [(-1, -1), (1, 1), (1, 1)],
    "late": [(1, 1), (1, -1), (-1, 1)],
    "missed": [(1, 1), (1, 1), (1, -1)],
    "right": [(1, 1), (1, 0), (1, 1)],
    "open": [(1, 1), (None, 1), (-1, -1)],
}


def test_first_errors_and_steps_are_counted_up_to_the_true_first_error() -> None:
    """5 of 6 solutions are decided, 3 of them agree, 2 of 4 where there is an error."""
    found = _values(_steps(SIX))

    assert found["first_error_agreement"] == pytest.approx(3 / 5)
    assert found["first_error_agreement_on_error"] == pytest.approx(2 / 4)
    assert found["first_error_off_by_one"] == pytest.approx(1 / 5)
    assert found["first_error_undecided"] == pytest.approx(1 / 6)
    assert found["step_undecided"] == pytest.approx(1 / 14)
    assert found["wrong_step_precision"] == 1.0
    assert found["wrong_step_recall"] == pytest.approx(3 / 5)
    assert found["wrong_step_f1"] == pytest.approx(6 / 8)


def test_a_label_undecided_after_the_true_first_error_has_missed_it() -> None:
    """The step was called right: what is said of later ones cannot mend that."""
    found = _values(_steps({"a": [(1, -1), (None, 1)], "b": [(None, -1), (1, 1)]}))

    assert found["first_error_agreement"] == 0.0
    assert found["first_error_undecided"] == 0.5


def test_an_unknown_truth_judges_nothing() -> None:
    """People stopped before the end and found no error: the first error is open, the steps count."""
    found = _values(_steps({"a": [(1, 1), (-1, None)], "b": [(1, 1), (-1, -1)]}))

    assert found["first_error_agreement"] == 1.0
    assert found["wrong_step_recall"] == 1.0
    assert found["wrong_step_precision"] == 1.0


def test_wrong_steps_are_judged_by_place_in_the_solution() -> None:
    """Of the errors the one in the first third is found, one of two in the middle, one of two in the last."""
    found = _by_name(label_quality(_steps(SIX)))

    assert found["third_1", "wrong_step_recall"].value.value == 1.0
    assert found["third_2", "wrong_step_recall"].value.value == 0.5
    assert found["third_3", "wrong_step_recall"].value.value == 0.5
    assert found["third_2", "step_undecided"].value.value == pytest.approx(1 / 5)
    assert found["third_3", "wrong_step_recall"].num_problems == 3


def test_agreement_is_told_by_pass_rate() -> None:
    """A bin holds its problems' solutions; those of an unknown pass rate are in none."""
    pass_rates = {"exact": 0.3, "late": 0.4, "right": 1.0, "missed": 0.0}
    found = _by_name(label_quality(_steps(SIX, pass_rates)))

    assert found["pass_rate_0.25-0.50", "first_error_agreement"].value.value == 0.5
    assert found["pass_rate_0.25-0.50", "first_error_off_by_one"].value.value == 0.5
    assert found["pass_rate_0.25-0.50", "first_error_agreement"].num_problems == 2
    assert found["pass_rate_1", "first_error_agreement"].value.value == 1.0
    assert found["pass_rate_0", "first_error_agreement"].value.value == 0.0
    assert ("pass_rate_0.50-0.75", "first_error_agreement") not in found


def test_values_are_judged_up_to_the_true_first_error() -> None:
    """Three steps valued 0.9 of which two are right; what follows the wrong one does not count."""
    steps = _steps({"a": [(1, 1), (1, 1), (1, -1), (1, 1)]}).with_columns(value=pl.lit(0.9))
    found = _by_name(label_quality(steps))

    assert found["value_0.9-1.0", "value_share_right"].value.value == pytest.approx(2 / 3)
    assert found["value_0.9-1.0", "value_mean"].value.value == pytest.approx(0.9)
    assert found["all", "calibration_error"].value.value == pytest.approx(0.9 - 2 / 3)


def test_a_probability_of_being_wrong_counts_the_steps_after_the_first_error_too() -> None:
    """At 0.9 are a step after an error, which is wrong by what came before, and one before it."""
    steps = _steps({"a": [(1, -1), (-1, 1)], "b": [(-1, 1), (-1, -1)]}).with_columns(
        p_wrong=pl.Series([0.1, 0.9, 0.9, 0.9])
    )
    found = _by_name(label_quality(steps))

    assert found["p_wrong_0.9-1.0", "p_wrong_share_wrong"].value.value == pytest.approx(2 / 3)
    assert found["p_wrong_0.1-0.2", "p_wrong_share_wrong"].value.value == 1.0
    assert found["p_wrong_0.9-1.0", "p_wrong_share_wrong"].num_problems == 2
    assert found["all", "p_wrong_calibration_error"].value.value == pytest.approx(
        (abs(2 - 2.7) + abs(1 - 0.1)) / 4
    )


def test_sound_beliefs_have_a_small_calibration_error() -> None:
    """2,000 solutions whose first error is drawn from what their labels believe."""
    rng = np.random.default_rng(0)
    beliefs = rng.dirichlet([0.5] * 4, size=2000)  # of step 0, 1, 2, none
    first_errors = [int(rng.choice(4, p=belief)) for belief in beliefs]
    rows = [
        (f"p{key}", f"{key}", step, 3, 1, -1 if step == first else 1, None, p_wrong, None)
        for key, (belief, first) in enumerate(zip(beliefs, first_errors, strict=True))
        for step, p_wrong in enumerate(np.minimum(np.cumsum(belief)[:3], 1.0).tolist())
    ]
    found = _values(pl.DataFrame(rows, schema=SCHEMA, orient="row"))

    error = found["p_wrong_calibration_error"]
    assert error is not None
    assert error < 0.03


def test_a_source_without_probabilities_has_no_figures_of_them() -> None:
    """Counting estimators infer none, and 0 would be read as perfect."""
    metrics = {figure.metric for figure in label_quality(_steps(SIX))}

    assert not [metric for metric in metrics if "p_wrong" in metric or "value" in metric]
    assert "calibration_error" not in metrics


def test_figures_have_intervals_that_hold_them() -> None:
    """Rates have Wilson's, ratios a bootstrap over problems."""
    for figure in label_quality(_steps(SIX)):
        rate = figure.value
        if rate.value is not None and rate.low is not None and rate.high is not None:
            assert rate.low <= rate.value <= rate.high, figure


def test_a_solution_without_a_true_error_is_not_cut() -> None:
    """Only what comes after a wrong step is dropped."""
    steps = _steps({"a": [(1, 1), (1, 0)], "b": [(1, 1), (1, -1), (1, 1)]})

    assert up_to_first_error(steps)["solution_id"].to_list() == ["a", "a", "b", "b"]
