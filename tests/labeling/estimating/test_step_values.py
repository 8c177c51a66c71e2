"""The value of a step from its rollouts, and its interval."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepmark.labeling.errors import InputError
from stepmark.labeling.estimating import counting, step_values, wilson
from stepmark.labeling.estimating.step_values import estimate_value
from stepmark.labeling.estimating.wilson import wilson_interval


def test_every_example_in_the_docstrings_holds() -> None:
    """The worked examples are run, so they cannot go stale."""
    results = [doctest.testmod(module) for module in (counting, step_values, wilson)]

    assert sum(result.attempted for result in results) >= 9
    assert sum(result.failed for result in results) == 0


def test_wilson_agrees_with_published_values() -> None:
    """Newcombe 1998, table 1, method 3: 81 of 263, 15 of 148, 0 of 20 and 1 of 29."""
    rounded = [
        tuple(round(bound, 4) for bound in wilson_interval(k, n))
        for k, n in [(81, 263), (15, 148), (0, 20), (1, 29)]
    ]

    assert rounded == [(0.2553, 0.3662), (0.0624, 0.1605), (0.0, 0.1611), (0.0061, 0.1718)]


def test_truncated_rollouts_are_not_wrong_ones() -> None:
    """With 35 of 100 cut off and 53 of the other 65 right the value is 53/65, not 53/100."""
    estimate = estimate_value(num_rollouts=100, num_correct=53, num_truncated=35)

    assert estimate.value == 53 / 65
    assert estimate.num_rollouts == 100


def test_truncation_widens_the_interval_on_both_sides() -> None:
    """The low end takes the truncated as wrong, the high end as right."""
    estimate = estimate_value(num_rollouts=8, num_correct=3, num_truncated=2)

    assert (estimate.value_low, estimate.value_high) == (wilson_interval(3, 8)[0], wilson_interval(5, 8)[1])


def test_no_rollout_means_nothing_is_known() -> None:
    """Without rollouts value and interval are None, not 0."""
    nothing = estimate_value(num_rollouts=0, num_correct=0)

    assert (nothing.value, nothing.value_low, nothing.value_high) == (None, None, None)


@pytest.mark.parametrize("counts", [(-1, 0, 0), (4, 5, 0), (4, 2, 3), (4, -1, 0), (4, 0, -1)])
def test_counts_that_do_not_add_up_are_refused(counts: tuple[int, int, int]) -> None:
    """Negative counts and parts above the whole are mistakes upstream."""
    with pytest.raises(InputError, match="do not add up"):
        estimate_value(*counts)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_the_interval_holds_whatever_the_truncated_would_have_become(
    num_correct: int, num_wrong: int, num_truncated: int
) -> None:
    """For every way to decide the truncated rollouts, the full sample's interval lies inside."""
    num_rollouts = num_correct + num_wrong + num_truncated
    estimate = estimate_value(num_rollouts, num_correct, num_truncated)
    if num_rollouts == 0:
        return

    assert estimate.value_low is not None
    assert estimate.value_high is not None
    for extra in range(num_truncated + 1):
        low, high = wilson_interval(num_correct + extra, num_rollouts)
        assert estimate.value_low <= low + 1e-12
        assert estimate.value_high >= high - 1e-12
    if estimate.value is not None:
        assert estimate.value_low <= estimate.value <= estimate.value_high
