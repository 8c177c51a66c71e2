"""Batches: nothing lost, nothing moved."""

import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.batches import batches


def test_batches_keep_order_and_lose_nothing() -> None:
    """The last batch is shorter."""
    assert list(batches([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]


def test_a_batch_size_below_one_is_refused() -> None:
    """It would loop for ever."""
    with pytest.raises(InputError, match="batch_size 0"):
        list(batches([1], 0))
