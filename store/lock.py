"""The exclusive lock around the live database: one process and one thread at a time, over the whole file.

DuckDB's own lock is not enough: a second writer reads the file's headers before it locks, and may commit
onto a stale state. Leaves out: network file systems, where flock may mean nothing; homes are on local disks.
"""

import contextlib
import fcntl
import logging
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from .create import refuse_other_kinds

_log = logging.getLogger("stepmark.store")
_NOTICE_S = 5.0

_held_fds: set[int] = set()
_of_this_thread = threading.local()


def _close_in_child() -> None:
    # A forked child shares the lock; without this it would keep it locked after the parent's death.
    for fd in _held_fds:
        with contextlib.suppress(OSError):
            os.close(fd)
    _held_fds.clear()


os.register_at_fork(after_in_child=_close_in_child)


@contextlib.contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` (made when absent) for the length of the block.

    Waits for as long as another holds it, and says so in the log every few seconds, naming the process.
    Raises ``RuntimeError`` when this thread holds it already: it would wait for itself for ever.
    """
    key = os.path.realpath(path)
    if key in _paths_of_this_thread():
        raise RuntimeError(
            f"this thread already holds {path}; use the open connection instead of a second transaction"
        )
    refuse_other_kinds(path)  # a socket cannot be opened, and a pipe says to nobody who holds it
    fd = _acquire(path)
    _paths_of_this_thread().add(key)
    _held_fds.add(fd)
    try:
        _write_holder(fd, f"process {os.getpid()} since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
        yield
    finally:
        _paths_of_this_thread().discard(key)
        _held_fds.discard(fd)
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def _paths_of_this_thread() -> set[str]:
    if not hasattr(_of_this_thread, "paths"):
        _of_this_thread.paths = set()
    paths: set[str] = _of_this_thread.paths
    return paths


def _acquire(path: Path) -> int:
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _flock(fd, path)
            if _is_same_file(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        # The file was deleted while we waited: another may hold the lock of the new one.
        os.close(fd)


def _is_same_file(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _flock(fd: int, path: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        got_it = threading.Event()
        notice = threading.Thread(target=_log_waiting, args=(path, got_it), daemon=True)
        notice.start()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
        finally:
            got_it.set()


def _log_waiting(path: Path, got_it: threading.Event) -> None:
    waited_s = 0.0
    while not got_it.wait(_NOTICE_S):
        waited_s += _NOTICE_S
        with contextlib.suppress(OSError):
            holder = path.read_text(encoding="utf-8", errors="replace") or "an unnamed process"
            _log.warning("waiting for the store since %.0f s: %s is held by %s", waited_s, path, holder)


def _write_holder(fd: int, holder: str) -> None:
    # On a full disk the name is lost, not the lock.
    with contextlib.suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, holder.encode(), 0)
