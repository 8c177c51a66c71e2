"""Writing frames and reading queries on an open connection, so that several tables share one transaction.

Leaves out: opening, locking and committing, which is ``Store.transaction``.
"""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import duckdb
import polars as pl

from stepmark.labeling.errors import StepmarkError

from .frames import FRAME_VIEW, checked_frame, checked_values, one_line, refusal
from .schema import Table, table_of

Params = Sequence[Any]

_QUERY_ERRORS = (duckdb.ProgrammingError, duckdb.DataError, duckdb.TransactionException)


def query(con: duckdb.DuckDBPyConnection, sql: str, params: Params = ()) -> pl.DataFrame:
    """Rows of one query; parameters stand as ``?`` or ``$1``. An error in the SQL is a StepmarkError.

    A statement without rows gives an empty frame. On the connection no other result may be unfinished.
    """
    try:
        relation = con.sql(sql, params=list(params)) if params else con.sql(sql)
        frame: pl.DataFrame = pl.DataFrame() if relation is None else relation.pl()
    except _QUERY_ERRORS as error:
        raise StepmarkError(f"The query failed: {one_line(error)}; it was {sql!r:.200}.") from error
    # DuckDB adds integers up as 128-bit ones, which come over as decimals without decimal places.
    wholes = [
        name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Decimal) and not dtype.scale
    ]
    return frame.with_columns(pl.col(wholes).cast(pl.Int64)) if wholes else frame


@contextlib.contextmanager
def registered(con: duckdb.DuckDBPyConnection, rows: pl.DataFrame, name: str = FRAME_VIEW) -> Iterator[None]:
    """Let SQL see ``rows`` as a view called ``name`` for the length of the block."""
    con.register(name, rows)
    try:
        yield
    finally:
        # After a failed statement only a rollback is possible, and it drops the name as well.
        with contextlib.suppress(duckdb.TransactionException):
            con.complete()
            con.unregister(name)


def insert(
    con: duckdb.DuckDBPyConnection, table: str, frame: pl.DataFrame, *, unknown: Collection[str] = ()
) -> int:
    """Insert all rows and return their number; a key that exists already is a StepmarkError.

    ``unknown`` names columns the frame does not have because their values are not known: they become NULL.
    """
    return _insert(con, table_of(table), frame, unknown, f"SELECT * FROM {FRAME_VIEW}")


def insert_missing(
    con: duckdb.DuckDBPyConnection, table: str, frame: pl.DataFrame, *, unknown: Collection[str] = ()
) -> int:
    """Insert the rows whose key is not there yet and return their number; existing rows stay as they are.

    Of rows with one key in the frame itself the first counts. In a table without a key the whole row is it.
    """
    target = table_of(table)
    if target.primary_key:
        source = f"SELECT * FROM {FRAME_VIEW} ON CONFLICT DO NOTHING"
        keys = [key for key in target.primary_key if key in frame.columns]
        frame = frame.unique(subset=keys, keep="first", maintain_order=True) if keys else frame
    else:
        columns = _names([name for name in target.column_names if name not in unknown])
        source = f'SELECT {columns} FROM {FRAME_VIEW} EXCEPT SELECT {columns} FROM "{table}"'
    return _insert(con, target, frame, unknown, source)


def replace(
    con: duckdb.DuckDBPyConnection,
    table: str,
    frame: pl.DataFrame,
    where: str,
    params: Params = (),
    *,
    unknown: Collection[str] = (),
) -> int:
    """Delete the rows for which ``where`` is true, insert the frame, and return the number inserted.

    Every row of the frame must satisfy ``where`` too: else a second run would not find what the first
    one wrote, and would double it.
    """
    target = table_of(table)
    rows = checked_frame(target, frame, unknown)
    outside = _count_outside(con, table, rows, where, params)
    if outside:
        raise StepmarkError(
            f"{outside} of {frame.height} rows to write into {table} are outside {where!r}; "
            "a replacement must stay within what it deletes."
        )
    delete(con, table, where, params)
    return _insert(con, target, frame, unknown, f"SELECT * FROM {FRAME_VIEW}")


def update(con: duckdb.DuckDBPyConnection, table: str, frame: pl.DataFrame) -> int:
    """Set the other columns of the frame on the rows that have its keys; return the number of rows changed.

    The frame holds every column of the primary key and at least one more; a key not stored is passed over.
    """
    target = table_of(table)
    keys = target.primary_key
    changed = [name for name in frame.columns if name not in keys]
    if not keys or not changed or any(key not in frame.columns for key in keys):
        raise StepmarkError(f"An update of {table} needs the columns {list(keys)}, and one more to set.")
    rows = checked_values(target, frame)
    if rows.select(keys).is_duplicated().any():
        raise StepmarkError(f"An update of {table} has two rows with one key {list(keys)}; drop one.")
    assignments = ", ".join(f'"{name}" = new."{name}"' for name in changed)
    match = " AND ".join(f'"{table}"."{key}" = new."{key}"' for key in keys)
    sql = f'UPDATE "{table}" SET {assignments} FROM {FRAME_VIEW} AS new WHERE {match}'
    with _refused_rows_named(target, rows), registered(con, rows):
        return _num_changed(con.execute(sql))


def delete(con: duckdb.DuckDBPyConnection, table: str, where: str, params: Params = ()) -> int:
    """Delete the rows for which ``where`` (``TRUE`` for all) is true and return their number."""
    table_of(table)
    return _num_changed(con.execute(f'DELETE FROM "{table}" WHERE {where}', list(params)))


def _insert(
    con: duckdb.DuckDBPyConnection, table: Table, frame: pl.DataFrame, unknown: Collection[str], source: str
) -> int:
    rows = checked_frame(table, frame, unknown)
    if rows.is_empty():
        return 0
    with _refused_rows_named(table, rows), registered(con, rows):
        return _num_changed(con.execute(f'INSERT INTO "{table.name}" ({_names(rows.columns)}) {source}'))


@contextlib.contextmanager
def _refused_rows_named(table: Table, rows: pl.DataFrame) -> Iterator[None]:
    try:
        yield
    except (duckdb.IntegrityError, duckdb.DataError) as error:
        raise refusal(table, rows, error) from error


def _count_outside(
    con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame, where: str, params: Params
) -> int:
    if rows.is_empty():
        return 0
    with registered(con, rows):
        sql = f'SELECT count(*) FROM {FRAME_VIEW} AS "{table}" WHERE ({where}) IS NOT TRUE'
        return _num_changed(con.execute(sql, list(params)))


def _num_changed(result: duckdb.DuckDBPyConnection) -> int:
    # All rows are fetched: DuckDB refuses the next statement while a result is unfinished.
    return sum(int(count) for (count,) in result.fetchall())


def _names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
