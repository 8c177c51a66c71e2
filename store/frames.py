"""Checking a polars frame against a table before DuckDB sees it, so that nothing is filled in or rounded.

Leaves out: keys and CHECKs, which the database enforces; here their failures are only put into words.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, cast

import duckdb
import polars as pl

from stepmark.labeling.errors import StepmarkError

from .create import open_memory
from .schema import Column, Table, table_of

FRAME_VIEW = "_stepmark_frame"


_DTYPES: dict[str, pl.DataType] = {
    "VARCHAR": pl.String(),
    "INTEGER": pl.Int32(),
    "BIGINT": pl.Int64(),
    "DOUBLE": pl.Float64(),
    "BOOLEAN": pl.Boolean(),
    "VARCHAR[]": pl.List(pl.String()),
}


def frame_of(table: str, records: Sequence[object], kind: type | None = None) -> pl.DataFrame:
    """A frame of records, one row each: the fields that are columns of ``table``, with its types.

    Times may be datetimes or text. Without records the frame is empty, and has the columns that records of
    this ``kind`` have, or every column where none is named.
    """
    columns = table_of(table).columns
    example = kind or (records[0] if records else None)
    if example:
        columns = tuple(column for column in columns if hasattr(example, column.name))
    fields = getattr(example, "_fields", None)
    if fields and records:  # named tuples: transposed whole, in a fifth of the time
        values = dict(zip(fields, zip(*cast(Sequence[tuple[Any, ...]], records), strict=True), strict=True))
    else:
        values = {column.name: tuple(map(attrgetter(column.name), records)) for column in columns}
    return pl.DataFrame([pl.Series(c.name, values[c.name], _DTYPES.get(c.type)) for c in columns])


def checked_frame(table: Table, frame: pl.DataFrame, unknown: Collection[str] = ()) -> pl.DataFrame:
    """The frame as ``checked_values`` gives it, and whole: every column of the table is there.

    Only columns named in ``unknown`` may be absent: their values are not known and become NULL.
    """
    _check_names(table, unknown)
    for column in table.columns:
        if column.name in frame.columns:
            continue
        if column.name not in unknown:
            raise StepmarkError(
                f"The frame for table {table.name} has no column {column.name!r}; add it, "
                "or name it among the unknown ones if it may be NULL."
            )
        if not column.is_nullable:
            raise StepmarkError(f"{table.name}.{column.name} must be known; it does not allow NULL.")
    return checked_values(table, frame)


def checked_values(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with its columns in the table's order and times in UTC.

    Raises ``StepmarkError`` for a surplus column, a wrong type (DuckDB would cast 0.7 to 1 without a word),
    or a NULL where the table allows none.
    """
    _check_names(table, frame.columns)
    columns = [column for column in table.columns if column.name in frame.columns]
    for column in columns:
        _check_type(table, column, frame.schema[column.name])
        _check_nulls(table, column, frame[column.name])
    return frame.select(_expression(column, frame.schema) for column in columns)


def _check_names(table: Table, names: Collection[str]) -> None:
    for name in names:
        if name not in table.column_names:
            raise StepmarkError(
                f"Table {table.name} has no column {name!r}; its columns are {', '.join(table.column_names)}."
            )


def _check_type(table: Table, column: Column, dtype: pl.DataType) -> None:
    if not (dtype == pl.Null or _fits(column.type, dtype)):
        raise StepmarkError(
            f"{table.name}.{column.name} is {column.type}, but the frame has {dtype}; cast it first."
        )


def _fits(sql_type: str, dtype: pl.DataType) -> bool:
    match sql_type:
        case "VARCHAR":
            return dtype in (pl.String, pl.Categorical, pl.Enum)
        case "INTEGER" | "BIGINT":
            return dtype.is_integer()
        case "DOUBLE":
            return dtype.is_numeric()
        case "BOOLEAN":
            return dtype == pl.Boolean
        case "TIMESTAMP":
            return dtype in (pl.Datetime, pl.String)
        case "VARCHAR[]":
            return isinstance(dtype, pl.List) and dtype.inner in (pl.String, pl.Null)
    raise NotImplementedError(f"no check for columns of type {sql_type}")


def _check_nulls(table: Table, column: Column, values: pl.Series) -> None:
    if not column.is_nullable and values.null_count():
        row = int(values.is_null().arg_true()[0])
        raise StepmarkError(
            f"{table.name}.{column.name} does not allow NULL, but row {row} of the frame has one; "
            "fill it or leave the row out."
        )


def _expression(column: Column, schema: Mapping[str, pl.DataType]) -> pl.Expr:
    dtype = schema[column.name]
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        # Stored times are UTC without a zone; DuckDB's own cast would take the machine's zone.
        return pl.col(column.name).dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return pl.col(column.name)


def refusal(table: Table, frame: pl.DataFrame, error: duckdb.Error) -> StepmarkError:
    """The database's refusal of ``frame`` as one sentence that names the row and the value."""
    broken = _first_broken_check(table, frame) or one_line(error)
    return StepmarkError(f"Table {table.name} refuses a row: {broken}; nothing was written.")


def _first_broken_check(table: Table, frame: pl.DataFrame) -> str | None:
    con = open_memory()
    try:
        con.register(FRAME_VIEW, frame)
        for check in table.checks:
            try:
                # A column left out of the frame cannot break a check; binding then fails.
                rows = con.sql(f"SELECT * FROM {FRAME_VIEW} WHERE NOT ({check}) LIMIT 1").pl().to_dicts()
            except duckdb.Error:
                continue
            if rows:
                named = [n for n in table.column_names if n in table.primary_key or n in check]
                values = ", ".join(f"{n}={rows[0][n]!r:.80}" for n in named if n in rows[0])
                text = check[1:-1] if check.startswith("(") else check
                return f"{text} does not hold for {values}"
    finally:
        con.close()
    return None


def one_line(error: BaseException) -> str:
    """The message of an error on one line, without its final full stop, DuckDB's drawing of the query, and
    its advice on settings, which are locked here.
    """
    return " ".join(re.split(r"\n\n(?:LINE |Possible solutions)", str(error))[0].split()).removesuffix(".")
