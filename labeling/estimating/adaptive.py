"""The default estimator: sample where an outcome tells most about the first error, stop when it is clear.

It infers where the first error lies from everything that is known (inference.py): rollouts from any prefix,
the solution's own outcome, the problem's other solutions, a teacher's opinion if there is one. Beliefs are
posteriors, so the rule that stopped the sampling does not bias them (Berger and Wolpert 1988, on the
likelihood principle). Leaves out: how values are distributed (value_prior.py).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import SolutionArrays, arrays_of
from .beliefs import bounds_of, solution_beliefs, values_of
from .estimator import RolloutRequest, SolutionBeliefs, SolutionToLabel
from .inference import Posterior, fit, infer
from .rollout_counts import NO_ROLLOUTS, CountsByPrefix
from .undecided import num_undecided
from .value_prior import VALUES, Floats, Ints, ValuePrior, likelihoods

_FIXED_COST = 4.0  # tokens: what starting a rollout costs beside its tokens
_TINY = 1e-300


class _Inferred(NamedTuple):
    """What is believed of all solutions at once, and what it was inferred from."""

    arrays: SolutionArrays
    prior: ValuePrior
    posterior: Posterior


@dataclass(frozen=True, slots=True)
class AdaptiveEstimator:
    """``confidence``: a solution is done when one place holds so much of the belief in its first error.

    ``chunk``: rollouts requested at a time. ``max_rollouts``: over all prefixes of one solution,
    those it shares with others included.
    ``min_gain``: nats a chunk must be expected to tell, else the solution is done, decided or not.
    """

    confidence: float = 0.8
    chunk: int = 4
    max_rollouts: int = 32
    min_gain: float = 0.05

    @property
    def name(self) -> str:
        """Its name in ``step_labels``."""
        return "adaptive"

    def parameters(self) -> dict[str, float | int | str]:
        """The fields."""
        return asdict(self)

    def next_rollouts(
        self, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix
    ) -> list[RolloutRequest]:
        """One chunk from one prefix of every solution that is not done."""
        if not solutions:
            return []
        inferred = _infer_all(solutions, counts)
        gains = self._gains(inferred)
        requests = []
        for row in np.flatnonzero(self._is_open(inferred.posterior)):
            solution = solutions[row]
            steps = [step for step in range(solution.num_steps - 1) if gains[row, step] >= self.min_gain]
            spent = sum(counts.get(key, NO_ROLLOUTS).num_rollouts for key in solution.prefix_ids)
            if not steps or spent >= self.max_rollouts:
                continue
            step = max(steps, key=lambda s: gains[row, s] / (solution.num_tokens_left[s] + _FIXED_COST))
            num_stored = counts.get(solution.prefix_ids[step], NO_ROLLOUTS).num_rollouts
            requests.append(RolloutRequest(int(row), step, num_stored + self.chunk))
        return requests

    def estimate(self, solutions: Sequence[SolutionToLabel], counts: CountsByPrefix) -> list[SolutionBeliefs]:
        """Beliefs of every step, with bounds where undecided rollouts leave it open."""
        if not solutions:
            return []
        inferred = _infer_all(solutions, counts)
        arrays, prior, posterior = inferred
        values = values_of(arrays, posterior, prior)
        bounds = bounds_of(arrays, num_undecided(arrays, solutions, counts), posterior, values, prior)
        # Not decided, and nothing more to be learned from any prefix.
        is_hopeless = self._is_open(posterior) & (
            self._gains(inferred).max(axis=1, initial=0.0) < self.min_gain
        )
        return [
            solution_beliefs(solution, bounds.of(row), values[row, :, 0], not is_hopeless[row])
            for row, solution in enumerate(solutions)
        ]

    def _is_open(self, posterior: Posterior) -> NDArray[np.bool_]:
        """Which solutions have no place yet that holds enough of the belief, (N,)."""
        return np.asarray(posterior.first_error.sum(axis=1).max(axis=1) < self.confidence)

    def _gains(self, inferred: _Inferred) -> Floats:
        """Nats about the first error that a chunk from each prefix is expected to tell, (N, J)."""
        arrays, prior, posterior = inferred
        by_right, by_wrong = _predictions(arrays.pairs, self.chunk, prior)
        joint = posterior.first_error
        now = _entropy(joint.sum(axis=1))
        gains = np.zeros(arrays.pair_of.shape)
        for step in range(arrays.pair_of.shape[1]):
            pair, rate = arrays.pair_of[:, step], arrays.rate_of[:, step]
            if_right = np.einsum("ntf,ntk->nfk", joint[:, :, step + 1 :], by_right[pair[:, None], rate])
            if_wrong = joint[:, :, : step + 1].sum(axis=1)[..., None] * by_wrong[pair][:, None, :]
            outcome = np.concatenate([if_wrong, if_right], axis=1)  # (N, F, chunk + 1), joint
            then = _entropy(outcome.reshape(len(pair), -1)) - _entropy(outcome.sum(axis=1))
            gains[:, step] = now - then
        return gains


def _infer_all(solutions: Sequence[SolutionToLabel], counts: CountsByPrefix) -> _Inferred:
    arrays = arrays_of(solutions, counts)
    prior = fit(arrays)
    return _Inferred(arrays, prior, infer(arrays, prior))


def _predictions(pairs: Ints, chunk: int, prior: ValuePrior) -> tuple[Floats, Floats]:
    """P(right ones of the next chunk | counts), (U, T, chunk + 1) and (U, chunk + 1): see ``Posterior``."""
    ways = np.array([math.comb(chunk, k) for k in range(chunk + 1)], dtype=np.float64)
    at_values = likelihoods(pairs[:, 0], pairs[:, 1])
    next_values = (
        np.stack([VALUES**k * (1 - VALUES) ** (chunk - k) for k in range(chunk + 1)], axis=-1) * ways
    )
    right = np.einsum("uv,tv,vk->utk", at_values, prior.right, next_values)
    wrong = np.einsum("uv,v,vk->uk", at_values, prior.wrong, next_values)
    return right / right.sum(axis=-1, keepdims=True), wrong / wrong.sum(axis=-1, keepdims=True)


def _entropy(mass: Floats) -> Floats:
    """Entropy along the last axis, in nats."""
    return np.asarray(-(mass * np.log(mass + _TINY)).sum(axis=-1))
