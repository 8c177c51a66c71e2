"""Where the first error lies, given all rollouts: the posterior, and the fit of the prior it rests on.

Leaves out: what to sample next (adaptive.py).
Legend: C cases, J prefixes of the longest case, F = J + 2 places of the first error (a step, or last: none),
T pass rates, V values, U different pairs of counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .cases import NO_ROLLOUTS, Case, Evidence
from .values import (
    NUM_PLACES,
    NUM_RATES,
    RATES,
    Floats,
    Ints,
    ValuePrior,
    expected_rate,
    initial_prior,
    likelihoods,
)

_NUM_FITS = 12
_PRIOR_WEIGHT = 20.0  # what a starting distribution counts for, in observations
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Counted:
    """Cases as arrays. ``pairs``: (U, 2), rollouts and right ones; ``pair_of``: (C, J), indexes into it.

    ``rate_of``: (C, J, T), index of a right prefix's expected value at each pass rate. ``num_steps``: (C,).
    ``solved``: (C, 2), other solutions to the problem, and right ones. ``error_odds``: (C, J + 1).
    """

    num_steps: Ints
    is_correct: NDArray[np.bool_]
    solved: Ints
    error_odds: Floats
    rate_of: Ints
    pairs: Ints
    pair_of: Ints


@dataclass(frozen=True, slots=True)
class Posterior:
    """``first_error``: (C, T, F), joint with the pass rate; ``expected``: by the prior alone, at each rate.

    ``right``, (U, T), and ``wrong``, (U,): probability of the counts if the prefix is right or wrong.
    """

    first_error: Floats
    expected: Floats
    right: Floats
    wrong: Floats


def layout(cases: Sequence[Case]) -> Counted:
    """The cases' arrays, no rollouts yet."""
    num_steps = np.array([case.num_steps for case in cases], dtype=np.int64)
    width = int(num_steps.max(initial=1)) - 1
    share_done = np.minimum((np.arange(width) + 1) / num_steps[:, None], 1.0)
    odds = np.ones((len(cases), width + 1))
    for row, case in enumerate(cases):
        if case.error_odds:
            odds[row, : case.num_steps] = case.error_odds
    return Counted(
        num_steps=num_steps,
        is_correct=np.array([case.is_correct for case in cases], dtype=np.bool_),
        solved=np.array(
            [np.array(case.siblings or [(0, 0)]).sum(axis=0) for case in cases], dtype=np.int64
        ).reshape(-1, 2),
        error_odds=odds,
        rate_of=expected_rate(RATES, share_done[..., None]),
        pairs=np.zeros((1, 2), dtype=np.int64),
        pair_of=np.zeros((len(cases), width), dtype=np.int64),
    )


def count(counted: Counted, cases: Sequence[Case], evidence: Evidence) -> Counted:
    """The arrays with the rollouts so far, siblings included; undecided ones are left out (undecided.py)."""
    counts = np.zeros((*counted.pair_of.shape, 2), dtype=np.int64)
    for row, case in enumerate(cases):
        for column, key in enumerate(case.prefix_ids):
            found = evidence.get(key, NO_ROLLOUTS)
            free, free_correct = case.siblings[column + 1] if case.siblings else (0, 0)
            counts[row, column] = (
                free + found.num_rollouts - found.num_truncated - found.num_ungraded,
                free_correct + found.num_correct,
            )
    pairs, pair_of = np.unique(counts.reshape(-1, 2), axis=0, return_inverse=True)
    return replace(counted, pairs=pairs, pair_of=pair_of.reshape(counted.pair_of.shape))


def infer(counted: Counted, prior: ValuePrior) -> Posterior:
    """The posterior of every case under a prior."""
    at_values = likelihoods(counted.pairs[:, 0], counted.pairs[:, 1])
    right, wrong = at_values @ prior.right.T, at_values @ prior.wrong
    log_right = np.log(right + _TINY)[counted.pair_of[..., None], counted.rate_of]  # (C, J, T)
    log_wrong = np.log(wrong + _TINY)[counted.pair_of]  # (C, J)
    num_cases, width = counted.pair_of.shape
    up_to = np.zeros((num_cases, NUM_RATES, width + 2))  # sum of log_right before the first error
    up_to[:, :, 1:-1] = np.cumsum(log_right, axis=1).transpose(0, 2, 1)
    up_to[:, :, -1] = up_to[:, :, -2]
    after = np.zeros((num_cases, width + 2))
    after[:, :width] = np.cumsum(log_wrong[:, ::-1], axis=1)[:, ::-1]
    where = _first_error_prior(counted, prior)
    log_joint = up_to + after[:, None, :] + (_log_rates(counted, prior)[:, :, None] + np.log(where + _TINY))
    joint = np.exp(log_joint - log_joint.max(axis=(1, 2), keepdims=True))
    return Posterior(joint / joint.sum(axis=(1, 2), keepdims=True), where, right, wrong)


def _log_rates(counted: Counted, prior: ValuePrior) -> Floats:
    """Log of the prior of the pass rate, siblings included: (C, T)."""
    solved, failed = counted.solved[:, 1:], counted.solved[:, :1] - counted.solved[:, 1:]
    return np.asarray(np.log(prior.rates) + solved * np.log(RATES) + failed * np.log1p(-RATES))


def _first_error_prior(counted: Counted, prior: ValuePrior) -> Floats:
    """P(first error | pass rate, outcome), (C, T, F): a constant rate of errors, times what was learned."""
    num_steps = counted.num_steps[:, None, None]
    step = np.arange(counted.pair_of.shape[1] + 1)
    survival = RATES[None, :, None] ** (1 / num_steps)
    weights = survival**step * np.where(step < num_steps, 1.0, 0.0)
    weights = weights * prior.places[_places(counted)][:, None, :] * counted.error_odds[:, None, :]
    weights /= weights.sum(axis=2, keepdims=True)
    p_error = np.where(counted.is_correct, prior.p_lucky, 1.0)[:, None, None]
    p_none = np.broadcast_to(1 - p_error, (*weights.shape[:2], 1))
    return np.concatenate([weights * p_error, p_none], axis=2)


def _places(counted: Counted) -> Ints:
    """Which part of its solution each step lies in, (C, F - 1)."""
    step = np.arange(counted.pair_of.shape[1] + 1)
    part = np.floor((step + 0.5) / counted.num_steps[:, None] * NUM_PLACES).astype(np.int64)
    return np.minimum(part, NUM_PLACES - 1)


def fit(counted: Counted) -> ValuePrior:
    """The prior that explains the rollouts of all cases best, by expectation maximisation from the start."""
    start = prior = initial_prior()
    for _ in range(_NUM_FITS):
        prior = _refit(counted, prior, start)
    return prior


def _refit(counted: Counted, prior: ValuePrior, start: ValuePrior) -> ValuePrior:
    posterior = infer(counted, prior)
    joint = posterior.first_error
    p_right, p_wrong = state_probabilities(joint)
    at_values = likelihoods(counted.pairs[:, 0], counted.pairs[:, 1])
    is_sampled = counted.pairs[counted.pair_of, 0] > 0
    seen_right = np.zeros_like(posterior.right)
    cells = np.broadcast_to(counted.pair_of[..., None], counted.rate_of.shape)
    np.add.at(seen_right, (cells, counted.rate_of), p_right * is_sampled[..., None])
    seen_wrong = np.bincount(
        counted.pair_of.ravel(), weights=(p_wrong * is_sampled).ravel(), minlength=len(counted.pairs)
    )
    right = (seen_right / posterior.right).T @ at_values * prior.right + _PRIOR_WEIGHT * start.right
    wrong = (seen_wrong / posterior.wrong) @ at_values * prior.wrong + _PRIOR_WEIGHT * start.wrong
    rates = joint.sum(axis=(0, 2)) + 1.0
    is_lucky = joint[counted.is_correct][:, :, :-1].sum()
    return ValuePrior(
        right=right / right.sum(axis=1, keepdims=True),
        wrong=wrong / wrong.sum(),
        rates=rates / rates.sum(),
        places=_refit_places(counted, prior, posterior),
        p_lucky=float((is_lucky + 1.0) / (counted.is_correct.sum() + 10.0)),
    )


def _refit_places(counted: Counted, prior: ValuePrior, posterior: Posterior) -> Floats:
    """Weights of the parts moved by how often errors are found there against how often they were expected."""
    joint = posterior.first_error
    expected = (joint.sum(axis=2, keepdims=True) * posterior.expected).sum(axis=1)[:, :-1]
    found = joint.sum(axis=1)[:, :-1]
    places = _places(counted).ravel()
    ratio = (np.bincount(places, found.ravel(), NUM_PLACES) + _PRIOR_WEIGHT) / (
        np.bincount(places, expected.ravel(), NUM_PLACES) + _PRIOR_WEIGHT
    )
    moved = prior.places * ratio
    return np.asarray(moved / moved.sum())


def state_probabilities(joint: Floats) -> tuple[Floats, Floats]:
    """P(prefix right, pass rate), (C, J, T), and P(prefix wrong), (C, J), from the joint posterior."""
    up_to = np.cumsum(joint, axis=2)[:, :, :-2]  # P(first error at or before each step but the last)
    total = joint.sum(axis=2, keepdims=True)
    return (total - up_to).transpose(0, 2, 1), up_to.sum(axis=1)
