"""Majority and weighted votes over random subsets of a problem's samples.

A vote chooses a class of equal answers, so answers written differently do not split it. Samples without a
final answer do not vote; where nobody votes the result counts as incorrect. Tied classes share the vote
evenly. Where one class holds samples of both outcomes (the correctness came from elsewhere), one of its
voters, drawn evenly, gives the answer: at N = 1 a vote is then always a random pick.

Exact at N = 1 and N = M and wherever there are no more subsets than ``num_subsets``; else the mean over
``num_subsets`` random subsets, drawn without replacement and shared by all votes, so that differences
between votes carry less noise.

Legend: M samples, S subsets, K answer classes, N samples a subset.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

from .samples import NO_ANSWER, ProblemSamples

NUM_SUBSETS = 400
_TIE = 1e-12  # relative: sums of the same weights in another order differ by less

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def check_weights(problems: Sequence[ProblemSamples], name: str) -> None:
    """Refuse scores that cannot weigh a vote: negative or infinite ones.

    Raises ``InputError`` naming the problem, the sample and the score.
    """
    for problem in problems:
        scores = problem.scores[name]
        is_bad = ~np.isfinite(scores) | (scores < 0)
        if is_bad.any():
            index = int(is_bad.argmax())
            raise InputError(
                f"Problem {problem.problem_id}, sample {index}: the score {name} is {scores[index]:g}, but "
                "the weights of a vote must be finite and at least 0; map the scores to probabilities first."
            )


def vote_accuracies(
    problem: ProblemSamples,
    ns: Sequence[int],
    weights: Mapping[str, Floats | None],
    rng: np.random.Generator,
    num_subsets: int = NUM_SUBSETS,
) -> dict[str, list[float]]:
    """Chance that the vote over a random N-subset is right: for each vote's name, one value per N of ``ns``.

    ``weights`` maps a vote's name to the weight of each sample (M,), finite and at least 0, or to None for
    one voice each. Every N must lie between 1 and M.
    """
    orders = np.argsort(rng.random((num_subsets, problem.num_samples)), axis=1)
    accuracies: dict[str, list[float]] = {name: [] for name in weights}
    for n in ns:
        subsets = _subsets(problem.num_samples, n, orders)
        present = _Tally(problem, subsets)
        for name, weight in weights.items():
            accuracies[name].append(present.accuracy(weight))
    return accuracies


def _subsets(num_samples: int, n: int, orders: Ints) -> Ints:
    # (S, N) sample indices: all subsets where there are few. The first N of a random order are a random
    # subset, so one set of orders serves every N.
    if n == 1 or math.comb(num_samples, n) <= len(orders):
        return np.array(list(combinations(range(num_samples), n)), dtype=np.int64)
    return orders[:, :n]


class _Tally:
    """The voters of every subset by class; ``count`` and ``num_right`` have shape (S, K)."""

    def __init__(self, problem: ProblemSamples, subsets: Ints) -> None:
        self._subsets = subsets
        self._num_classes = int(problem.answer_class.max()) + 1
        classes = problem.answer_class[subsets]
        self._votes = classes != NO_ANSWER
        # Cell of the flat (S, K) table that each voter adds to.
        self._cells = (np.arange(len(subsets))[:, None] * self._num_classes + classes)[self._votes]
        self.count = self._sum(None)
        self.num_right = self._sum(problem.is_correct.astype(np.float64))

    def _sum(self, per_sample: Floats | None) -> Floats:
        weights = None if per_sample is None else per_sample[self._subsets][self._votes]
        num_cells = len(self._subsets) * self._num_classes
        sums = np.bincount(self._cells, weights=weights, minlength=num_cells)
        return sums.reshape(len(self._subsets), self._num_classes).astype(np.float64)

    def accuracy(self, weight: Floats | None) -> float:
        """Mean over the subsets of the chance that the winning class answers right."""
        if self._num_classes == 0:
            return 0.0
        total = self.count if weight is None else self._sum(weight)
        is_present = self.count > 0
        best = np.where(is_present, total, -np.inf).max(axis=1, keepdims=True)
        wins = is_present & (total >= best * (1 - _TIE))
        share_right = self.num_right / np.maximum(self.count, 1)
        num_winners = np.maximum(wins.sum(axis=1), 1)  # 0 where nobody votes: the sum below is 0 too
        return float(((share_right * wins).sum(axis=1) / num_winners).mean())
