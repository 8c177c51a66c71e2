"""Length bias within problems."""

import numpy as np
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.bias import length_bias, spearman, within_problem_spearman


def test_a_product_of_equal_steps_favours_short_solutions_and_the_others_do_not() -> None:
    """With every step at .9, only the product falls with length."""
    ids = ["p", "p", "p", "q", "q", "q"]
    scores = [[0.9] * steps for steps in (2, 3, 5, 4, 6, 9)]

    biases = length_bias(ids, scores)

    assert biases["product"].value == -1.0
    assert biases["product"].num_problems == 2
    for how in ("min", "mean", "last"):
        assert biases[how].value is None
        assert biases[how].num_constant == 2


def test_harder_problems_with_longer_solutions_are_no_bias() -> None:
    """Across problems score and length run against each other, within each problem they do not."""
    ids = ["easy"] * 4 + ["hard"] * 4
    values = [0.8, 0.9, 0.9, 0.8, 0.2, 0.1, 0.1, 0.2]
    num_steps = [2, 2, 3, 3, 8, 8, 9, 9]

    assert within_problem_spearman(ids, values, num_steps).value == 0.0


def test_ties_take_their_mean_rank() -> None:
    """Literal value: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 correlate at the root of .9."""
    found = spearman(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]))

    assert found == pytest.approx(0.9486832980505138)


def test_an_interval_needs_two_problems() -> None:
    """One problem gives a value and no interval."""
    bias = within_problem_spearman(["p"] * 3, [0.1, 0.2, 0.3], [1, 2, 3])

    assert (bias.value, bias.low, bias.high) == (1.0, None, None)


def test_the_interval_lies_around_the_mean() -> None:
    """Random scores on 100 problems have no bias, and the interval says so."""
    rng = np.random.default_rng(0)
    ids = np.repeat(np.arange(100), 8).tolist()

    bias = within_problem_spearman(ids, rng.random(800).tolist(), rng.integers(2, 9, 800).tolist())

    assert bias.low is not None
    assert bias.high is not None
    assert bias.low < 0 < bias.high


def test_lists_of_unequal_length_are_refused() -> None:
    """A lost solution is noticed."""
    with pytest.raises(InputError, match="got 2, 1 and 2"):
        within_problem_spearman(["p", "p"], [0.1], [1, 2])
