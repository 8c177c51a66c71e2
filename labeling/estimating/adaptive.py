"""The default estimator: ask where an answer tells most about the first error, stop when it is clear.

It infers where the first error lies from everything that is known (inference.py): rollouts from any prefix,
the solution's own outcome, the problem's other solutions, a teacher's opinion if there is one. Beliefs are
posteriors, so the rule that stopped the sampling does not bias them (Berger and Wolpert 1988, on the
likelihood principle). Leaves out: how values are distributed (values.py).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from .beliefs import bounds_of, finding_of, values_of
from .cases import NO_ROLLOUTS, Ask, Case, Evidence, Finding
from .inference import Counted, Posterior, count, fit, infer, layout
from .undecided import num_undecided
from .values import VALUES, Floats, Ints, ValuePrior, likelihoods

_FIXED_COST = 4.0  # tokens: what starting a rollout costs beside its tokens
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Adaptive:
    """``confidence``: a solution is done when one place holds so much of the belief in its first error.

    ``chunk``: rollouts asked for at a time. ``max_rollouts``: over all prefixes of one solution,
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

    def asks(self, cases: Sequence[Case], evidence: Evidence) -> list[Ask]:
        """One chunk from one prefix of every case that is not done."""
        if not cases:
            return []
        counted = count(layout(cases), cases, evidence)
        prior = fit(counted)
        posterior = infer(counted, prior)
        gains = self._gains(counted, posterior, prior)
        asks = []
        for row in np.flatnonzero(self._is_open(posterior)):
            case = cases[row]
            steps = [step for step in range(case.num_steps - 1) if gains[row, step] >= self.min_gain]
            spent = sum(evidence.get(key, NO_ROLLOUTS).num_rollouts for key in case.prefix_ids)
            if not steps or spent >= self.max_rollouts:
                continue
            step = max(steps, key=lambda s: gains[row, s] / (case.num_tokens_left[s] + _FIXED_COST))
            there = evidence.get(case.prefix_ids[step], NO_ROLLOUTS).num_rollouts
            asks.append(Ask(int(row), step, there + self.chunk))
        return asks

    def _is_open(self, posterior: Posterior) -> NDArray[np.bool_]:
        """Which cases have no place yet that holds enough of the belief, (C,)."""
        return np.asarray(posterior.first_error.sum(axis=1).max(axis=1) < self.confidence)

    def _gains(self, counted: Counted, posterior: Posterior, prior: ValuePrior) -> Floats:
        """Nats about the first error that a chunk from each prefix is expected to tell, (C, J)."""
        by_right, by_wrong = _predictions(counted.pairs, self.chunk, prior)
        joint = posterior.first_error
        now = _entropy(joint.sum(axis=1))
        gains = np.zeros(counted.pair_of.shape)
        for step in range(counted.pair_of.shape[1]):
            pair, rate = counted.pair_of[:, step], counted.rate_of[:, step]
            if_right = np.einsum("ctf,ctk->cfk", joint[:, :, step + 1 :], by_right[pair[:, None], rate])
            if_wrong = joint[:, :, : step + 1].sum(axis=1)[..., None] * by_wrong[pair][:, None, :]
            outcome = np.concatenate([if_wrong, if_right], axis=1)  # (C, F, chunk + 1), joint
            then = _entropy(outcome.reshape(len(pair), -1)) - _entropy(outcome.sum(axis=1))
            gains[:, step] = now - then
        return gains

    def findings(self, cases: Sequence[Case], evidence: Evidence) -> list[Finding]:
        """Beliefs of every step, with bounds where undecided rollouts leave it open."""
        if not cases:
            return []
        counted = count(layout(cases), cases, evidence)
        prior = fit(counted)
        posterior = infer(counted, prior)
        values = values_of(counted, posterior, prior)
        bounds = bounds_of(counted, num_undecided(counted, cases, evidence), posterior, values, prior)
        # Not decided, and nothing more to be learned from any prefix.
        is_hopeless = self._is_open(posterior) & (
            self._gains(counted, posterior, prior).max(axis=1, initial=0.0) < self.min_gain
        )
        return [
            finding_of(case, bounds.of(row), values[row, :, 0], not is_hopeless[row])
            for row, case in enumerate(cases)
        ]


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
