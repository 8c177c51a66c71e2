"""The store: one DuckDB file that several processes and threads write safely, and its published snapshot.

    <home>/stepmark.duckdb            live and private: locked, one transaction at a time
    <home>/stepmark.lock              the lock's sidecar file; it names the process that holds it
    <home>/published/stepmark.duckdb  the snapshot that people query while the pipeline writes

Compute outside, then open a transaction and write. Leaves out: what goes into the tables.

>>> import tempfile
>>> store = Store(Path(tempfile.mkdtemp()))
>>> store.read("SELECT count(*) AS num_problems FROM problems").item()
0
"""

import contextlib
from collections.abc import Collection, Iterator
from pathlib import Path

import duckdb
import polars as pl

from stepmark.labeling.errors import StepmarkError

from . import rows, snapshot
from .create import STORAGE_VERSION, WRITING_CONFIG, create_file, ensure_schema, refuse_unopenable
from .frames import one_line
from .lock import exclusive_lock
from .rows import Params

_DISK_ERRORS = (duckdb.IOException, duckdb.FatalException, duckdb.OutOfMemoryException)


class Store:
    """The tables of one home folder. Holds no connection: each call opens, commits and closes one.

    So one object may be shared by threads, pickled into workers, or made again anywhere.
    """

    def __init__(self, home: Path) -> None:
        self.home = Path(home)
        self.live = self.home / "stepmark.duckdb"
        self.lock = self.home / "stepmark.lock"
        self.published = self.home / "published" / "stepmark.duckdb"

    @contextlib.contextmanager
    def transaction(self, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """An open connection in one transaction under the exclusive lock; commits when the block ends.

        Any exception in the block rolls everything back and goes on. The connection is closed and the lock
        released on every path. Use the functions of ``rows`` on the connection, and keep the block short:
        everyone else waits.
        """
        with self._opened() as con:
            con.execute("BEGIN TRANSACTION READ ONLY" if read_only else "BEGIN TRANSACTION")
            try:
                yield con
                con.execute("COMMIT")
            except BaseException as error:
                # A failed statement or a full disk may have ended the transaction already.
                with contextlib.suppress(duckdb.Error):
                    con.execute("ROLLBACK")
                if isinstance(error, _DISK_ERRORS) or _is_full_at_commit(error):
                    raise self._disk_trouble(error) from error
                raise

    @contextlib.contextmanager
    def _opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        # Only errors of opening are explained here: an OSError of the block itself is the caller's own.
        with contextlib.ExitStack() as stack:
            refuse_unopenable(self.live)
            try:
                self.home.mkdir(parents=True, exist_ok=True)
                stack.enter_context(exclusive_lock(self.lock))
                con = self._connect()
                stack.callback(con.close)
                ensure_schema(con, self.live)
            except (OSError, *_DISK_ERRORS) as error:
                raise self._disk_trouble(error) from error
            yield con

    def _connect(self) -> duckdb.DuckDBPyConnection:
        if not self.live.exists():
            create_file(self.live)
        try:
            return duckdb.connect(str(self.live), config=WRITING_CONFIG)
        except duckdb.Error as error:
            raise StepmarkError(
                f"Cannot open {self.live} as a DuckDB database: {one_line(error)}; close programs that have "
                "it open (people query the published snapshot), or move it away if it is something else."
            ) from error

    def _disk_trouble(self, error: BaseException) -> StepmarkError:
        # The same exception tells of a temporary folder that is full, by the setting that bounds it.
        if isinstance(error, duckdb.OutOfMemoryException) and "temp_directory_size" not in str(error):
            return StepmarkError(
                f"The store in {self.home} got too little memory: {one_line(error)}; "
                "end other programs, or use a machine with more memory."
            )
        return StepmarkError(
            f"Cannot write the store in {self.home}: {one_line(error)}; "
            "look at the disk's free space and permissions, or give another --home."
        )

    def read(self, sql: str, params: Params = ()) -> pl.DataFrame:
        """Rows of one query on the live file, as last committed."""
        with self.transaction(read_only=True) as con:
            return rows.query(con, sql, params)

    def insert(self, table: str, frame: pl.DataFrame, *, unknown: Collection[str] = ()) -> int:
        """``rows.insert`` in a transaction of its own."""
        with self.transaction() as con:
            return rows.insert(con, table, frame, unknown=unknown)

    def insert_missing(self, table: str, frame: pl.DataFrame, *, unknown: Collection[str] = ()) -> int:
        """``rows.insert_missing`` in a transaction of its own."""
        with self.transaction() as con:
            return rows.insert_missing(con, table, frame, unknown=unknown)

    def replace(
        self,
        table: str,
        frame: pl.DataFrame,
        where: str,
        params: Params = (),
        *,
        unknown: Collection[str] = (),
    ) -> int:
        """``rows.replace`` in a transaction of its own."""
        with self.transaction() as con:
            return rows.replace(con, table, frame, where, params, unknown=unknown)

    def update(self, table: str, frame: pl.DataFrame) -> int:
        """``rows.update`` in a transaction of its own."""
        with self.transaction() as con:
            return rows.update(con, table, frame)

    def delete(self, table: str, where: str, params: Params = ()) -> int:
        """``rows.delete`` in a transaction of its own."""
        with self.transaction() as con:
            return rows.delete(con, table, where, params)

    def publish(self, min_interval_s: float = 0.0) -> bool:
        """Put the live file's present state in place as the snapshot; returns whether it did.

        With ``min_interval_s`` a snapshot younger than that stays: call it after every batch, and once
        without at the end of a job.
        """
        if min_interval_s > 0 and snapshot.is_fresh(self.published, min_interval_s):
            return False
        with self._opened() as con:
            try:
                refuse_unopenable(self.published)
                con.execute("CHECKPOINT")
                if snapshot.storage_version(con) != STORAGE_VERSION:
                    snapshot.rewrite_for_older_clients(con, self.live)
                con.close()
                snapshot.copy_into_place(self.live, self.published)
            except (OSError, *_DISK_ERRORS) as error:
                raise self._disk_trouble(error) from error
        return True

    def read_published(self, sql: str, params: Params = ()) -> pl.DataFrame:
        """Rows of one query on the snapshot, without the lock; other files are out of its reach."""
        return snapshot.read_published(self.published, sql, params)


def _is_full_at_commit(error: BaseException) -> bool:
    # A log that cannot be written is told as a failed transaction.
    return isinstance(error, duckdb.TransactionException) and "Could not write file" in str(error)
