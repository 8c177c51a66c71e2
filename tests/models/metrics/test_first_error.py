"""First errors from ratings and scores, and ProcessBench's metrics."""

import doctest
import json
from pathlib import Path

import numpy as np
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics import first_error
from stepmark.models.metrics.first_error import (
    first_error_from_ratings,
    first_error_from_scores,
    first_error_metrics,
    harmonic_mean,
)


def test_the_examples_in_the_docstrings_hold() -> None:
    """The worked examples are run."""
    assert doctest.testmod(first_error).failed == 0


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([1, 1, 1], -1),
        ([1, 0, 1], -1),
        ([-1, 1, 1], 0),
        ([1, 0, -1, -1], 2),
        ([1, -1, None], 1),
        ([1, None, 1], None),
        ([None, -1], None),
    ],
)
def test_the_first_error_is_the_first_step_rated_wrong(
    ratings: list[int | None], expected: int | None
) -> None:
    """Neutral is no error; an unknown rating before the first error leaves it open."""
    assert first_error_from_ratings(ratings) == expected


def test_a_rating_outside_the_scale_is_refused() -> None:
    """A 2, or a probability in place of a rating, is a mistake upstream."""
    with pytest.raises(InputError, match="rating of step 1 is 2"):
        first_error_from_ratings([1, 2])


def test_a_score_at_the_threshold_is_no_error() -> None:
    """Only scores below the threshold are errors."""
    assert first_error_from_scores([0.9, 0.5, 0.4], 0.5) == 2
    assert first_error_from_scores([0.9, 0.5], 0.5) == -1


def test_scores_that_are_not_numbers_are_refused() -> None:
    """NaN is below nothing and would pass as right."""
    with pytest.raises(InputError, match="numbers"):
        first_error_from_scores([0.9, float("nan")], 0.5)


def test_metrics_of_a_small_set_are_those_counted_by_hand() -> None:
    """Errors found 1 of 4, right ones recognised 2 of 3: F1 = 2 * .25 * .667 / .917 = 4/11."""
    labels = [0, 1, 2, 3, -1, -1, -1]
    predictions = [0, 2, -1, 4, -1, -1, 0]

    metrics = first_error_metrics(labels, predictions)

    assert metrics.accuracy_error is not None
    assert metrics.accuracy_correct is not None
    assert metrics.f1 is not None
    assert metrics.accuracy_error.value == 0.25
    assert metrics.accuracy_correct.value == pytest.approx(2 / 3)
    assert metrics.f1.value == pytest.approx(4 / 11)
    assert (metrics.num_error, metrics.num_correct) == (4, 3)


def test_intervals_hold_their_values() -> None:
    """On 500 solutions the interval of F1 is narrow and around the value."""
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(500) < 0.5, -1, 2).tolist()
    predictions = np.where(rng.random(500) < 0.7, labels, 3).tolist()

    f1 = first_error_metrics(labels, predictions).f1

    assert f1 is not None
    assert f1.low < f1.value < f1.high
    assert 0.05 < f1.high - f1.low < 0.12


def test_perfect_predictions_on_few_solutions_are_no_certainty() -> None:
    """Three of three in both classes: F1 is 1 and its interval goes down to Wilson's .4385."""
    f1 = first_error_metrics([0, 1, 2, -1, -1, -1], [0, 1, 2, -1, -1, -1]).f1

    assert f1 is not None
    assert f1.value == f1.high == 1.0
    assert f1.low == pytest.approx(0.4385, abs=1e-4)


def test_f1_is_zero_when_nothing_is_found() -> None:
    """The harmonic mean of two zeros is its limit, not a division by zero."""
    f1 = first_error_metrics([0, -1], [1, 0]).f1

    assert f1 is not None
    assert f1.value == 0.0
    assert harmonic_mean(np.array([0.0, 1.0]), np.array([0.0, 0.5])).tolist() == [0.0, 2 / 3]


@pytest.mark.parametrize(
    ("label", "reason"), [(-1, "no solution has an error"), (2, "every solution has an error")]
)
def test_a_missing_class_is_unknown_and_not_zero(label: int, reason: str) -> None:
    """Without solutions of a class there is no accuracy on it and no F1, and the reason is given."""
    metrics = first_error_metrics([label, label], [label, label])

    missing = metrics.accuracy_error if label == -1 else metrics.accuracy_correct
    assert missing is None
    assert metrics.f1 is None
    assert metrics.reason is not None
    assert reason in metrics.reason


def test_a_missing_prediction_is_wrong_and_counted() -> None:
    """A judge that names no index does not gain by it."""
    metrics = first_error_metrics([1, -1], [None, None])

    assert metrics.accuracy_error is not None
    assert metrics.accuracy_error.value == 0.0
    assert metrics.num_without_prediction == 2


def test_an_index_below_minus_one_is_refused() -> None:
    """-2 names no step."""
    with pytest.raises(InputError, match="Solution 1: the prediction is -2"):
        first_error_metrics([0, 1], [0, -2])


def test_a_judge_that_accepts_everything_scores_nothing_on_processbench(real_data: Path) -> None:
    """GSM8K's part has 207 solutions with an error and 193 without; always -1 finds none of the former."""
    rows = json.loads((real_data / "step_labels" / "processbench_gsm8k.json").read_text(encoding="utf-8"))
    labels = [row["label"] for row in rows]

    metrics = first_error_metrics(labels, [-1] * len(labels))

    assert (metrics.num_error, metrics.num_correct) == (207, 193)
    assert metrics.f1 is not None
    assert metrics.f1.value == 0.0
