"""Unbiased best-of-N, vote and pass@N curves with intervals over problems.

A curve's point at N is the chance of a right answer when N of a problem's M samples, drawn at random
without replacement, are offered to the selector. Drawing with replacement, or taking the first N, estimates
something else (docs/decisions/best-of-n.md). Leaves out: grading and scoring.

>>> from stepmark.models.metrics.samples import problem_samples
>>> samples = problem_samples("p", [True, False, False], [0, 1, 1], {"prm": [0.9, 0.5, 0.1]})
>>> curves = best_of_n_curves([samples], [1, 3])
>>> {name: round(float(by_n[3][0]), 3) for name, by_n in curves.items()}
{'prm': 1.0, 'majority': 0.0, 'pass': 1.0}
"""

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

from .intervals import NUM_RESAMPLES, Estimate, bootstrap_intervals
from .samples import NO_ANSWER, ProblemSamples
from .voting import NUM_SUBSETS, check_weights, vote_accuracies

Floats = NDArray[np.float64]
Curves = dict[str, dict[int, Floats]]

MAJORITY, PASS, WEIGHTED_SUFFIX = "majority", "pass", "_weighted"


def best_of_n_curves(
    problems: Sequence[ProblemSamples],
    ns: Sequence[int],
    *,
    weighted: Sequence[str] = (),
    num_subsets: int = NUM_SUBSETS,
    seed: int = 0,
) -> Curves:
    """Chance of a right answer per problem: selector -> N -> values (P,), in the order of ``problems``.

    Selectors are every score (best-scored sample), ``majority``, ``X_weighted`` for each score X named in
    ``weighted`` (a vote that X weighs), and ``pass`` (any sample is right). Problems may differ in M.
    Scores and ``pass`` are exact; votes see ``voting``.

    Raises ``InputError`` for an N above some problem's M, scores that differ between problems or carry a
    selector's name, and weights that are negative or infinite.
    """
    _check_ns(problems, ns)
    names = _score_names(problems, weighted)
    for name in weighted:
        check_weights(problems, name)
    by_selector: dict[str, list[list[float]]] = {name: [] for name in _selectors(names, weighted)}
    for problem in problems:
        for name in names:
            by_selector[name].append(
                best_scored_accuracies(problem.scores[name], problem.is_correct, ns, _answered(problem))
            )
        weights = {name + WEIGHTED_SUFFIX: problem.scores[name] for name in weighted}
        # Seeded by the problem's id: its votes do not depend on which others are evaluated beside it.
        rng = np.random.default_rng([seed, crc32(problem.problem_id.encode())])
        votes = vote_accuracies(problem, ns, {MAJORITY: None, **weights}, rng, num_subsets)
        for name, values in votes.items():
            by_selector[name].append(values)
        by_selector[PASS].append(pass_accuracies(problem.is_correct, ns))
    return {
        name: {n: np.array([row[column] for row in rows]) for column, n in enumerate(ns)}
        for name, rows in by_selector.items()
    }


def curve_intervals(
    curves: Curves, *, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> dict[str, dict[int, Estimate]]:
    """Mean over problems and 95% interval of every point, all from the same resamples of the problems."""
    keys = [(name, n) for name, by_n in curves.items() for n in by_n]
    columns = np.stack([curves[name][n] for name, n in keys], axis=1)
    estimates = bootstrap_intervals(columns, seed=seed, num_resamples=num_resamples)
    result: dict[str, dict[int, Estimate]] = {name: {} for name in curves}
    for (name, n), estimate in zip(keys, estimates, strict=True):
        result[name][n] = estimate
    return result


def best_scored_accuracies(
    scores: Floats,
    is_correct: NDArray[np.bool_],
    ns: Sequence[int],
    is_answered: NDArray[np.bool_] | None = None,
) -> list[float]:
    """Chance that the best-scored of a random N-subset is right, for each N; all arrays have shape (M,).

    Exact. With the samples in rising order, the best of the subset is among the first j with chance
    F(j) = C(j, N) / C(M, N); a group of g tied samples above L lower ones is therefore the best with chance
    F(L + g) - F(L), and a random order of the tied gives each an even share. Samples where ``is_answered``
    is False rank below every other and are never right.
    """
    answered = np.ones(len(scores), dtype=np.bool_) if is_answered is None else is_answered
    order = np.lexsort((scores, answered))
    ranked_scores, ranked_answered = scores[order], answered[order]
    right = (is_correct & answered)[order].astype(np.float64)
    is_new = ranked_answered[1:] & ((ranked_scores[1:] != ranked_scores[:-1]) | ~ranked_answered[:-1])
    starts = np.flatnonzero(np.concatenate(([True], is_new)))
    ends = np.append(starts[1:], len(scores))
    share_right = np.add.reduceat(right, starts) / (ends - starts)
    accuracies = []
    for n in ns:
        below = _share_of_subsets_below(len(scores), n)
        accuracy = float(((below[ends] - below[starts]) * share_right).sum())
        accuracies.append(min(accuracy, 1.0))  # the sum of the shares may round above 1
    return accuracies


def pass_accuracies(is_correct: NDArray[np.bool_], ns: Sequence[int]) -> list[float]:
    """pass@N: chance that a random N-subset holds a right sample, 1 - C(M - c, N) / C(M, N)."""
    num_samples, num_wrong = len(is_correct), int((~is_correct).sum())
    return [float(1.0 - _share_of_subsets_below(num_samples, n)[num_wrong]) for n in ns]


def default_ns(problems: Sequence[ProblemSamples]) -> list[int]:
    """Powers of two up to the smallest number of samples of a problem."""
    smallest = min(problem.num_samples for problem in problems)
    return [2**power for power in range(smallest.bit_length())]


@lru_cache(maxsize=256)
def _share_of_subsets_below(num_samples: int, n: int) -> Floats:
    # F(j) = C(j, N) / C(M, N) for j = 0..M, from exact integers, each entry rounded once. Shape: (M + 1,)
    counts = [0] * n + [1]
    for j in range(n + 1, num_samples + 1):
        counts.append(counts[-1] * j // (j - n))
    total = counts[-1]
    shares = np.array([count / total for count in counts])
    shares.flags.writeable = False  # cached and shared
    return shares


def _answered(problem: ProblemSamples) -> NDArray[np.bool_]:
    return np.asarray(problem.answer_class != NO_ANSWER)


def _selectors(names: Sequence[str], weighted: Sequence[str]) -> list[str]:
    return [*names, MAJORITY, *(name + WEIGHTED_SUFFIX for name in weighted), PASS]


def _check_ns(problems: Sequence[ProblemSamples], ns: Sequence[int]) -> None:
    if not problems or not ns or min(ns) < 1:
        raise InputError(
            f"Curves need at least one problem and N of at least 1, got {len(problems)} and {ns}."
        )
    for problem in problems:
        if max(ns) > problem.num_samples:
            raise InputError(
                f"Problem {problem.problem_id} has {problem.num_samples} samples, fewer than N = {max(ns)}; "
                "sample more or ask for a smaller N."
            )


def _score_names(problems: Sequence[ProblemSamples], weighted: Sequence[str]) -> list[str]:
    names = list(problems[0].scores)
    for problem in problems:
        if set(problem.scores) != set(names):
            raise InputError(
                f"Problem {problem.problem_id} has the scores {sorted(problem.scores)}, but problem "
                f"{problems[0].problem_id} has {sorted(names)}; score every sample with the same selectors."
            )
    missing = sorted(set(weighted) - set(names))
    if missing:
        raise InputError(f"No score {missing[0]!r} to weigh votes with; use one of {sorted(names)}.")
    selectors = _selectors(names, weighted)
    taken = sorted(name for name in set(selectors) if selectors.count(name) > 1)
    if taken:
        raise InputError(f"The score name {taken[0]!r} is a selector of its own; rename the score.")
    return names
