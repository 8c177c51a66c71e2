"""Parts of solutions and bins of pass rates."""

import doctest

import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics import slices
from stepmark.models.metrics.slices import PASS_RATE_BINS, THIRDS, pass_rate_bin, third


def test_the_examples_in_the_docstrings_hold() -> None:
    """The worked examples are run."""
    assert doctest.testmod(slices).failed == 0


@pytest.mark.parametrize(
    ("num_steps", "places"), [(1, [1]), (2, [0, 2]), (3, [0, 1, 2]), (6, [0, 0, 1, 1, 2, 2])]
)
def test_thirds_are_even_and_symmetric(num_steps: int, places: list[int]) -> None:
    """A step belongs where its middle lies; the only step of a solution is in the middle."""
    assert [THIRDS.index(third(index, num_steps)) for index in range(num_steps)] == places


def test_pass_rates_of_0_and_1_stand_alone() -> None:
    """There all samples end alike, and rollouts tell nothing or next to nothing."""
    rates = [0.0, 0.01, 0.25, 0.5, 0.74, 0.75, 0.99, 1.0]

    assert [PASS_RATE_BINS.index(pass_rate_bin(rate)) for rate in rates] == [0, 1, 2, 3, 3, 4, 4, 5]


def test_names_sort_in_their_order() -> None:
    """A query that orders by slice shows bins as they lie."""
    assert sorted(PASS_RATE_BINS) == list(PASS_RATE_BINS)
    assert sorted(THIRDS) == list(THIRDS)


def test_what_is_out_of_range_is_refused() -> None:
    """A percentage is no share, and a step beyond the last is none."""
    with pytest.raises(InputError, match="lies in"):
        pass_rate_bin(50.0)
    with pytest.raises(InputError, match="is none of 3"):
        third(3, 3)
