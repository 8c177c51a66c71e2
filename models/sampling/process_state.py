"""What vLLM changes in the process that hosts it, and how it is put back.

Seen in vLLM 0.32 on CPU: environment variables are set (LD_PRELOAD among them), ``torch.set_num_threads``
is replaced by a function that does nothing, and the global random generators are seeded and drawn from.
Leaves out: the binding of memory to one NUMA node, which stays (see docs/decisions/sampling.md).
"""

import os
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class ProcessState:
    """Environment and torch threads before an engine starts. ``restore`` may be called at any time after.

    ``settings`` become environment variables (None removes one) before torch, which reads some, is imported.
    """

    def __init__(self, settings: Mapping[str, str | None]) -> None:
        self._environment = dict(os.environ)
        for name, value in settings.items():
            _set(name, value)
        import torch  # noqa: PLC0415

        self._changed: dict[str, str | None] | None = None
        self._set_num_threads = torch.set_num_threads
        self._num_threads = torch.get_num_threads()

    def engine_started(self) -> None:
        """Note what the start changed; give back at once what other code of this process would trip over."""
        names = self._environment.keys() | os.environ.keys()
        self._changed = {
            name: os.environ.get(name)
            for name in names
            if os.environ.get(name) != self._environment.get(name)
        }
        self._put_back("LD_PRELOAD")  # child processes would load the engine's libraries
        self._restore_threads()

    def restore(self) -> None:
        """Put back threads, and variables that still have the value the engine gave them."""
        if self._changed is None:  # the start failed half-way
            self.engine_started()
        assert self._changed is not None
        for name, value in self._changed.items():
            if os.environ.get(name) == value:
                self._put_back(name)
        self._restore_threads()

    def _put_back(self, name: str) -> None:
        _set(name, self._environment.get(name))

    def _restore_threads(self) -> None:
        import torch  # noqa: PLC0415

        torch.set_num_threads = self._set_num_threads
        if torch.get_num_threads() != self._num_threads:
            torch.set_num_threads(self._num_threads)


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the global generators that vLLM draws from; give the caller's states back."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    python_state, numpy_state = random.getstate(), np.random.get_state()
    devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
    try:
        with torch.random.fork_rng(devices):
            random.seed(seed)
            np.random.seed(seed % 2**32)
            torch.manual_seed(seed)
            yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
