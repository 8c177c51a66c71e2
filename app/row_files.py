"""Files of rows, written as the rows come: JSON Lines, a JSON array, CSV, Parquet.

Leaves out: where the file goes (``io.outputs.output_file``), and what the rows mean.
"""

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

Row = Mapping[str, Any]

_GROUP_ROWS = 50_000  # of Parquet: what is held in memory


def write_lines(file: IO[bytes], rows: Iterable[Row], columns: Mapping[str, type]) -> int:
    """One JSON object a line; returns the number of rows, as the other functions do."""
    num_rows = 0
    for row in rows:
        file.write(_json(row) + b"\n")
        num_rows += 1
    return num_rows


def write_array(file: IO[bytes], rows: Iterable[Row], columns: Mapping[str, type]) -> int:
    """One JSON array, an element a line."""
    num_rows = 0
    for row in rows:
        file.write((b",\n" if num_rows else b"[\n") + _json(row))
        num_rows += 1
    file.write(b"\n]\n" if num_rows else b"[]\n")
    return num_rows


def _json(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode()


def write_csv(file: IO[bytes], rows: Iterable[Row], columns: Mapping[str, type]) -> int:
    """A header and a line a row, ended by CRLF as RFC 4180 asks; an empty cell is null."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, list(columns), lineterminator="\r\n")
    writer.writeheader()
    num_rows = 0
    for row in rows:
        writer.writerow(row)
        num_rows += 1
    text.detach()  # flushes, and leaves the file to its owner
    return num_rows


def write_parquet(file: IO[bytes], rows: Iterable[Row], columns: Mapping[str, type]) -> int:
    """Parquet with row groups of 50,000."""
    import pyarrow as pa  # noqa: PLC0415 - no other layout needs it
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    num_rows = 0
    with ParquetWriter(file, schema, compression="zstd") as writer:
        rows = iter(rows)
        while group := list(itertools.islice(rows, _GROUP_ROWS)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            num_rows += len(group)
    return num_rows


WRITERS: dict[str, Callable[[IO[bytes], Iterable[Row], Mapping[str, type]], int]] = {
    "lines": write_lines,
    "array": write_array,
    "csv": write_csv,
    "parquet": write_parquet,
}
