"""Calibration of soft step labels."""

import numpy as np
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.calibration import calibration


def test_the_error_is_the_mean_gap_weighted_by_bin() -> None:
    """Two steps valued .25 of which one is right, two valued .75 of which both: (.25 + .25) / 2."""
    found = calibration([0.25, 0.25, 0.75, 0.75], [True, False, True, True], ["p", "q", "r", "s"])

    assert found.ece.value == pytest.approx(0.25)
    assert found.num_steps == 4


def test_bins_hold_counts_means_and_intervals() -> None:
    """The upper end of a bin belongs to the next one, except for 1."""
    found = calibration([0.0, 0.5, 1.0], [False, True, True], ["p", "q", "r"], num_bins=2)

    assert [(b.low, b.high, b.mean_value, b.came_true.count, b.came_true.total) for b in found.bins] == [
        (0.0, 0.5, 0.0, 0, 1),
        (0.5, 1.0, 0.75, 2, 2),
    ]
    assert found.bins[1].came_true.low == pytest.approx(0.342, abs=1e-3)


def test_an_empty_bin_has_no_mean() -> None:
    """Unknown is None, not 0."""
    assert calibration([0.9], [True], ["p"], num_bins=2).bins[0].mean_value is None


def test_undecided_values_and_unknown_truths_are_counted_apart() -> None:
    """Neither enters a bin."""
    found = calibration([None, 0.5, 0.5], [True, None, True], ["p", "q", "r"])

    assert (found.num_steps, found.num_undecided, found.num_unknown) == (1, 1, 1)


def test_calibrated_values_have_a_small_error_and_an_interval_that_holds_it() -> None:
    """4,000 steps that are right as often as their value says."""
    rng = np.random.default_rng(0)
    values = rng.random(4000)
    truths = rng.random(4000) < values

    ece = calibration(values.tolist(), truths.tolist(), np.repeat(np.arange(400), 10).tolist()).ece

    assert ece.value is not None
    assert ece.low is not None
    assert ece.high is not None
    assert ece.value < 0.03
    assert ece.low <= ece.value <= ece.high


def test_nothing_decided_has_no_error() -> None:
    """An empty set is not perfectly calibrated."""
    assert calibration([None], [True], ["p"]).ece.value is None


def test_a_value_outside_the_unit_interval_is_refused() -> None:
    """A percentage in place of a share is a mistake upstream."""
    with pytest.raises(InputError, match="lies in"):
        calibration([70.0], [True], ["p"])
