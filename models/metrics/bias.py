"""Length bias: does a solution's score follow its number of steps, problem by problem?

Within a problem, because hard problems have both longer solutions and lower scores, which is no bias.
A correlation is not all bias either: where longer attempts really are wrong more often a perfect judge shows
one. Compare it with that of ``is_correct``, or between aggregations. Leaves out: correcting it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

from .aggregation import AGGREGATIONS, aggregate, log_product
from .intervals import NUM_RESAMPLES, bootstrap_means

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LengthBias:
    """Mean within-problem Spearman correlation, in [-1, 1], with its 95% interval over problems.

    ``num_constant`` problems, where scores or step counts do not vary, have no correlation and are left out
    of ``num_problems``. All three values are None when none is left, the interval when there is only one.
    """

    value: float | None
    low: float | None
    high: float | None
    num_problems: int
    num_constant: int


def length_bias(
    problem_ids: Sequence[Hashable], step_scores: Sequence[Sequence[float]], *, seed: int = 0
) -> dict[str, LengthBias]:
    """Length bias of every aggregation; one entry a solution in both lists, step scores in order.

    Raises ``InputError`` for lists of unequal length and scores that ``aggregate`` refuses.
    """
    num_steps = [len(scores) for scores in step_scores]
    biases = {}
    for how in AGGREGATIONS:
        # Ranks alone count, and in logarithms long products stay apart.
        values = [log_product(s) if how == "product" else aggregate(s, how) for s in step_scores]
        biases[how] = within_problem_spearman(problem_ids, values, num_steps, seed=seed)
    return biases


def within_problem_spearman(
    problem_ids: Sequence[Hashable],
    values: Sequence[float],
    num_steps: Sequence[int],
    *,
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
) -> LengthBias:
    """Mean over problems of Spearman's rank correlation between ``values`` and ``num_steps``.

    One entry a solution in each list. Raises ``InputError`` for lists of unequal length or none at all.
    """
    if not len(problem_ids) == len(values) == len(num_steps) > 0:
        raise InputError(
            f"Length bias needs one problem, value and step count a solution, got {len(problem_ids)}, "
            f"{len(values)} and {len(num_steps)}; pass lists of one length."
        )
    rows: dict[Hashable, list[int]] = {}
    for row, problem_id in enumerate(problem_ids):
        rows.setdefault(problem_id, []).append(row)
    all_values, all_steps = np.asarray(values, dtype=np.float64), np.asarray(num_steps, dtype=np.float64)
    found = [spearman(all_values[picked], all_steps[picked]) for picked in rows.values()]
    correlations = np.array([correlation for correlation in found if correlation is not None])
    num_constant = len(found) - len(correlations)
    if len(correlations) == 0:
        return LengthBias(None, None, None, 0, num_constant)
    value = float(correlations.mean())
    if len(correlations) == 1:
        return LengthBias(value, None, None, 1, num_constant)
    draws = bootstrap_means(correlations[:, None], seed=seed, num_resamples=num_resamples)
    low, high = np.quantile(draws, [0.025, 0.975])
    return LengthBias(value, float(low), float(high), len(correlations), num_constant)


def spearman(a: Floats, b: Floats) -> float | None:
    """Spearman's rank correlation of two arrays of shape (M,), tied entries at their mean rank.

    None where either is constant. Infinite entries rank at the ends.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 15.0]))
    0.5
    """
    ranks_a, ranks_b = _mean_ranks(a), _mean_ranks(b)
    ranks_a -= ranks_a.mean()
    ranks_b -= ranks_b.mean()
    scale = float(np.sqrt((ranks_a @ ranks_a) * (ranks_b @ ranks_b)))
    return float(ranks_a @ ranks_b) / scale if scale > 0 else None


def _mean_ranks(values: Floats) -> Floats:
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2.0)[group]
    return ranks
