"""Several processes write, publish and are killed with -9: nothing acknowledged is lost or half there.

STEPMARK_KILLS sets how often, by default twice; there are 40 transactions for each kill.
"""

import logging
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import polars as pl
import pytest

from stepmark.store import lock
from stepmark.store.lock import exclusive_lock
from stepmark.store.store import Store

from .torture import torture

pytestmark = pytest.mark.slow

NUM_KILLS = int(os.environ.get("STEPMARK_KILLS", "2"))


def test_killed_writers_lose_nothing_they_acknowledged(store: Store, tmp_path: Path) -> None:
    """Every acknowledged transaction is there whole, none is there in part, and the snapshot always reads."""
    lines = tmp_path / "lines"
    lines.mkdir()
    outcome = torture(store, lines, NUM_KILLS)

    assert (outcome.lost, outcome.partial, outcome.reader_errors, outcome.failures) == ([], [], [], [])
    assert outcome.num_kills == NUM_KILLS
    assert outcome.num_acknowledged >= 40 * NUM_KILLS
    assert outcome.num_reads >= NUM_KILLS
    assert store.publish()
    assert store.read_published("SELECT count(*) FROM problems").item() == outcome.num_stored


_FIRST_COMMIT_AND_DEATH = """
import os, sys
from pathlib import Path
from stepmark.store.store import Store
with Store(Path(sys.argv[1]))._opened() as con:
    con.execute("INSERT INTO schema_version VALUES (1000, 'first', '2026-01-01')")
    os._exit(9)
"""


def test_a_kill_right_after_the_first_commit_leaves_a_home_that_opens(tmp_path: Path) -> None:
    """Nothing of the file is in its log alone but rows: DuckDB cannot replay every table's making."""
    home = tmp_path / "home"
    died = subprocess.run([sys.executable, "-c", _FIRST_COMMIT_AND_DEATH, str(home)], check=False)

    assert died.returncode == 9
    assert (home / "stepmark.duckdb.wal").stat().st_size > 0
    with duckdb.connect(str(home / "stepmark.duckdb")) as con:
        assert con.execute("SELECT version FROM schema_version WHERE version = 1000").fetchall() == [(1000,)]


def test_a_file_left_half_made_is_made_anew(tmp_path: Path) -> None:
    """A kill while a new home's tables are made costs nothing but the work."""
    (tmp_path / "stepmark.duckdb.new").write_bytes(b"half a database")

    assert Store(tmp_path).read("SELECT count(*) FROM problems").item() == 0
    assert not (tmp_path / "stepmark.duckdb.new").exists()


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
