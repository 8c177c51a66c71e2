"""Bootstrap intervals over problems and paired differences."""

import numpy as np
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.intervals import Estimate, Floats, bootstrap_intervals, paired_difference


def interval_of(values: Floats, **options: int) -> Estimate:
    """The interval of one column of values (P,)."""
    return bootstrap_intervals(values.reshape(-1, 1), **options)[0]


def test_the_interval_of_a_share_agrees_with_the_binomial_quantiles() -> None:
    """Resampling 40 right of 100 is Binomial(100, .4): its 2.5% and 97.5% points are .31 and .50."""
    values = np.array([1.0] * 40 + [0.0] * 60)

    estimate = interval_of(values, seed=1)

    assert estimate.value == 0.4
    assert estimate.low == pytest.approx(0.31, abs=0.011)
    assert estimate.high == pytest.approx(0.50, abs=0.011)


def test_one_seed_gives_one_interval_and_another_seed_another() -> None:
    """The seed is read and nothing else is random."""
    values = np.random.default_rng(0).random(50)

    assert interval_of(values, seed=1) == interval_of(values, seed=1)
    assert interval_of(values, seed=1) != interval_of(values, seed=2)


def test_columns_share_their_resamples() -> None:
    """A column's interval is the same alone and in company."""
    values = np.random.default_rng(0).random((50, 3))

    together = bootstrap_intervals(values, seed=4)

    for column, estimate in enumerate(together):
        assert estimate == pytest.approx(interval_of(values[:, column], seed=4))


def test_problems_that_all_agree_do_not_make_a_certainty() -> None:
    """Three of three right: the bootstrap would say [1, 1], the interval says at least .44."""
    estimate = interval_of(np.ones(3))

    assert estimate.value == 1.0
    assert estimate.low == pytest.approx(0.4385, abs=1e-4)
    assert estimate.high == 1.0


def test_a_paired_interval_sees_what_separate_intervals_hide() -> None:
    """Two selectors that differ on 10 of 100 problems, always in one direction, are different."""
    b = np.array([1.0, 0.0] * 50)
    a = b.copy()
    a[1:20:2] = 1.0

    difference = paired_difference(a, b)

    assert difference.value == pytest.approx(0.1)
    assert difference.low > 0
    assert interval_of(b).high > interval_of(a).low


def test_a_selector_does_not_differ_from_itself() -> None:
    """The difference is 0 and its interval too."""
    values = np.random.default_rng(0).random(20)

    assert paired_difference(values, values) == (0.0, 0.0, 0.0)


def test_pairs_need_the_same_problems() -> None:
    """Arrays of different lengths cannot be paired."""
    with pytest.raises(InputError, match="same problems on both sides"):
        paired_difference(np.ones(3), np.ones(4))


def test_a_pair_of_single_problems_has_no_interval() -> None:
    """One problem says nothing about the next."""
    with pytest.raises(InputError, match="at least 2 problems, got 1"):
        paired_difference(np.ones(1), np.zeros(1))


@pytest.mark.parametrize("values", [[0.5, 1.5], [-0.1, 0.2], [0.5, float("nan")]])
def test_values_that_are_no_shares_are_refused(values: list[float]) -> None:
    """A percentage or a NaN among the shares is a mistake upstream."""
    with pytest.raises(InputError, match="must lie in"):
        interval_of(np.array(values))


def test_no_problem_has_no_mean() -> None:
    """An empty evaluation fails instead of reporting 0."""
    with pytest.raises(InputError, match="No problem"):
        interval_of(np.array([]))


def test_many_problems_are_resampled_in_blocks_of_bounded_size() -> None:
    """5,000 problems, where each block holds 800 resamples, have the interval of the normal law."""
    values = np.array([1.0, 0.0] * 2500)

    estimate = interval_of(values, num_resamples=2000)

    half = 1.96 * 0.5 / np.sqrt(5000)
    assert estimate.low == pytest.approx(0.5 - half, abs=0.0015)
    assert estimate.high == pytest.approx(0.5 + half, abs=0.0015)
