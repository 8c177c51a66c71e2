"""What is believed of every step: how likely it is wrong, how valuable its prefix, and how sure that is.

Leaves out: where the first error lies (inference.py) and how undecided rollouts may be read (undecided.py).
Legend: N solutions, J prefixes of the longest one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import SolutionArrays, rows_of
from .estimator import Belief, SolutionBeliefs, SolutionToLabel
from .inference import Posterior, fit, infer, state_probabilities
from .undecided import readings
from .value_prior import VALUES, Floats, Ints, ValuePrior, likelihoods

_MASS = 0.95
_NUM_UNIFORM = 2  # readings as all right and all wrong, which are the extremes of values


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest and highest beliefs: ``low`` and ``high`` of p_wrong, (N, J + 1), and of values, (N, J)."""

    low: Floats
    high: Floats
    value_low: Floats
    value_high: Floats

    def of(self, row: int) -> "Bounds":
        """Those of one solution."""
        return Bounds(self.low[row], self.high[row], self.value_low[row], self.value_high[row])

    def widen(self, arrays: SolutionArrays, undecided: Ints, prior: ValuePrior) -> None:
        """Let in what would be believed under other readings of the undecided rollouts.

        They tell of the prior too, so that even a solution without any is open a little.
        """
        all_readings = readings(arrays, undecided)
        all_right, all_wrong = fit(all_readings[0]), fit(all_readings[1])
        all_solutions = np.ones(len(undecided), dtype=np.bool_)
        for other_prior in (all_right, all_wrong):
            self._include(all_solutions, arrays, other_prior, with_values=True)
        is_open: NDArray[np.bool_] = np.asarray(undecided.any(axis=1))
        for number, reading in enumerate(all_readings):
            for one_prior in (prior, all_right, all_wrong):
                self._include(
                    is_open, rows_of(reading, is_open), one_prior, with_values=number < _NUM_UNIFORM
                )

    def _include(
        self, rows: NDArray[np.bool_], arrays: SolutionArrays, prior: ValuePrior, *, with_values: bool
    ) -> None:
        posterior = infer(arrays, prior)
        p_wrong = _p_wrong(posterior)
        self.low[rows] = np.minimum(self.low[rows], p_wrong)
        self.high[rows] = np.maximum(self.high[rows], p_wrong)
        if with_values:
            values = values_of(arrays, posterior, prior)
            self.value_low[rows] = np.minimum(self.value_low[rows], values[..., 1])
            self.value_high[rows] = np.maximum(self.value_high[rows], values[..., 2])


def bounds_of(
    arrays: SolutionArrays, undecided: Ints, posterior: Posterior, values: Floats, prior: ValuePrior
) -> Bounds:
    """Bounds of all solutions, from their posterior without the undecided rollouts and its values.

    ``undecided``: (N, J), of each prefix. ``values``: (N, J, 3), as ``values_of`` gives them.
    """
    p_wrong = _p_wrong(posterior)
    bounds = Bounds(p_wrong.copy(), p_wrong.copy(), values[..., 1].copy(), values[..., 2].copy())
    if undecided.any():
        bounds.widen(arrays, undecided, prior)
    return bounds


def solution_beliefs(
    solution: SolutionToLabel, bounds: Bounds, values: Floats, has_signal: bool
) -> SolutionBeliefs:
    """A belief for each step of one solution; ``values``: (J,), undecided rollouts left out."""
    beliefs = [
        Belief(
            float(bounds.low[step]),
            float(bounds.high[step]),
            float(values[step]),
            # The mean of a skewed belief may lie outside its densest part.
            float(min(values[step], bounds.value_low[step])),
            float(max(values[step], bounds.value_high[step])),
        )
        for step in range(solution.num_steps - 1)
    ]
    end, last = float(solution.is_correct), solution.num_steps - 1
    beliefs.append(Belief(float(bounds.low[last]), float(bounds.high[last]), end, end, end))
    return SolutionBeliefs(solution.solution_id, tuple(beliefs), has_signal)


def _p_wrong(posterior: Posterior) -> Floats:
    """P(first error at or before each step), (N, J + 1)."""
    return np.clip(np.cumsum(posterior.first_error.sum(axis=1), axis=1)[:, :-1], 0.0, 1.0)


def values_of(arrays: SolutionArrays, posterior: Posterior, prior: ValuePrior) -> Floats:
    """Mean, low and high of every prefix's value, (N, J, 3)."""
    p_right, p_wrong = state_probabilities(posterior.first_error)
    at_values = likelihoods(arrays.pairs[:, 0], arrays.pairs[:, 1])
    by_rate = np.zeros((*arrays.pair_of.shape, len(prior.right)))
    cells = np.indices(arrays.rate_of.shape)
    share = p_right / posterior.right[arrays.pair_of[..., None], arrays.rate_of]
    np.add.at(by_rate, (cells[0], cells[1], arrays.rate_of), share)
    mass = by_rate @ prior.right + (p_wrong / posterior.wrong[arrays.pair_of])[..., None] * prior.wrong
    mass = mass * at_values[arrays.pair_of]
    mass /= mass.sum(axis=-1, keepdims=True)
    low, high = _densest(mass)
    return np.stack([mass @ VALUES, low, high], axis=-1)


def _densest(mass: Floats) -> tuple[Floats, Floats]:
    """Ends of the hull of the likeliest values that hold 95% of the mass, (...,) each."""
    order = np.argsort(-mass, axis=-1)
    ordered = np.take_along_axis(mass, order, axis=-1)
    is_needed = np.cumsum(ordered, axis=-1) - ordered < _MASS
    place = np.where(is_needed, order, order[..., :1])
    edges = np.concatenate([[0.0], (VALUES[1:] + VALUES[:-1]) / 2, [1.0]])
    return edges[place.min(axis=-1)], edges[place.max(axis=-1) + 1]
