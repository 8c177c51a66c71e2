"""The tables and views as data, read back from a live database that schema.sql and views/ made.

One column list serves the frame checks, docs/tables.md and Dagster's column schemas. Leaves out: making
the tables in a file, which is create.py.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from stepmark.labeling.errors import StepmarkError

from .create import create_all, open_memory, view_files


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table or view. ``is_nullable`` is always true in a view, where nothing is enforced."""

    name: str
    type: str
    is_nullable: bool
    comment: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view. ``comment`` opens with its grain; ``checks`` are SQL expressions over columns."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    is_view: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Macro:
    """One table macro: a view with parameters. ``comment`` opens with its grain."""

    name: str
    parameters: tuple[str, ...]
    comment: str


@dataclass(frozen=True, slots=True)
class Topic:
    """What a file of ``views/`` is about, in the words of its first line, and the relations it makes."""

    about: str
    views: tuple[Table, ...]
    macros: tuple[Macro, ...]


@functools.cache
def tables() -> Mapping[str, Table]:
    """Every table by name, in the order of schema.sql."""
    return {table.name: table for table in _fresh() if not table.is_view}


@functools.cache
def views() -> Mapping[str, Table]:
    """Every view by name, in the order of views/; table macros are not among them."""
    return {table.name: table for table in _fresh() if table.is_view}


@functools.cache
def macros() -> Mapping[str, Macro]:
    """Every table macro by name, in the order of views/."""
    con = open_memory()
    try:
        create_all(con)
        found = con.execute(
            "SELECT function_name, parameters, comment FROM duckdb_functions() "
            "WHERE NOT internal AND function_type = 'table_macro' ORDER BY function_oid"
        ).fetchall()
    finally:
        con.close()
    return {name: Macro(name, tuple(parameters), comment or "") for name, parameters, comment in found}


@functools.cache
def topics() -> tuple[Topic, ...]:
    """Every topic of views and table macros, in the order of views/; scalar macros alone make none."""
    found = (_topic(text) for text in view_files().values())
    return tuple(topic for topic in found if topic.views or topic.macros)


def _topic(text: str) -> Topic:
    made = re.findall(r"^CREATE (?:VIEW|MACRO) (\w+)", text, re.M)
    return Topic(
        text.partition("\n")[0].removeprefix("-- "),
        tuple(views()[name] for name in made if name in views()),
        tuple(macros()[name] for name in made if name in macros()),
    )


def table_of(name: str) -> Table:
    """The table called ``name``; ``StepmarkError`` where there is none."""
    if name not in tables():
        raise StepmarkError(f"There is no table {name!r}; the tables are {', '.join(tables())}.")
    return tables()[name]


@functools.cache
def _fresh() -> tuple[Table, ...]:
    con = open_memory()
    try:
        create_all(con)
        return read_schema(con)
    finally:
        con.close()


def read_schema(con: duckdb.DuckDBPyConnection) -> tuple[Table, ...]:
    """Tables, then views, of an open database, each in the order they were made."""
    relations = con.execute(
        "SELECT table_name, comment, table_oid, false FROM duckdb_tables() UNION ALL "
        "SELECT view_name, comment, view_oid, true FROM duckdb_views() WHERE NOT internal ORDER BY 4, 3"
    ).fetchall()
    columns, keys, checks = _columns(con), _keys(con), _checks(con)
    return tuple(
        Table(name, comment or "", tuple(columns[name]), tuple(keys[name]), tuple(checks[name]), is_view)
        for name, comment, _, is_view in relations
    )


def _columns(con: duckdb.DuckDBPyConnection) -> Mapping[str, list[Column]]:
    columns: defaultdict[str, list[Column]] = defaultdict(list)
    for table, name, kind, is_nullable, comment in con.execute(
        "SELECT table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns() "
        "WHERE NOT internal ORDER BY table_name, column_index"
    ).fetchall():
        columns[table].append(Column(name, kind, is_nullable, comment or ""))
    return columns


def _keys(con: duckdb.DuckDBPyConnection) -> Mapping[str, list[str]]:
    return defaultdict(list, _constraints(con, "PRIMARY KEY", "any_value(constraint_column_names)"))


def _checks(con: duckdb.DuckDBPyConnection) -> Mapping[str, list[str]]:
    return defaultdict(list, _constraints(con, "CHECK", "list(expression ORDER BY constraint_index)"))


def _constraints(con: duckdb.DuckDBPyConnection, kind: str, gathered: str) -> list[tuple[str, list[str]]]:
    rows = con.execute(
        f"SELECT table_name, {gathered} FROM duckdb_constraints() WHERE constraint_type = ? GROUP BY ALL",
        [kind],
    ).fetchall()
    return [(table, values) for table, values in rows]
