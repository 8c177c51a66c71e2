"""Several processes write, publish and are killed with -9: nothing acknowledged is lost or half there."""

import itertools
import logging
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from stepmark.store import lock
from stepmark.store.lock import exclusive_lock
from stepmark.store.store import Store

_WRITER = Path(__file__).with_name("writer_process.py")
_NUM_WRITERS = 3
_NUM_KILLS = 5
_ENOUGH_S = 180.0  # on a machine that is busy with other work; 5 to 10 on an idle one

_HALF_WRITTEN = """
    SELECT problem_id, num_solutions, num_steps
    FROM problems
    FULL JOIN (SELECT problem_id, count(*) AS num_solutions FROM solutions GROUP BY ALL) USING (problem_id)
    FULL JOIN (SELECT solution_id AS problem_id, count(*) AS num_steps FROM steps GROUP BY ALL)
        USING (problem_id)
    WHERE num_solutions IS DISTINCT FROM 1 OR num_steps IS DISTINCT FROM 3
"""


class _Writers:
    """Writer processes with their acknowledgements in files; each process started gets a new name."""

    def __init__(self, home: Path, acks: Path) -> None:
        self.home, self.acks = home, acks
        self.numbers = itertools.count()
        self.running: dict[Path, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        name = f"w{next(self.numbers)}"
        path = self.acks / name
        with path.open("wb") as out:
            self.running[path] = subprocess.Popen(
                [sys.executable, str(_WRITER), str(self.home), name], stdout=out
            )

    def kill(self, path: Path) -> None:
        writer = self.running.pop(path)
        writer.send_signal(signal.SIGKILL)
        assert writer.wait() == -signal.SIGKILL

    def kill_all(self) -> None:
        for path in list(self.running):
            self.kill(path)

    def acknowledged(self) -> list[str]:
        # A kill may cut the last line; only a whole one is a promise.
        return [line for path in self.acks.iterdir() for line in path.read_text().split("\n")[:-1]]


def test_killed_writers_lose_nothing_they_acknowledged(store: Store, tmp_path: Path) -> None:
    """Every acknowledged transaction is there whole, none is there in part, and the snapshot always reads."""
    (tmp_path / "acks").mkdir()
    writers = _Writers(store.home, tmp_path / "acks")
    store.publish()
    chance, give_up = random.Random(0), time.monotonic() + _ENOUGH_S
    for _ in range(_NUM_WRITERS):
        writers.start()
    num_kills = 0
    try:
        while num_kills < _NUM_KILLS and time.monotonic() < give_up:
            time.sleep(chance.uniform(0.0, 0.3))
            assert store.read_published(_HALF_WRITTEN).is_empty()
            at_work = [path for path in writers.running if path.stat().st_size]
            if at_work:
                writers.kill(chance.choice(at_work))
                writers.start()
                num_kills += 1
    finally:
        writers.kill_all()

    acknowledged = pl.DataFrame({"problem_id": writers.acknowledged()})
    stored = store.read("SELECT problem_id FROM problems")
    assert num_kills == _NUM_KILLS
    assert acknowledged.height >= num_kills
    assert acknowledged.join(stored, on="problem_id", how="anti").is_empty()
    assert store.read(_HALF_WRITTEN).is_empty()
    assert store.publish()
    assert store.read_published("SELECT count(*) FROM problems").item() == stored.height


def test_threads_take_turns(store: Store) -> None:
    """Four threads with one store object commit every row."""
    frame = pl.DataFrame({"line": [1], "reason": ["r"], "raw": ["{}"]})

    def write(name: str) -> None:
        for number in range(3):
            store.insert("rejects", frame.with_columns(file=pl.lit(f"{name}{number}")))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.read("SELECT count(DISTINCT file) FROM rejects").item() == 12


def test_waiting_for_the_lock_is_said_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After a while the log names the process that holds the store."""
    monkeypatch.setattr(lock, "_NOTICE_S", 0.05)
    path = tmp_path / "stepmark.lock"
    waiter = threading.Thread(target=_lock_once, args=(path,))
    with caplog.at_level(logging.WARNING, "stepmark.store"), exclusive_lock(path):
        waiter.start()
        deadline = time.monotonic() + 10
        while not caplog.messages and time.monotonic() < deadline:
            time.sleep(0.02)
    waiter.join()

    assert f"{path} is held by process {os.getpid()} since " in caplog.messages[0]


def test_a_deleted_lock_file_does_not_let_two_in(tmp_path: Path) -> None:
    """Who waited on the old file takes the lock of the new one, so a third process is kept out as well."""
    path = tmp_path / "stepmark.lock"
    inside: list[bool] = []

    def lock_and_look() -> None:
        with exclusive_lock(path):
            inside.append(path.exists())

    waiter = threading.Thread(target=lock_and_look)
    with exclusive_lock(path):
        waiter.start()
        time.sleep(0.1)
        path.unlink()
    waiter.join()

    assert inside == [True]


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    """A process forked in the middle of a transaction may outlive its parent's lock."""
    path = tmp_path / "stepmark.lock"
    context = multiprocessing.get_context("fork")
    with exclusive_lock(path):
        child = context.Process(target=time.sleep, args=(30,))
        child.start()
        holder = lock._held_fds.copy()
    # As if the parent had been killed: its own descriptor is closed, the child's would still hold the lock.
    waiter = threading.Thread(target=_lock_once, args=(path,))
    waiter.start()
    waiter.join(5)
    child.kill()
    child.join()

    assert len(holder) == 1
    assert not waiter.is_alive()


def _lock_once(path: Path) -> None:
    with exclusive_lock(path):
        pass
