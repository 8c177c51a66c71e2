"""Where the first error of a solution is, from rollouts of its prefixes.

A solution's ``prefixes`` are rolled out; ``rollout_counts`` say what the rollouts came to. An ``estimator``
is asked which rollouts to sample next until it wants none, and then what it believes of every step:

- ``counting``: exhaustive, sequential or binary; a step is right if one of k rollouts is.
- ``adaptive``: the default. ``arrays`` hold all solutions, ``value_prior`` what values are likely,
  ``inference`` the posterior, ``beliefs`` what it says of each step, ``undecided`` what rollouts that were
  cut off leave open, and ``teacher`` what a reward model adds.

``labels`` turns counts into step labels, with ``step_values`` (value and interval) and ``wilson`` (the
interval of a proportion). Another estimator is one file with a class of the protocol ``Estimator``.
"""

from .adaptive import AdaptiveEstimator
from .counting import CountingEstimator
from .estimator import (
    Belief,
    Estimator,
    RolloutRequest,
    SolutionBeliefs,
    SolutionToLabel,
    missing_rollouts,
)
from .labels import label_from_counts, labels_from_rollouts
from .prefixes import Prefix, prefixes_of
from .rollout_counts import NO_ROLLOUTS, CountsByPrefix, RolloutCounts, own_rollout
from .teacher import error_odds
from .wilson import wilson_interval

__all__ = [
    "NO_ROLLOUTS",
    "AdaptiveEstimator",
    "Belief",
    "CountingEstimator",
    "CountsByPrefix",
    "Estimator",
    "Prefix",
    "RolloutCounts",
    "RolloutRequest",
    "SolutionBeliefs",
    "SolutionToLabel",
    "error_odds",
    "label_from_counts",
    "labels_from_rollouts",
    "missing_rollouts",
    "own_rollout",
    "prefixes_of",
    "wilson_interval",
]
