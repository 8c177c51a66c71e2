"""What undecided rollouts leave open: readings of them as right or wrong, prefix by prefix.

A belief is not monotone in them: a success after a step speaks for the step, but a problem that looks easy
makes earlier failures damning. So bounds need more than "all right" and "all wrong": here also every reading
that changes sides once along the solution, where the two effects pull one way. Leaves out: what is believed
under a reading (inference.py).
"""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from .cases import NO_ROLLOUTS, Case, Evidence
from .inference import Counted
from .values import Ints


def num_undecided(counted: Counted, cases: Sequence[Case], evidence: Evidence) -> Ints:
    """Rollouts from each prefix that were cut off or not graded, (C, J)."""
    numbers = np.zeros(counted.pair_of.shape, dtype=np.int64)
    for row, case in enumerate(cases):
        for column, key in enumerate(case.prefix_ids):
            found = evidence.get(key, NO_ROLLOUTS)
            numbers[row, column] = found.num_truncated + found.num_ungraded
    return numbers


def readings(counted: Counted, undecided: Ints) -> list[Counted]:
    """The arrays with undecided rollouts read as right before a place and wrong from it on, and the reverse.

    The first is all right, the second all wrong.
    """
    width = undecided.shape[1]
    column = np.arange(width)
    sides: list[NDArray[np.bool_]] = []
    for place in range(width, 0, -1):
        sides += [column < place, column >= place]
    return [_read_as(counted, undecided, np.broadcast_to(side, undecided.shape)) for side in sides]


def _read_as(counted: Counted, undecided: Ints, is_right: NDArray[np.bool_]) -> Counted:
    counts = counted.pairs[counted.pair_of] + np.stack([undecided, np.where(is_right, undecided, 0)], axis=-1)
    pairs, pair_of = np.unique(counts.reshape(-1, 2), axis=0, return_inverse=True)
    return replace(counted, pairs=pairs, pair_of=pair_of.reshape(counted.pair_of.shape))


def rows_of(counted: Counted, rows: NDArray[np.bool_]) -> Counted:
    """The arrays of some of the cases; ``pairs`` may hold more than they need."""
    by_case = {name: getattr(counted, name)[rows] for name in _BY_CASE}
    return replace(counted, **by_case)


_BY_CASE = [field.name for field in fields(Counted) if field.name != "pairs"]
