"""Cutting a sequence into batches.

Leaves out: which things belong together in one; who calls this has put them in order.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from stepmark.labeling.errors import InputError

_Item = TypeVar("_Item")


def batches(items: Sequence[_Item], batch_size: int) -> Iterator[Sequence[_Item]]:
    """Runs of ``batch_size`` items in their order; the last one may be shorter.

    >>> list(batches(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    if batch_size < 1:
        raise InputError(f"batch_size {batch_size} holds no item; use 1 or more.")
    for start in range(0, len(items), batch_size):
        yield items[start : start + batch_size]
