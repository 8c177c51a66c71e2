"""The published snapshot: replaced whole, readable at any time, closed to everything beyond it."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.store import rows
from stepmark.store.create import create_all
from stepmark.store.schema import Table, read_schema, tables, views
from stepmark.store.snapshot import open_published, storage_version
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

_REJECT = pl.DataFrame({"file": ["a"], "line": [1], "reason": ["r"], "raw": ["{}"]})
_COUNT = "SELECT count(*) FROM rejects"


def test_the_snapshot_shows_the_moment_it_was_published(store: Store) -> None:
    """Later rows are in the live file only, until the next publication."""
    store.publish()
    store.insert("rejects", _REJECT)
    before = store.read_published(_COUNT).item()
    store.publish()

    assert (before, store.read_published(_COUNT).item()) == (0, 1)


def test_a_reader_keeps_its_snapshot_while_a_new_one_is_published(store: Store) -> None:
    """An open connection goes on reading the old rows; nobody waits."""
    store.publish()
    reader = open_published(store.published)
    store.insert("rejects", _REJECT)
    store.publish()
    count = reader.execute(_COUNT).fetchall()
    reader.close()

    assert count == [(0,)]
    assert store.read_published(_COUNT).item() == 1


def test_the_snapshot_reads_while_a_transaction_is_open(store: Store) -> None:
    """Another process queries without the lock, while a writer is in the middle of its transaction."""
    store.publish()
    code = f"import duckdb; print(duckdb.connect({str(store.published)!r}, read_only=True).sql({_COUNT!r}))"
    with store.transaction() as con:
        rows.insert(con, "rejects", _REJECT)
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (other.returncode, "0" in other.stdout) == (0, True)


def test_publishing_waits_for_the_writer(store: Store) -> None:
    """A publication asked for during a transaction shows what it committed."""
    publisher = threading.Thread(target=store.publish)
    with store.transaction() as con:
        publisher.start()
        rows.insert(con, "rejects", _REJECT)
    publisher.join()

    assert store.read_published(_COUNT).item() == 1


def test_a_young_snapshot_is_not_replaced(store: Store) -> None:
    """With an interval, publishing again at once does nothing; an old snapshot is replaced."""
    assert store.publish(min_interval_s=60)
    assert not store.publish(min_interval_s=60)
    os.utime(store.published, (0, 0))

    assert store.publish(min_interval_s=60)


def test_what_a_kill_or_a_client_left_behind_does_no_harm(store: Store) -> None:
    """Half a copy, and the log of a client that wrote into the old snapshot, are gone after publishing."""
    store.publish()
    folder = store.published.parent
    (folder / ".stepmark.duckdb.partial").write_text("half a copy")
    (folder / "stepmark.duckdb.wal").write_text("someone else's changes")
    store.insert("rejects", _REJECT)
    store.publish()

    assert [file.name for file in folder.iterdir()] == ["stepmark.duckdb"]
    assert store.read_published(_COUNT).item() == 1


def test_a_committed_log_is_published_too(store: Store) -> None:
    """What a killed process committed but did not write out is in the next snapshot."""
    code = (
        f"import duckdb, os; c = duckdb.connect({str(store.live)!r}); "
        "c.execute(\"INSERT INTO rejects VALUES ('a', 1, 'r', '{}')\"); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert store.live.with_name("stepmark.duckdb.wal").exists()
    store.publish()

    assert store.read_published(_COUNT).item() == 1


def test_the_file_is_written_for_clients_from_duckdb_1_2_on(store: Store) -> None:
    """The main header's storage version is 65, the one of DuckDB 1.2; 2.0's own is 999."""
    store.publish()
    header = store.published.read_bytes()[:20]

    assert (header[8:12], int.from_bytes(header[12:20], "little")) == (b"DUCK", 65)


def test_a_file_of_duckdb_2_is_written_anew_for_older_clients(tmp_path: Path) -> None:
    """Publishing brings every row, key, comment and view over, into the live file and the snapshot."""
    store = Store(tmp_path)
    con = duckdb.connect(str(store.live))
    create_all(con)
    con.execute("INSERT INTO rejects VALUES ('a', 1, 'r', '{}')")
    before = _described(con)
    con.close()
    store.publish()
    with store.transaction() as con:
        after = _described(con)
        live = storage_version(con)
    con = open_published(store.published)
    published = storage_version(con)
    con.close()

    assert (live, published) == ("v1.2.0", "v1.2.0")
    assert after == before
    assert store.read_published(_COUNT).item() == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "published",
        "stepmark.duckdb",
        "stepmark.lock",
    ]


def _described(con: duckdb.DuckDBPyConnection) -> dict[str, Table]:
    # A check that was copied says the same in other words: 1e-06 for 1e-6. So they are counted.
    return {table.name: replace(table, checks=("one",) * len(table.checks)) for table in read_schema(con)}


@pytest.mark.parametrize("folder", [*filter(None, os.environ.get("STEPMARK_DUCKDBS", "").split(os.pathsep))])
def test_another_client_reads_every_table_and_view(store: Store, folder: str) -> None:
    """STEPMARK_DUCKDBS names folders with DuckDB of other versions, as `pip install --target` makes them."""
    store.insert("rejects", _REJECT)
    store.publish()
    code = f"""
import duckdb
con = duckdb.connect({str(store.published)!r}, read_only=True)
for name in {[*tables(), *views()]!r}:
    con.execute(f'SELECT * FROM "{{name}}"').fetchall()
print(duckdb.__version__, con.execute({_COUNT!r}).fetchall())
"""
    environment = os.environ | {"PYTHONPATH": folder}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )

    assert run.stderr == ""
    assert run.stdout.endswith("[(1,)]\n")


def test_without_a_snapshot_the_way_to_one_is_named(store: Store) -> None:
    """The message says what to run."""
    with pytest.raises(StepmarkError, match=r"no snapshot .* yet; run `stepmark demo`"):
        store.read_published(_COUNT)


def test_the_snapshot_cannot_be_written(store: Store) -> None:
    """An insert is refused."""
    store.publish()
    with pytest.raises(StepmarkError, match="read-only"):
        store.read_published("INSERT INTO rejects VALUES ('a', 1, 'r', '{}')")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "COPY rejects TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/out.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET log_query_path = '{folder}/out.log'",
        "PRAGMA profile_output = '{folder}/out.json'",
        "CALL enable_logging(storage = 'file', storage_path = '{folder}/out')",
    ],
)
def test_nothing_beyond_the_snapshot_is_reached(store: Store, tmp_path: Path, sql: str) -> None:
    """Other files, extensions and settings are refused, and no file appears."""
    (tmp_path / "secret.csv").write_text("a\n1\n")
    store.publish()
    con = open_published(store.published)
    with pytest.raises((duckdb.PermissionException, duckdb.InvalidInputException)):
        con.execute(sql.format(file=tmp_path / "secret.csv", folder=tmp_path)).fetchall()
    con.close()

    assert sorted(file.name for file in tmp_path.iterdir()) == ["home", "secret.csv"]
