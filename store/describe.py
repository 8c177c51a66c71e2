"""The page docs/tables.md from a live database: ``python -m stepmark.store.describe docs/tables.md``.

Leaves out: prose that no COMMENT holds.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from .auditing import list_audits
from .schema import Table, tables, views

_INTRO = """\
# Tables

Made by `python -m stepmark.store.describe docs/tables.md` from `store/schema.sql` and `store/views.sql`:
change those. Query with `stepmark sql "..."`, or open `<home>/published/stepmark.duckdb` read-only in any
DuckDB client.
NULL means not known. Keys are **bold**; "required" columns are never NULL.
"""

_MACRO = """\
`thresholded_labels(threshold)` is a table macro: `SELECT * FROM thresholded_labels(0.3)` gives the hard
label 1 where the soft value is at least the threshold, -1 where it is below, NULL where it is unknown.
"""


def tables_page() -> str:
    """The whole page: every table with its columns, every view, every audit."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRO
    for table in tables().values():
        yield from _table_lines(table)
    yield "# Views\n"
    for view in views().values():
        columns = ", ".join(f"`{name}`" for name in view.column_names)
        yield f"## {view.name}\n\n{view.comment}\n\nColumns: {columns}\n"
        notes = [f"- `{c.name}`: {c.comment}" for c in view.columns if c.comment]
        yield from [*notes, ""] if notes else []
    yield _MACRO
    yield "# Audits\n\nEach is a query in `store/audits/` that returns the rows that break it.\n"
    yield "| audit | asserts | severity |\n|---|---|---|"
    for audit in list_audits():
        yield f"| {audit.name} | {audit.asserts} | {audit.severity} |"


def _table_lines(table: Table) -> Iterator[str]:
    yield f"## {table.name}\n\n{table.comment}\n"
    yield "| column | type | | meaning |\n|---|---|---|---|"
    for column in table.columns:
        name = f"**{column.name}**" if column.name in table.primary_key else column.name
        yield f"| {name} | {column.type} | {'' if column.is_nullable else 'required'} | {column.comment} |"
    yield ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tables_page(), encoding="utf-8")
