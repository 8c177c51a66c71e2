"""Making the tables in a database file, and refusing files that are not Stepmark's.

Leaves out: moving data from one version of the tables to the next; a file of another version is refused.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import duckdb

from stepmark.labeling.errors import StepmarkError

SCHEMA_VERSION = 1

# Names in SQL mean tables, never Python variables of the caller; nothing is fetched from a network.
CONNECT_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def sql_text(name: str) -> str:
    """Text of a file beside this module, such as ``schema.sql``."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def open_memory() -> duckdb.DuckDBPyConnection:
    """An empty database in memory, for the caller to close."""
    return duckdb.connect(config=CONNECT_CONFIG)


def create_all(con: duckdb.DuckDBPyConnection) -> None:
    """Create tables and views in an empty database, within the caller's transaction."""
    con.execute(sql_text("schema.sql"))
    con.execute(sql_text("views.sql"))
    now = datetime.now(UTC).replace(tzinfo=None)
    con.execute("INSERT INTO schema_version VALUES (?, ?, ?)", [SCHEMA_VERSION, _views_sha256(), now])


def ensure_schema(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Create the tables in an empty database, refresh outdated views, refuse a foreign or other version.

    Runs in transactions of its own, so a kill in the middle leaves either nothing or everything.
    """
    try:
        version, views_sha256 = _version(con, path)
    except duckdb.CatalogException as error:
        if con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            raise StepmarkError(
                f"{path} is a DuckDB database but not Stepmark's; give another --home."
            ) from error
        _in_transaction(con, create_all)
        return
    if version != SCHEMA_VERSION:
        way_out = "upgrade Stepmark" if version > SCHEMA_VERSION else "use the Stepmark that wrote it"
        raise StepmarkError(
            f"{path} has tables of version {version}, but this Stepmark needs version {SCHEMA_VERSION}; "
            f"{way_out}, or give another --home."
        )
    if views_sha256 != _views_sha256():
        _in_transaction(con, _refresh_views)


def _version(con: duckdb.DuckDBPyConnection, path: Path) -> tuple[int, str]:
    found = con.execute("SELECT version, views_sha256 FROM schema_version").fetchall()
    if len(found) != 1:
        raise StepmarkError(f"{path} has {len(found)} rows in schema_version, not 1; give another --home.")
    return int(found[0][0]), str(found[0][1])


def _in_transaction(
    con: duckdb.DuckDBPyConnection, work: Callable[[duckdb.DuckDBPyConnection], None]
) -> None:
    con.execute("BEGIN")
    work(con)
    con.execute("COMMIT")


def _refresh_views(con: duckdb.DuckDBPyConnection) -> None:
    for (name,) in con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall():
        con.execute(f'DROP VIEW "{name}"')
    for (name,) in con.execute(
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'table_macro'"
    ).fetchall():
        con.execute(f'DROP MACRO TABLE "{name}"')
    con.execute(sql_text("views.sql"))
    con.execute("UPDATE schema_version SET views_sha256 = ?", [_views_sha256()])


def _views_sha256() -> str:
    return hashlib.sha256(sql_text("views.sql").encode()).hexdigest()
