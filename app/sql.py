"""``stepmark sql``: one read-only query on the published snapshot.

Leaves out: writing, other files and extensions, which are refused; the live file, which is private.
"""

import csv
import io
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import duckdb

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.frames import one_line
from stepmark.store.snapshot import open_published
from stepmark.store.store import Store

from .options import home_option

_CELL_CHARS = 80
# Python has no months, no infinite days and no nanoseconds: DuckDB writes these out itself, also where
# they are part of a type, in which names of fields stand before their types, and values of an ENUM in quotes.
_WRITTEN_BY_DUCKDB = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
    r"|\b(INTERVAL|DATE|TIME_NS|TIMESTAMP(?:_S|_MS|_NS| WITH TIME ZONE)?)(?=[,)\[]|$)"
)
_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)

Row = tuple[Any, ...]


@click.command("sql")
@click.argument("query")
@home_option
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="How to print the rows; a table cuts long cells short.",
)
def sql_command(query: str, home: Path, layout: str) -> None:
    """Run one SQL QUERY on the published snapshot and print its rows.

    SHOW TABLES lists the tables, DESCRIBE problems the columns of one.
    """
    names, rows = run_query(home, query)
    match layout:
        case "table":
            click.echo(as_table(names, rows))
        case "csv":
            text = as_csv(names, rows)
            # A terminal would obey what a model wrote. Elsewhere the text goes as it is; color=True keeps
            # click from taking escape sequences out of it.
            text = _printable(text, keep="\n\r") if sys.stdout.isatty() else text
            click.echo(text, nl=False, color=True)
        case _:
            click.echo(as_json(names, rows))


def run_query(home: Path, sql: str) -> tuple[list[str], list[Row]]:
    """Column names and rows of one reading statement on the snapshot under ``home``.

    Raises ``StepmarkError`` where there is no snapshot, or the SQL is wrong, writes, or reaches outside.
    """
    _refuse_broken_text(sql)
    published = Store(home).published
    con = open_published(published)
    try:
        statements = con.extract_statements(sql)
        if len(statements) != 1:
            raise StepmarkError(f"Give one SQL statement, not {len(statements)}: {sql!r:.200}.")
        if statements[0].type is duckdb.StatementType.MULTI:  # what a PIVOT becomes that looks for values
            raise StepmarkError(
                "stepmark sql runs one statement, and a PIVOT takes several unless it lists its values; "
                "write them out, as in PIVOT step_labels ON rating IN (-1, 0, 1) USING count(*)."
            )
        if statements[0].type not in _READING:
            kind = statements[0].type.name
            raise StepmarkError(
                f"stepmark sql only reads, and {kind} does not; give a SELECT, SHOW or DESCRIBE."
            )
        names, written = _columns(con, statements[0])
        result = con.execute(written or statements[0])
        rows = result.fetchall()
        return names or [column[0] for column in result.description or []], rows
    except duckdb.PermissionException as error:
        raise StepmarkError(
            f"stepmark sql reads the snapshot alone, no other file and no extension: {one_line(error)}."
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise StepmarkError(
            f"The query got too little memory: {one_line(error)}; ask for fewer rows at once (WHERE, LIMIT, "
            "GROUP BY), free space on the disk, or use a machine with more memory."
        ) from error
    except duckdb.IOException as error:
        raise StepmarkError(
            f"The query failed: {one_line(error)}; look at free space and permissions in {published.parent}, "
            "where what does not fit in memory is written, or publish the snapshot again."
        ) from error
    except duckdb.Error as error:
        raise StepmarkError(f"The query failed: {one_line(error)}; SHOW TABLES lists the tables.") from error
    finally:
        con.close()


def _refuse_broken_text(sql: str) -> None:
    broken = next((char for char in sql if "\ud800" <= char <= "\udfff"), None)
    if broken is not None:  # how Python holds a byte of an argument that is not UTF-8
        raise InputError(
            f"The query holds {broken!a}, which is no character, at place {sql.index(broken) + 1};"
            " write it in UTF-8."
        )


def _columns(con: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> tuple[list[str], str | None]:
    """The columns' names, and the query with those written out that Python would change, if there are any."""
    query = _without_end(statement.query)
    try:
        described = con.execute(f"DESCRIBE {query}").fetchall()
    except duckdb.Error:  # a SHOW or an EXPLAIN, or wrong, which the statement itself will tell
        return [], None
    types = [row[1] for row in described]
    written = [
        _WRITTEN_BY_DUCKDB.sub(lambda found: "VARCHAR" if found[1] else found[0], kind) for kind in types
    ]
    if written == types:
        return [], None
    # By place: two columns may have one name.
    wanted = ", ".join(f"c{i}" if kind == types[i] else f"c{i}::{kind}" for i, kind in enumerate(written))
    aliases = ", ".join(f"c{i}" for i in range(len(types)))
    return [row[0] for row in described], f"SELECT {wanted} FROM ({query}\n) AS q({aliases})"


def _as_varchar(found: re.Match[str]) -> str:
    return "VARCHAR" if found[1] else found[0]


def _without_end(query: str) -> str:
    """A statement without the semicolon that ends it, and the comments after that."""
    places = [place for place, kind in duckdb.tokenize(query) if kind != duckdb.token_type.comment]
    end = places[-1] if places and query[places[-1]] == ";" else len(query)
    return query[:end]


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
    text = _printable(f"{value:.6g}" if isinstance(value, float) else str(value))
    return text if len(text) <= _CELL_CHARS else text[: _CELL_CHARS - 1] + "…"


def _printable(text: str, keep: str = "") -> str:
    # Control, format (such as right-to-left marks) and line-separating characters could move a terminal's
    # cursor, colour it, or show a row as another one.
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
