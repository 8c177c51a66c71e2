"""What a reward model's opinion of the steps says about where the first error lies, before any rollout.

Leaves out: whose opinion it is, and scoring.
"""

import math
from collections.abc import Sequence

_TRUST = 0.5  # of its log-odds: a reward model is surer than it is right
_LIMIT = 20.0


def error_odds(p_negative: Sequence[float]) -> tuple[float, ...]:
    """How much likelier than elsewhere the first error is at each step, from P(step is wrong) of every step.

    The first error is at step s if s is wrong and no step before it is. The odds are tempered, and limited
    to a factor of 20: rollouts must be able to overrule a teacher.

    >>> [round(odds, 2) for odds in error_odds([0.1, 0.8, 0.5])]
    [0.57, 1.54, 0.54]
    """
    reached, found = 1.0, []
    for p in p_negative:
        found.append(reached * p)
        reached *= 1 - p
    mean = sum(found) / len(found) if found else 0.0
    if mean <= 0:
        return (1.0,) * len(found)
    return tuple(min(_LIMIT, max(1 / _LIMIT, math.pow(one / mean, _TRUST))) for one in found)
