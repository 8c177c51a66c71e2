"""How many CPU threads a model runs with.

Threads that work on one small tensor meet after every operation. On an idle machine that is quick; where
other programs run, each meeting waits until the scheduler lets the last thread on, and a tiny model samples
ten times slower than with one thread. Leaves out: GPUs, and binding threads to cores.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

_PROBE_S = 0.03
_PROBE_SIZE = 2**16  # elements: enough for torch to share the work out, as little as a tiny model's layers
_MIN_SPEED = 0.7
_SECONDS_BETWEEN_PROBES = 2.0
TINY_BYTES = 16 * 2**20  # of weights: below it threads wait for each other more than they work


def useful_num_threads(num_threads: int) -> int:
    """``num_threads`` if so many are about as fast as one on a small operation just now, otherwise 1.

    Takes 0.06 s: little for a batch of a tiny model. Larger models work more than they wait.
    """
    if num_threads > 1 and _speed(num_threads) < _MIN_SPEED * _speed(1):
        return 1
    return num_threads


@contextmanager
def threads(num_threads: int) -> Iterator[None]:
    """Run with so many torch threads, then with as many as before."""
    import torch  # noqa: PLC0415

    before, set_num_threads = torch.get_num_threads(), torch.set_num_threads  # a starting engine replaces it
    try:
        set_num_threads(num_threads)
        yield
    finally:
        set_num_threads(before)


class FittingThreads:
    """As many torch threads as are worth it, for a model with so many bytes of weights.

    In its ``with`` block ``fit`` sets them; after it torch has as many as before. A block may stand inside
    another one. Larger models keep their threads.
    """

    def __init__(self, num_weight_bytes: int) -> None:
        self._is_tiny = num_weight_bytes < TINY_BYTES
        self._before: list[int] = []  # torch's threads at the start of each block
        self._num_threads = 1
        self._valid_until = 0.0

    def __enter__(self) -> Self:
        import torch  # noqa: PLC0415

        self._before.append(torch.get_num_threads())
        return self

    def __exit__(self, *error: object) -> None:
        import torch  # noqa: PLC0415

        torch.set_num_threads(self._before.pop())

    def fit(self) -> None:
        """Call it before each piece of work: now and then it measures how busy the machine is."""
        import torch  # noqa: PLC0415

        most = self._before[0]
        if not self._is_tiny or most == 1:
            return
        if time.monotonic() >= self._valid_until:
            self._num_threads = useful_num_threads(most)
            self._valid_until = time.monotonic() + _SECONDS_BETWEEN_PROBES
        torch.set_num_threads(self._num_threads)


def _speed(num_threads: int) -> float:
    """Small operations per second."""
    import torch  # noqa: PLC0415

    tensor = torch.zeros(_PROBE_SIZE)
    with threads(num_threads):
        tensor.add_(1)  # starts the threads
        num_operations, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < _PROBE_S:
            tensor.add_(1)
            num_operations += 1
    return num_operations / passed
