"""Agreement of estimated step labels with the truth."""

import doctest

import polars as pl
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics import agreement
from stepmark.models.metrics.agreement import first_error_agreement, wrong_step_detection

Ratings = list[int | None]


def _steps(solutions: dict[str, tuple[Ratings, Ratings]]) -> pl.DataFrame:
    # solution_id -> (estimated ratings, true ratings); every solution has its own problem.
    rows = [
        ("p" + solution, solution, index, rating, true_rating)
        for solution, (ratings, true_ratings) in solutions.items()
        for index, (rating, true_rating) in enumerate(zip(ratings, true_ratings, strict=True))
    ]
    schema = {
        "problem_id": pl.String,
        "solution_id": pl.String,
        "step_index": pl.Int64,
        "rating": pl.Int8,
        "true_rating": pl.Int8,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


_SIX: dict[str, tuple[Ratings, Ratings]] = {
    "exact": ([1, -1, -1], [1, -1, -1]),
    "late": ([1, 1, -1], [1, -1, -1]),
    "missed": ([1, 1, 1], [-1, -1, -1]),
    "right": ([1, 1, 1], [1, 0, 1]),
    "open": ([1, None, -1], [1, 1, -1]),
    "unknown": ([1, 1, -1], [1, None, -1]),
}


def test_the_examples_in_the_docstrings_hold() -> None:
    """The worked examples are run."""
    assert doctest.testmod(agreement).failed == 0


def test_first_errors_are_compared_solution_by_solution() -> None:
    """Of four decided solutions two agree, one is a step late, one error is missed."""
    found = first_error_agreement(_steps(_SIX))

    assert (found.exact.count, found.exact.total) == (2, 4)
    assert (found.exact_on_error.count, found.exact_on_error.total) == (1, 3)
    assert (found.off_by_one.count, found.both_none.count) == (1, 1)


def test_undecided_labels_and_unknown_truths_are_counted_apart() -> None:
    """Neither is taken as wrong."""
    found = first_error_agreement(_steps(_SIX))

    assert (found.num_undecided, found.num_unknown) == (1, 1)


def test_a_rate_has_wilsons_interval() -> None:
    """2 of 4 lies between .150 and .850."""
    exact = first_error_agreement(_steps(_SIX)).exact

    assert exact.value == 0.5
    assert exact.low == pytest.approx(0.150, abs=1e-3)
    assert exact.high == pytest.approx(0.850, abs=1e-3)


def test_rates_of_nothing_are_unknown() -> None:
    """With every label undecided there is no agreement to report."""
    found = first_error_agreement(_steps({"open": ([None, None], [1, -1])}))

    assert found.exact.value is None
    assert found.num_undecided == 1


def test_an_error_at_the_first_step_is_one_off_from_the_second_and_not_from_none() -> None:
    """-1 stands for none and is no neighbour of 0."""
    found = first_error_agreement(_steps({"a": ([1, 1], [-1, 1]), "b": ([1, -1], [-1, -1])}))

    assert found.off_by_one.count == 1


def test_wrong_steps_are_detected_with_counted_precision_and_recall() -> None:
    """Of the six solutions' 16 decided steps of known truth: TP 5, FP 0, FN 4, TN 7."""
    found = wrong_step_detection(_steps(_SIX))

    counts = (
        found.num_true_positive,
        found.num_false_positive,
        found.num_false_negative,
        found.num_true_negative,
    )
    assert counts == (5, 0, 4, 7)
    assert found.precision.value == 1.0
    assert found.recall.value == pytest.approx(5 / 9)
    assert found.f1.value == pytest.approx(10 / 14)
    assert (found.num_undecided, found.num_unknown) == (1, 1)


def test_detection_intervals_hold_their_values() -> None:
    """The bootstrap over problems lies around the ratio."""
    recall = wrong_step_detection(_steps(_SIX)).recall

    assert recall.low is not None
    assert recall.high is not None
    assert recall.low < 5 / 9 < recall.high


def test_precision_without_a_step_called_wrong_is_unknown() -> None:
    """Nothing called wrong: no precision, recall 0."""
    found = wrong_step_detection(_steps({"a": ([1, 1], [1, -1])}))

    assert found.precision.value is None
    assert found.recall.value == 0.0


def test_a_step_given_twice_is_refused() -> None:
    """A join that multiplies rows would weigh some steps double."""
    steps = _steps({"a": ([1], [1])})

    with pytest.raises(InputError, match="given twice"):
        first_error_agreement(pl.concat([steps, steps]))


def test_a_missing_step_is_refused() -> None:
    """A first error cannot be read off a solution with a hole."""
    steps = _steps({"a": ([1, 1, -1], [1, 1, -1])}).filter(pl.col("step_index") != 1)

    with pytest.raises(InputError, match="Solution a has the steps"):
        first_error_agreement(steps)


def test_a_missing_column_is_refused_by_name() -> None:
    """The message says which column and which there are."""
    with pytest.raises(InputError, match="lacks the column 'true_rating'"):
        wrong_step_detection(_steps({"a": ([1], [1])}).drop("true_rating"))


def test_the_order_of_rows_does_not_matter() -> None:
    """Steps are sorted before their first error is read."""
    steps = _steps(_SIX)

    assert first_error_agreement(steps.reverse()) == first_error_agreement(steps)
