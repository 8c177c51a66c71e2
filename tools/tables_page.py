"""The page docs/tables.md from a live database: ``python -m tools.tables_page docs/tables.md``.

Leaves out: prose that no COMMENT holds.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from stepmark.store.auditing import list_audits
from stepmark.store.schema import Table, macros, tables, views

_INTRO = """\
# Tables

Made by `python -m tools.tables_page docs/tables.md` from `store/schema.sql` and `store/views.sql`:
change those. Query with `stepmark sql "..."`, or open `<home>/published/stepmark.duckdb` read-only in any
DuckDB client.
NULL means not known. Keys are **bold**; "required" columns are never NULL.
"""

_MACROS = """\
# Table macros

Views with parameters: `SELECT * FROM thresholded_labels(0.3)`.
"""


def tables_page() -> str:
    """The whole page: every table with its columns, every view and table macro, every audit."""
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
    yield _MACROS
    for macro in macros().values():
        yield f"## {macro.name}({', '.join(macro.parameters)})\n\n{macro.comment}\n"
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
