"""``stepmark sql``: one read-only query on the published snapshot.

Leaves out: writing, other files and extensions, which are refused; the live file, which is private.
"""

import re
import sys
from pathlib import Path

import click
import duckdb

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.frames import one_line
from stepmark.store.snapshot import open_published
from stepmark.store.store import Store

from .io.layouts import Row, as_csv, as_json, as_table, printable
from .options import home_option

# Python has no months, no infinite days and no nanoseconds: DuckDB writes these out itself, also where
# they are part of a type, in which names of fields stand before their types, and values of an ENUM in quotes.
_WRITTEN_BY_DUCKDB = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
    r"|\b(INTERVAL|DATE|TIME_NS|TIMESTAMP(?:_S|_MS|_NS| WITH TIME ZONE)?)(?=[,)\[]|$)"
)
_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


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
            text = printable(text, keep="\n\r") if sys.stdout.isatty() else text
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
    written = [_WRITTEN_BY_DUCKDB.sub(_as_varchar, kind) for kind in types]
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
