"""Where the first error lies, given all rollouts: the posterior, and the fit of the prior it rests on.

Leaves out: what to sample next (adaptive.py).
Legend: N solutions, J prefixes of the longest one, F = J + 2 places of the first error (a step, or last:
none), T pass rates, V values, U different pairs of counts.
"""

from dataclasses import dataclass

import numpy as np

from .arrays import SolutionArrays
from .value_prior import NUM_PLACES, NUM_RATES, RATES, Floats, Ints, ValuePrior, initial_prior, likelihoods

_NUM_FITS = 12
_PRIOR_WEIGHT = 20.0  # what a starting distribution counts for, in observations
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Posterior:
    """``first_error``: (N, T, F), joint with the pass rate; ``expected``: by the prior alone, at each rate.

    ``right``, (U, T), and ``wrong``, (U,): probability of the counts if the prefix is right or wrong.
    """

    first_error: Floats
    expected: Floats
    right: Floats
    wrong: Floats


def infer(arrays: SolutionArrays, prior: ValuePrior) -> Posterior:
    """The posterior of every solution under a prior."""
    at_values = likelihoods(arrays.pairs[:, 0], arrays.pairs[:, 1])
    right, wrong = at_values @ prior.right.T, at_values @ prior.wrong
    log_right = np.log(right + _TINY)[arrays.pair_of[..., None], arrays.rate_of]  # (N, J, T)
    log_wrong = np.log(wrong + _TINY)[arrays.pair_of]  # (N, J)
    num_solutions, width = arrays.pair_of.shape
    up_to = np.zeros((num_solutions, NUM_RATES, width + 2))  # sum of log_right before the first error
    up_to[:, :, 1:-1] = np.cumsum(log_right, axis=1).transpose(0, 2, 1)
    up_to[:, :, -1] = up_to[:, :, -2]
    after = np.zeros((num_solutions, width + 2))
    after[:, :width] = np.cumsum(log_wrong[:, ::-1], axis=1)[:, ::-1]
    where = _first_error_prior(arrays, prior)
    log_joint = up_to + after[:, None, :] + (_log_rates(arrays, prior)[:, :, None] + np.log(where + _TINY))
    joint = np.exp(log_joint - log_joint.max(axis=(1, 2), keepdims=True))
    return Posterior(joint / joint.sum(axis=(1, 2), keepdims=True), where, right, wrong)


def _log_rates(arrays: SolutionArrays, prior: ValuePrior) -> Floats:
    """Log of the prior of the pass rate, siblings included: (N, T)."""
    solved, failed = arrays.solved[:, 1:], arrays.solved[:, :1] - arrays.solved[:, 1:]
    return np.asarray(np.log(prior.rates) + solved * np.log(RATES) + failed * np.log1p(-RATES))


def _first_error_prior(arrays: SolutionArrays, prior: ValuePrior) -> Floats:
    """P(first error | pass rate, outcome), (N, T, F): a constant rate of errors, times what was learned."""
    num_steps = arrays.num_steps[:, None, None]
    step = np.arange(arrays.pair_of.shape[1] + 1)
    survival = RATES[None, :, None] ** (1 / num_steps)
    weights = survival**step * np.where(step < num_steps, 1.0, 0.0)
    weights = weights * prior.places[_places(arrays)][:, None, :] * arrays.error_odds[:, None, :]
    weights /= weights.sum(axis=2, keepdims=True)
    p_error = np.where(arrays.is_correct, prior.p_lucky, 1.0)[:, None, None]
    p_none = np.broadcast_to(1 - p_error, (*weights.shape[:2], 1))
    return np.concatenate([weights * p_error, p_none], axis=2)


def _places(arrays: SolutionArrays) -> Ints:
    """Which part of its solution each step lies in, (N, F - 1)."""
    step = np.arange(arrays.pair_of.shape[1] + 1)
    part = np.floor((step + 0.5) / arrays.num_steps[:, None] * NUM_PLACES).astype(np.int64)
    return np.minimum(part, NUM_PLACES - 1)


def fit(arrays: SolutionArrays) -> ValuePrior:
    """The prior that explains the rollouts of all solutions best, by expectation maximisation."""
    start = prior = initial_prior()
    for _ in range(_NUM_FITS):
        prior = _refit(arrays, prior, start)
    return prior


def _refit(arrays: SolutionArrays, prior: ValuePrior, start: ValuePrior) -> ValuePrior:
    posterior = infer(arrays, prior)
    joint = posterior.first_error
    p_right, p_wrong = state_probabilities(joint)
    at_values = likelihoods(arrays.pairs[:, 0], arrays.pairs[:, 1])
    is_sampled = arrays.pairs[arrays.pair_of, 0] > 0
    seen_right = np.zeros_like(posterior.right)
    cells = np.broadcast_to(arrays.pair_of[..., None], arrays.rate_of.shape)
    np.add.at(seen_right, (cells, arrays.rate_of), p_right * is_sampled[..., None])
    seen_wrong = np.bincount(
        arrays.pair_of.ravel(), weights=(p_wrong * is_sampled).ravel(), minlength=len(arrays.pairs)
    )
    right = (seen_right / posterior.right).T @ at_values * prior.right + _PRIOR_WEIGHT * start.right
    wrong = (seen_wrong / posterior.wrong) @ at_values * prior.wrong + _PRIOR_WEIGHT * start.wrong
    rates = joint.sum(axis=(0, 2)) + 1.0
    is_lucky = joint[arrays.is_correct][:, :, :-1].sum()
    return ValuePrior(
        right=right / right.sum(axis=1, keepdims=True),
        wrong=wrong / wrong.sum(),
        rates=rates / rates.sum(),
        places=_refit_places(arrays, prior, posterior),
        p_lucky=float((is_lucky + 1.0) / (arrays.is_correct.sum() + 10.0)),
    )


def _refit_places(arrays: SolutionArrays, prior: ValuePrior, posterior: Posterior) -> Floats:
    """Weights of the parts moved by how often errors are found there against how often they were expected."""
    joint = posterior.first_error
    expected = (joint.sum(axis=2, keepdims=True) * posterior.expected).sum(axis=1)[:, :-1]
    found = joint.sum(axis=1)[:, :-1]
    places = _places(arrays).ravel()
    ratio = (np.bincount(places, found.ravel(), NUM_PLACES) + _PRIOR_WEIGHT) / (
        np.bincount(places, expected.ravel(), NUM_PLACES) + _PRIOR_WEIGHT
    )
    moved = prior.places * ratio
    return np.asarray(moved / moved.sum())


def state_probabilities(joint: Floats) -> tuple[Floats, Floats]:
    """P(prefix right, pass rate), (N, J, T), and P(prefix wrong), (N, J), from the joint posterior."""
    up_to = np.cumsum(joint, axis=2)[:, :, :-2]  # P(first error at or before each step but the last)
    total = joint.sum(axis=2, keepdims=True)
    return (total - up_to).transpose(0, 2, 1), up_to.sum(axis=1)
