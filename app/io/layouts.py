"""Rows of a query as text: a table for people, CSV and JSON for programs.

Leaves out: the query (app/sql.py).
"""

import csv
import io
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from stepmark.labeling.errors import InputError

_CELL_CHARS = 80

Row = tuple[Any, ...]


def as_table(names: Sequence[str], rows: Sequence[Row]) -> str:
    """Aligned columns, numbers to the right, cells cut at 80 characters, the number of rows below."""
    columns = [[_cell(name), *(_cell(row[i]) for row in rows)] for i, name in enumerate(names)]
    for i, cells in enumerate(columns):
        width = max(map(_width, cells))
        is_number = any(_is_number(row[i]) for row in rows)
        cells.insert(1, "-" * width)
        cells[:] = [_padded(cell, width, is_number) for cell in cells]
    lines = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
    return "\n".join([*lines, f"({len(rows)} row{'' if len(rows) == 1 else 's'})"])


def as_csv(names: Sequence[str], rows: Iterable[Row]) -> str:
    """CSV with a header. NULL and an empty text are both an empty field; lists are JSON."""
    buffer = io.StringIO()
    plain = csv.writer(buffer, lineterminator="\n")
    quoted = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    for row in [tuple(names), *rows]:
        cells = [_csv_value(value) for value in row]
        # A bare carriage return ends a line for readers, and the plain writer does not know that.
        has_return = any("\r" in cell for cell in cells if isinstance(cell, str))
        (quoted if has_return else plain).writerow(cells)
    return buffer.getvalue()


def as_json(names: Sequence[str], rows: Iterable[Row]) -> str:
    """A JSON array with one object a row; every character beyond ASCII is escaped, so it is safe to print.

    A DECIMAL of more digits than a float holds is a text, so that it loses none. Raises ``InputError`` where
    two columns have one name: an object could hold only one of them.
    """
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise InputError(
            f"{twice[0]!r:.80} is the name of two columns; rename one with AS, or print them as csv."
        )
    return json.dumps([dict(zip(names, map(_json_value, row), strict=True)) for row in rows], indent=1)


def _csv_value(value: object) -> object:
    if isinstance(value, list | tuple | dict):
        return json.dumps(_json_value(value))
    return _as_text(value) if isinstance(value, bytes) else value


def _as_text(blob: bytes) -> str:
    """As DuckDB writes it: ASCII as it is, other bytes in hexadecimal."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02X}" for byte in blob)


def _json_value(value: object) -> object:
    if isinstance(value, float):
        return value if value - value == 0 else None  # JSON has no NaN and no infinity
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, Decimal):
        return float(value) if Decimal(str(float(value))) == value else str(value)
    return _as_text(value) if isinstance(value, bytes) else str(value)


def _is_number(value: object) -> bool:
    return hasattr(value, "__abs__") and hasattr(value, "__round__") and not isinstance(value, bool)


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        value = _as_text(value)
    text = printable(f"{value:.6g}" if isinstance(value, float) else str(value))
    return text if len(text) <= _CELL_CHARS else text[: _CELL_CHARS - 1] + "…"


def printable(text: str, keep: str = "") -> str:
    """The text with escapes for what a terminal obeys, except the characters of ``keep``.

    Control, format (such as right-to-left marks) and line-separating characters could move its cursor, colour
    it, or show a row as another one.
    """
    return "".join(
        char
        if char in keep or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape").decode()
        for char in text
    )


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _padded(cell: str, width: int, is_number: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if is_number else cell + blanks
