"""What undecided rollouts leave open: readings of them as right or wrong, prefix by prefix.

A belief is not monotone in them: a success after a step speaks for the step, but a problem that looks easy
makes earlier failures damning. So bounds need more than "all right" and "all wrong": here also every reading
that changes sides once along the solution, where the two effects pull one way. Leaves out: what is believed
under a reading (inference.py).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .arrays import SolutionArrays, distinct_pairs
from .estimator import SolutionToLabel
from .rollout_counts import NO_ROLLOUTS, CountsByPrefix
from .value_prior import Ints


def num_undecided(
    arrays: SolutionArrays, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix
) -> Ints:
    """Rollouts from each prefix that were cut off or not graded, (N, J)."""
    numbers = np.zeros(arrays.pair_of.shape, dtype=np.int64)
    for row, solution in enumerate(solutions):
        for column, prefix_id in enumerate(solution.prefix_ids):
            numbers[row, column] = counts.get(prefix_id, NO_ROLLOUTS).num_undecided
    return numbers


def readings(arrays: SolutionArrays, undecided: Ints) -> list[SolutionArrays]:
    """The arrays with undecided rollouts read as right before a place and wrong from it on, and the reverse.

    The first is all right, the second all wrong.
    """
    width = undecided.shape[1]
    column = np.arange(width)
    sides: list[NDArray[np.bool_]] = []
    for place in range(width, 0, -1):
        sides += [column < place, column >= place]
    return [_read_as(arrays, undecided, np.broadcast_to(side, undecided.shape)) for side in sides]


def _read_as(arrays: SolutionArrays, undecided: Ints, is_right: NDArray[np.bool_]) -> SolutionArrays:
    counts = arrays.pairs[arrays.pair_of] + np.stack([undecided, np.where(is_right, undecided, 0)], axis=-1)
    pairs, pair_of = distinct_pairs(counts)
    return replace(arrays, pairs=pairs, pair_of=pair_of)
