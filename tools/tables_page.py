"""The page docs/tables.md from a live database: ``python -m tools.tables_page docs/tables.md``.

Leaves out: prose that no COMMENT holds.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from stepmark.store.auditing import list_audits
from stepmark.store.schema import Macro, Table, tables, topics

_INTRO = """\
# Tables

Made by `python -m tools.tables_page docs/tables.md` from `store/schema.sql` and `store/views/`:
change those. Query with `stepmark sql "..."`, or open `<home>/published/stepmark.duckdb` read-only in any
DuckDB client.
NULL means not known. Keys are **bold**; "required" columns are never NULL.
"""

_VIEWS = """\
# Views

A topic's heading is its file's in `store/views/`. A view with parameters is a table macro:
`SELECT * FROM thresholded_labels(0.3)`.
"""


def tables_page() -> str:
    """The whole page: every table with its columns, every view and table macro by topic, every audit."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRO
    for table in tables().values():
        yield from _table_lines(table)
    yield _VIEWS
    for topic in topics():
        yield f"## {topic.about}\n"
        for view in topic.views:
            yield from _view_lines(view)
        for macro in topic.macros:
            yield from _macro_lines(macro)
    yield "# Audits\n\nEach is a query in `store/audits/` that returns the rows that break it.\n"
    yield "| audit | asserts | severity |\n|---|---|---|"
    for audit in list_audits():
        yield f"| {audit.name} | {audit.asserts} | {audit.severity} |"


def _view_lines(view: Table) -> Iterator[str]:
    columns = ", ".join(f"`{name}`" for name in view.column_names)
    yield f"### {view.name}\n\n{view.comment}\n\nColumns: {columns}\n"
    notes = [f"- `{c.name}`: {c.comment}" for c in view.columns if c.comment]
    yield from [*notes, ""] if notes else []


def _macro_lines(macro: Macro) -> Iterator[str]:
    yield f"### {macro.name}({', '.join(macro.parameters)})\n\n{macro.comment}\n"


def _table_lines(table: Table) -> Iterator[str]:
    yield f"## {table.name}\n\n{table.comment}\n"
    yield "| column | type | | meaning |\n|---|---|---|---|"
    for column in table.columns:
        name = f"**{column.name}**" if column.name in table.primary_key else column.name
        yield f"| {name} | {column.type} | {'' if column.is_nullable else 'required'} | {column.comment} |"
    yield ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tables_page(), encoding="utf-8")
