"""The rows of a table, whatever file it is: CSV, Parquet, or JSON objects. Content decides, not the name.

Leaves out: what the columns mean (``tables``). A Parquet file is read whole, the others row by row.
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepmark.labeling.errors import InputError
from stepmark.labeling.records import Reject

from .json_values import MAX_CHARS, JsonObject, is_text, reject
from .jsonl import DAMAGED_GZIP, damaged_gzip, open_unpacked, read_objects

if TYPE_CHECKING:
    import polars as pl

NEEDED = ("problem", "solution_id", "step_index", "step")
_PARQUET = b"PAR1"
_DELIMITERS = ",;\t"
csv.field_size_limit(MAX_CHARS)  # the module's own limit is less than a long solution may need


def kind_of_file(path: Path) -> str:
    """What the file is, "parquet", "json" or "csv", by its first bytes; CSV begins with column names.

    Raises:
        InputError: if the file is absent, a folder, or UTF-16.
    """
    try:
        with open_unpacked(path) as stream:
            head = stream.peek(4096)
    except DAMAGED_GZIP:
        return "json"  # whose reader refuses it with the place
    if head[:4] == _PARQUET:
        return "parquet"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return "csv" if text[:1] not in (b"{", b"[") and _is_header(text) else "json"


def _is_header(text: bytes) -> bool:
    names = _names_in(text.split(b"\n")[0].decode("utf-8", "replace"))[0]
    return any(name in NEEDED for name in names)


def column_names(path: Path) -> list[str]:
    """The columns of a CSV or Parquet file."""
    if kind_of_file(path) == "parquet":
        return _read_parquet(path, only_names=True).columns
    with _csv_text(path) as text:
        return _names_in(text.readline())[0]


def read_table(path: Path) -> Iterator[tuple[int, JsonObject | Reject]]:
    """Every row with its 1-based line (in Parquet its row number), or the Reject of what is none.

    Raises:
        InputError: if the file cannot be read at all.
    """
    match kind_of_file(path):
        case "parquet":
            yield from enumerate(_read_parquet(path).iter_rows(named=True), start=1)
        case "csv":
            yield from _read_csv(path)
        case _:
            yield from read_objects(path)


def _read_parquet(path: Path, *, only_names: bool = False) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 - the command line lists the formats, and no other file needs it

    try:
        return pl.read_parquet(path, n_rows=0 if only_names else None, glob=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError.at(path, None, f"the Parquet file is damaged: {reason}", "fetch it again") from error


def _csv_text(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(open_unpacked(path), encoding="utf-8-sig", errors="surrogateescape", newline="")


def _names_in(header: str) -> tuple[list[str], str]:
    """The column names in the first line of a CSV file, none where it is no CSV; and what parts its cells."""
    delimiter = max(_DELIMITERS, key=header.count)
    try:
        names = next(csv.reader([header.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        names = []
    return [name.strip() for name in names], delimiter


def _read_csv(path: Path) -> Iterator[tuple[int, JsonObject | Reject]]:
    with _csv_text(path) as text:
        names, delimiter = _names_in(text.readline())
        if not names:
            remedy = "write column names on line 1, and end lines with LF or CRLF"
            raise InputError.at(path, 1, "the line is no header of a CSV file", remedy)
        if len(set(names)) < len(names):
            raise InputError.at(
                path, 1, f"a column is named twice: {', '.join(names)}", "rename one of the two"
            )
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        while True:
            line = rows.line_num + 2  # the header is line 1, and the next row starts on the line after this
            try:
                cells = next(rows, None)
            except csv.Error as error:
                yield line, reject(path, line, f"the row is not CSV: {error}", "")
                continue
            except DAMAGED_GZIP as error:
                raise damaged_gzip(path, line - 1, error) from error
            if cells is None:
                return
            if cells:
                yield line, _csv_row(path, line, names, cells)


def _csv_row(path: Path, line: int, names: list[str], cells: list[str]) -> JsonObject | Reject:
    raw = ",".join(cells)
    if len(cells) != len(names):
        return reject(path, line, f"the row has {len(cells)} cells for {len(names)} columns", raw)
    if not is_text(raw):
        return reject(path, line, "the row holds bytes that are not UTF-8", raw)
    row: dict[str, Any] = {name: cell or None for name, cell in zip(names, cells, strict=True)}
    return row
