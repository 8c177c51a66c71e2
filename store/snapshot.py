"""The published snapshot: a whole copy of the live file, put in place in one step, for everyone to query.

Leaves out: when to publish; jobs decide.
"""

import os
import shutil
import time
from pathlib import Path

import duckdb
import polars as pl

from stepmark.labeling.errors import StepmarkError

from .create import CONNECT_CONFIG, STORAGE_VERSION, refuse_unopenable
from .frames import one_line
from .rows import Params, query

# Queries may come from people and pages: they read this one file, and can neither reach another nor
# change these settings.
READ_ONLY_CONFIG = CONNECT_CONFIG | {"enable_external_access": "false", "lock_configuration": "true"}


def is_fresh(published: Path, min_interval_s: float) -> bool:
    """True when a snapshot is there and at most ``min_interval_s`` seconds old."""
    try:
        age_s = time.time() - published.stat().st_mtime
    except FileNotFoundError:
        return False
    return 0 <= age_s < min_interval_s


def copy_into_place(live: Path, published: Path) -> None:
    """Copy the closed, checkpointed ``live`` file onto ``published``; the caller holds the store's lock.

    Whoever has the old snapshot open keeps reading it; a kill at any point leaves the old or the new one.
    """
    _refuse_unwritten(live)
    published.parent.mkdir(parents=True, exist_ok=True)
    # One fixed name: only the lock's holder writes it, and what a kill leaves is overwritten next time.
    partial = published.with_name(f".{published.name}.partial")
    shutil.copyfile(live, partial)
    _fsync(partial)
    # Left by a client that opened the old snapshot for writing; it must not be played into the new one.
    published.with_name(published.name + ".wal").unlink(missing_ok=True)
    os.replace(partial, published)
    _fsync(published.parent)


def storage_version(con: duckdb.DuckDBPyConnection) -> str:
    """The storage version of the open file, such as ``v1.2.0``: DuckDB from that version on opens it."""
    found = con.execute(
        "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchall()
    return str(found[0][0]).removesuffix("+")


def rewrite_for_older_clients(con: duckdb.DuckDBPyConnection, live: Path) -> None:
    """Write the open, checkpointed ``live`` file anew in STORAGE_VERSION, and close the connection.

    A file keeps the storage version it was made with. The caller holds the store's lock; a kill at any point
    leaves the old file or the new one.
    """
    partial = live.with_name(f".{live.name}.partial")
    for leftover in (partial, partial.with_name(partial.name + ".wal")):
        leftover.unlink(missing_ok=True)
    name = con.execute("SELECT current_database()").fetchall()[0][0]
    con.execute(f"ATTACH '{quoted(partial)}' AS rewritten (STORAGE_VERSION '{STORAGE_VERSION}')")
    con.execute(f'COPY FROM DATABASE "{name}" TO rewritten')
    con.execute("CHECKPOINT rewritten")
    con.execute("DETACH rewritten")
    con.close()
    _refuse_unwritten(live)
    _fsync(partial)
    os.replace(partial, live)
    _fsync(live.parent)


def quoted(path: Path | str) -> str:
    """A path for between the quotes of an SQL text."""
    return str(path).replace("'", "''")


def _refuse_unwritten(live: Path) -> None:
    if live.with_name(live.name + ".wal").exists():
        raise StepmarkError(
            f"{live} was not written out in full; close every other program that has it open."
        )


def _fsync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def open_published(published: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection to the snapshot, for the caller to close. Other files are out of its reach."""
    refuse_unopenable(published)
    if not published.exists():
        raise StepmarkError(
            f"There is no snapshot {published} yet; run `stepmark demo` or a job first, or give --home."
        )
    try:
        return duckdb.connect(str(published), read_only=True, config=dict(READ_ONLY_CONFIG))
    except duckdb.Error as error:
        raise StepmarkError(
            f"Cannot open the snapshot {published}: {one_line(error)}; "
            "close programs that opened it for writing, or publish it again."
        ) from error


def read_published(published: Path, sql: str, params: Params = ()) -> pl.DataFrame:
    """Rows of one query on the snapshot."""
    con = open_published(published)
    try:
        return query(con, sql, params)
    finally:
        con.close()
