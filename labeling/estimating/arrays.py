"""Solutions to label and the counts of their rollouts, as arrays to compute with.

Undecided rollouts are left out of the counts; undecided.py puts them back in, read as right or wrong.
Legend: N solutions, J prefixes of the longest one, T pass rates, U different pairs of counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .estimator import SolutionToLabel
from .rollout_counts import NO_ROLLOUTS, CountsByPrefix
from .value_prior import RATES, Floats, Ints, expected_rate


@dataclass(frozen=True, slots=True)
class SolutionArrays:
    """``pairs``: (U, 2), rollouts and right ones; ``pair_of``: (N, J), indexes into it.

    ``rate_of``: (N, J, T), index of a right prefix's expected value at each pass rate. ``num_steps``: (N,).
    ``solved``: (N, 2), other solutions to the problem, and right ones. ``error_odds``: (N, J + 1).
    """

    num_steps: Ints
    is_correct: NDArray[np.bool_]
    solved: Ints
    error_odds: Floats
    rate_of: Ints
    pairs: Ints
    pair_of: Ints


_BY_SOLUTION = [field.name for field in fields(SolutionArrays) if field.name != "pairs"]


def arrays_of(solutions: Sequence[SolutionToLabel], counts: CountsByPrefix) -> SolutionArrays:
    """The solutions with their decided rollouts so far, siblings included."""
    num_steps = np.array([solution.num_steps for solution in solutions], dtype=np.int64)
    width = int(num_steps.max(initial=1)) - 1
    share_done = np.minimum((np.arange(width) + 1) / num_steps[:, None], 1.0)
    odds = np.ones((len(solutions), width + 1))
    for row, solution in enumerate(solutions):
        if solution.error_odds:
            odds[row, : solution.num_steps] = solution.error_odds
    siblings = [np.array(solution.siblings or [(0, 0)]).sum(axis=0) for solution in solutions]
    pairs, pair_of = distinct_pairs(_decided_counts(solutions, counts, width))
    return SolutionArrays(
        num_steps=num_steps,
        is_correct=np.array([solution.is_correct for solution in solutions], dtype=np.bool_),
        solved=np.array(siblings, dtype=np.int64).reshape(-1, 2),
        error_odds=odds,
        rate_of=expected_rate(RATES, share_done[..., None]),
        pairs=pairs,
        pair_of=pair_of,
    )


def _decided_counts(solutions: Sequence[SolutionToLabel], counts: CountsByPrefix, width: int) -> Ints:
    """Decided rollouts from each prefix, and right ones, siblings among them: (N, J, 2)."""
    decided = np.zeros((len(solutions), width, 2), dtype=np.int64)
    for row, solution in enumerate(solutions):
        for column, prefix_id in enumerate(solution.prefix_ids):
            found = counts.get(prefix_id, NO_ROLLOUTS)
            siblings, right_siblings = solution.siblings[column + 1] if solution.siblings else (0, 0)
            decided[row, column] = (siblings + found.num_decided, right_siblings + found.num_correct)
    return decided


def distinct_pairs(counts: Ints) -> tuple[Ints, Ints]:
    """The different pairs among (N, J, 2) counts, (U, 2), and the index of each, (N, J)."""
    pairs, pair_of = np.unique(counts.reshape(-1, 2), axis=0, return_inverse=True)
    return pairs, pair_of.reshape(counts.shape[:2])


def rows_of(arrays: SolutionArrays, rows: NDArray[np.bool_]) -> SolutionArrays:
    """The arrays of some of the solutions; ``pairs`` may hold more than they need."""
    by_solution = {name: getattr(arrays, name)[rows] for name in _BY_SOLUTION}
    return SolutionArrays(pairs=arrays.pairs, **by_solution)
