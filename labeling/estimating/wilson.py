"""Wilson's interval of a proportion: of right rollouts, of solved problems, of labelers who agree.

Leaves out: intervals of anything but a proportion.
"""

import math

from stepmark.labeling.errors import InputError

Z_95 = 1.959963984540054  # the 97.5% point of the standard normal distribution


def wilson_interval(num_successes: float, num_trials: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927), by default at 95%.

    Chosen because at 4 to 64 rollouts it keeps close to its nominal coverage where the textbook interval
    collapses to a point at 0 and at n (Brown, Cai and DasGupta 2001), and because, unlike Jeffreys', it
    has a closed form. ``num_successes`` may be fractional: a sum of values in [0, 1].

    >>> [round(bound, 3) for bound in wilson_interval(0, 8)]
    [0.0, 0.324]
    >>> [round(bound, 3) for bound in wilson_interval(4, 8)]
    [0.215, 0.785]
    """
    if num_trials < 1 or not 0 <= num_successes <= num_trials:
        raise InputError(
            f"An interval needs at least 1 trial and between 0 and that many successes, got "
            f"{num_successes} of {num_trials}; count again."
        )
    share = num_successes / num_trials
    spread = z * z / num_trials
    center = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / num_trials + spread / (4 * num_trials))
    # At the ends the exact bound is 0 or 1; rounding may miss it by one unit in the last place.
    low = 0.0 if num_successes == 0 else max(0.0, center - half)
    high = 1.0 if num_successes == num_trials else min(1.0, center + half)
    return low, high
