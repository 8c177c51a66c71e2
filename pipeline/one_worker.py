"""One worker at a time: two runs on one home would sample and train the same things at once.

The operating system frees the lock with its process, so nothing stays claimed after a kill. Leaves out: the
store's own lock, which is held for a transaction only.
"""

import contextlib
from collections.abc import Iterator

from stepmark.store.lock import exclusive_lock
from stepmark.store.store import Store


@contextlib.contextmanager
def only_worker(store: Store, work: str) -> Iterator[None]:
    """Wait until no other process does this kind of ``work`` in the home, and keep others waiting.

    What is missing must be worked out inside the block: it may have been made while this one waited.
    """
    store.home.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(store.home / f"{work}.lock"):
        yield
