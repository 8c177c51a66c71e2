"""Parts of a set of labels that are measured apart: where in the solution, how hard the problem is.

Names sort in their order, and stand in ``evaluations.slice``.
"""

from stepmark.labeling.errors import InputError

THIRDS = ("third_1", "third_2", "third_3")
PASS_RATE_BINS = (
    "pass_rate_0",
    "pass_rate_0.00-0.25",
    "pass_rate_0.25-0.50",
    "pass_rate_0.50-0.75",
    "pass_rate_0.75-1.00",
    "pass_rate_1",
)


def third(step_index: int, num_steps: int) -> str:
    """The third of a solution that the middle of a step lies in.

    >>> [third(index, 4) for index in range(4)]
    ['third_1', 'third_2', 'third_2', 'third_3']

    Raises ``InputError`` for a step that the solution does not have.
    """
    if not 0 <= step_index < num_steps:
        raise InputError(f"Step {step_index} is none of {num_steps}; steps count from 0.")
    return THIRDS[(2 * step_index + 1) * 3 // (2 * num_steps)]


def pass_rate_bin(pass_rate: float) -> str:
    """A quarter of the pass rates, its low end included; 0 and 1, where all samples end alike, stand alone.

    >>> [pass_rate_bin(rate) for rate in (0.0, 0.1, 0.25, 1.0)]
    ['pass_rate_0', 'pass_rate_0.00-0.25', 'pass_rate_0.25-0.50', 'pass_rate_1']

    Raises ``InputError`` for a rate outside [0, 1].
    """
    if not 0 <= pass_rate <= 1:
        raise InputError(f"A pass rate lies in [0, 1], got {pass_rate}.")
    if pass_rate in (0, 1):
        return PASS_RATE_BINS[0 if pass_rate == 0 else -1]
    return PASS_RATE_BINS[1 + int(pass_rate * 4)]
