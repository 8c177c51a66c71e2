"""The second writer who has read a file's headers before it locks: what the store's own lock is for.

DuckDB reads the headers of a database, asks for the lock on the file, and goes on with the headers it has
read. A preloaded library holds the second writer between the two until the first one has committed.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stepmark.store.store import Store

from .writer_process import unguarded, write_all

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
_PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def hold_lock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that holds a process before its first exclusive file lock."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("holding a process before its lock needs Linux and a C compiler")
    library = tmp_path_factory.mktemp("hold") / "hold_lock.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(library), str(HERE / "hold_lock.c"), "-ldl"], check=True
    )
    return library


@contextmanager
def held_writer(store: Store, hold_lock: Path, marks: Path, *options: str) -> Iterator[Path]:
    """A process that has read the headers and waits for the file that is given before it locks.

    At the end of the block it must write its one transaction.
    """
    held, released = marks / "held", marks / "released"
    environment = os.environ | {"LD_PRELOAD": str(hold_lock), "HELD": str(held), "RELEASED": str(released)}
    command = [sys.executable, HERE / "writer_process.py", store.home, "second", "--transactions=1", *options]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as writer:
        try:
            deadline = time.monotonic() + _PATIENCE_S
            while not held.exists():
                assert writer.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.01)
            yield released
            released.touch()
            assert writer.communicate(timeout=_PATIENCE_S)[0] == "second-0\n"
        finally:
            writer.kill()


def _stored(store: Store) -> list[str]:
    return store.read("SELECT problem_id FROM problems ORDER BY ALL")["problem_id"].to_list()


def test_without_the_stores_lock_a_committed_transaction_is_overwritten(
    store: Store, hold_lock: Path, tmp_path: Path
) -> None:
    """Both writers are told that they committed, and the first one's rows are gone."""
    with held_writer(store, hold_lock, tmp_path, "--unguarded"):
        assert list(write_all(lambda: unguarded(store.live), ["first"])) == ["first"]

    assert _stored(store) == ["second-0"]


def test_with_the_stores_lock_both_transactions_stay(store: Store, hold_lock: Path, tmp_path: Path) -> None:
    """The first to commit waits until the one who has read the headers is through."""
    first = threading.Thread(target=lambda: list(write_all(store.transaction, ["first"])))
    with held_writer(store, hold_lock, tmp_path):
        first.start()
        first.join(0.5)
        waits = first.is_alive()
    first.join()

    assert waits
    assert _stored(store) == ["first", "second-0"]
