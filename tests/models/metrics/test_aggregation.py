"""Solution scores from step scores."""

import doctest
import math

import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics import aggregation
from stepmark.models.metrics.aggregation import AGGREGATIONS, aggregate, log_product, step_score


def test_the_examples_in_the_docstrings_hold() -> None:
    """The worked examples are run."""
    assert doctest.testmod(aggregation).failed == 0


def test_neutral_counts_as_positive() -> None:
    """A step that is neither right nor wrong does no harm."""
    assert step_score(neutral=0.25, positive=0.5) == 0.75


def test_each_aggregation_reads_the_steps_it_names() -> None:
    """Literal values for a solution of four steps."""
    scores = [1.0, 0.5, 0.25, 0.5]

    assert aggregate(scores, "product") == pytest.approx(0.0625)
    assert aggregate(scores, "min") == 0.25
    assert aggregate(scores, "mean") == 0.5625
    assert aggregate(scores, "last") == 0.5


def test_a_score_moved_to_the_last_step_changes_last_alone() -> None:
    """The same scores in another order have the same product, minimum and mean."""
    before, after = [0.9, 0.1, 0.5], [0.1, 0.5, 0.9]

    same = {how: aggregate(before, how) == pytest.approx(aggregate(after, how)) for how in AGGREGATIONS}

    assert same == {"product": True, "min": True, "mean": True, "last": False}


def test_a_zero_makes_the_product_zero_without_an_error() -> None:
    """Log 0 is minus infinity, and the product comes back as 0."""
    assert aggregate([0.5, 0.0, 0.9], "product") == 0.0
    assert log_product([0.5, 0.0]) == -math.inf


def test_products_too_small_for_a_float_still_rank() -> None:
    """400 steps at .1 underflow to 0, in logarithms they stay above 500 such steps."""
    assert aggregate([0.1] * 400, "product") == aggregate([0.1] * 500, "product") == 0.0
    assert log_product([0.1] * 400) > log_product([0.1] * 500)


@pytest.mark.parametrize("how", AGGREGATIONS)
def test_steps_without_a_number_are_refused(how: str) -> None:
    """No aggregation hides a NaN or makes a score of no steps."""
    with pytest.raises(InputError, match="step 1 is nan"):
        aggregate([0.5, math.nan], how)
    with pytest.raises(InputError, match="without step scores"):
        aggregate([], how)


def test_a_product_of_negative_scores_is_refused() -> None:
    """Two negative scores would multiply to a good one."""
    with pytest.raises(InputError, match="at least 0, got -2"):
        aggregate([-2.0, -1.0], "product")


def test_an_unknown_aggregation_is_refused() -> None:
    """A misspelt name does not fall back to another."""
    with pytest.raises(InputError, match="'prod'"):
        aggregate([0.5], "prod")
