"""How valuable prefixes are: a prior over values, learned from all rollouts at once (empirical Bayes).

The value of a prefix is the probability that a rollout from it ends right. Before the first wrong step it
follows from the problem's pass rate: a generator that errs at a constant rate solves a problem of pass rate
t, of which a share r is behind it, with probability t^(1-r). After a wrong step it is near 0. Both are only
where learning starts: the distributions on the grid are fitted to the rollouts by expectation maximisation
(inference.py), with the formula as a prior of a few observations' weight.

Legend: V grid points of value, T of pass rate, U pairs of (rollouts, right ones).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NUM_VALUES, NUM_RATES = 41, 16
_CELLS = 100
_CONCENTRATION = 6.0  # of values around their expectation, in observations
_WRONG_BETA = (0.15, 4.0)  # values after a wrong step: most at 0, a few at a third


def grid(size: int) -> Floats:
    """Points in [0, 1], denser towards both ends, where a proportion is known more exactly."""
    return np.sin(np.linspace(0.0, np.pi / 2, size)) ** 2


VALUES: Floats = grid(NUM_VALUES)
RATES: Floats = np.clip(grid(NUM_RATES), 0.002, 0.998)


@dataclass(frozen=True, slots=True)
class ValuePrior:
    """``right[t]``: distribution of a right prefix's value whose expectation is ``RATES[t]``, (T, V).

    ``wrong``: of a prefix with a wrong step, (V,). ``rates``: of problems' pass rates, (T,).
    ``places``: of where the first error of a wrong solution lies, over equal parts of its steps.
    ``p_lucky``: the share of right solutions that hold a wrong step.
    """

    right: Floats
    wrong: Floats
    rates: Floats
    places: Floats
    p_lucky: float


NUM_PLACES = 5


def initial_prior() -> ValuePrior:
    """What is believed before any rollout."""
    right = np.stack([_beta(_CONCENTRATION * rate, _CONCENTRATION * (1 - rate)) for rate in RATES])
    return ValuePrior(
        right=right,
        wrong=_beta(*_WRONG_BETA),
        rates=np.full(NUM_RATES, 1 / NUM_RATES),
        places=np.full(NUM_PLACES, 1 / NUM_PLACES),
        p_lucky=0.1,
    )


def likelihoods(num_rollouts: Ints, num_correct: Ints) -> Floats:
    """Likelihood of each value, given rollouts in the order they came: (U, V), the likeliest value's being 1.

    Only ratios within a row mean something. Whatever rule stopped the sampling drops out of them, so that
    beliefs hold under adaptive stopping too.
    """
    right, wrong = num_correct[:, None], (num_rollouts - num_correct)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(right > 0, right * np.log(VALUES), 0.0)
        logs = logs + np.where(wrong > 0, wrong * np.log1p(-VALUES), 0.0)
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def expected_rate(rates: Floats, share_done: Floats) -> Ints:
    """Index into ``RATES`` of the one nearest to t^(1-r): (...,) pass rates against (...,) shares done."""
    return np.asarray(np.searchsorted((RATES[1:] + RATES[:-1]) / 2, rates ** (1 - share_done)))


def _beta(a: float, b: float) -> Floats:
    """A beta distribution on the grid: its mass between the middles of neighbouring points."""
    # In x = sin(pi u / 2)^2 the grid is even, and the density's poles at the ends are tame.
    u = (np.arange(_CELLS * (NUM_VALUES - 1)) + 0.5) / (_CELLS * (NUM_VALUES - 1))
    density = np.sin(np.pi / 2 * u) ** (2 * a - 1) * np.cos(np.pi / 2 * u) ** (2 * b - 1)
    nearest = np.rint(u * (NUM_VALUES - 1)).astype(np.int64)
    mass = np.bincount(nearest, weights=density, minlength=NUM_VALUES)
    return np.asarray(mass / mass.sum(), dtype=np.float64)
