"""Making the tables in a database file, bringing older ones up to date, refusing foreign files.

``migrations/NNN.sql`` turns the tables of version NNN - 1 into those of version NNN. ``views/`` holds a file
a topic; the numbers in their names are the order in which they run, for later ones build on earlier ones.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import duckdb

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.labeling.file_kinds import kind_of

SCHEMA_VERSION = 5

# Names in SQL mean tables, never Python variables of the caller; nothing is fetched from a network.
CONNECT_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

# The oldest clients that open the file are DuckDB 1.2; written in its own format, 2.0 alone could.
STORAGE_VERSION = "v1.2.0"
WRITING_CONFIG = CONNECT_CONFIG | {"storage_compatibility_version": STORAGE_VERSION}


def sql_text(name: str) -> str:
    """Text of a file below this module's folder, such as ``schema.sql``."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def view_files() -> dict[str, str]:
    """Text of every file of views and macros by its name, in the order in which they are run."""
    folder = resources.files(__package__).joinpath("views")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    return {name: sql_text(f"views/{name}") for name in names}


def open_memory() -> duckdb.DuckDBPyConnection:
    """An empty database in memory, for the caller to close."""
    return duckdb.connect(config=CONNECT_CONFIG)


def create_all(con: duckdb.DuckDBPyConnection) -> None:
    """Create tables and views in an empty database, within the caller's transaction."""
    con.execute(sql_text("schema.sql"))
    con.execute(_views_sql())
    now = datetime.now(UTC).replace(tzinfo=None)
    con.execute("INSERT INTO schema_version VALUES (?, ?, ?)", [SCHEMA_VERSION, _views_sha256(), now])


def refuse_unopenable(path: Path) -> None:
    """Raise the StepmarkError of a database path that DuckDB would cut, or wait at for ever.

    DuckDB 2.0 takes what follows a question mark for parameters, and writes the log beside another file. It
    follows links first.
    """
    whole = os.path.realpath(path)
    if "?" in whole:
        raise StepmarkError(
            f"DuckDB cannot open {whole}, for its path holds a question mark; give another --home."
        )
    for file in (path, path.with_name(f"{path.name}.wal")):
        refuse_other_kinds(file)


def refuse_other_kinds(path: Path) -> None:
    """Raise the StepmarkError of a pipe, device, socket or folder where the store has a file."""
    kind = kind_of(path)
    if kind not in (None, "a file"):
        remedy = "move it away, or give another --home"
        raise InputError.at(path, None, f"this is {kind}, and the store has a file there", remedy)


def create_file(path: Path) -> None:
    """Make a database with all tables beside ``path`` and put it in place whole.

    DuckDB 2.0 cannot replay a CREATE TABLE whose CHECK calls a function from its log: a kill after the first
    commit would leave a file that nothing opens. A file in place has its tables in itself, not in a log.
    """
    fresh = path.with_name(f"{path.name}.new")
    for leftover in (fresh, fresh.with_name(f"{fresh.name}.wal")):
        leftover.unlink(missing_ok=True)
    with duckdb.connect(str(fresh), config=WRITING_CONFIG) as con:
        _in_transaction(con, create_all)
    os.replace(fresh, path)


def ensure_schema(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Create the tables in an empty database, bring older ones up to date, refuse foreign and newer ones.

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
    if not 1 <= version <= SCHEMA_VERSION:
        raise StepmarkError(
            f"{path} has tables of version {version}, but this Stepmark knows versions 1 to "
            f"{SCHEMA_VERSION}; upgrade Stepmark, or give another --home."
        )
    if version < SCHEMA_VERSION:
        _in_transaction(con, functools.partial(_migrate, version))
    elif views_sha256 != _views_sha256():
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


def _migrate(version: int, con: duckdb.DuckDBPyConnection) -> None:
    """All steps in one transaction: a kill leaves the version that was there."""
    _drop_views(con)
    for number in range(version + 1, SCHEMA_VERSION + 1):
        con.execute(sql_text(f"migrations/{number:03}.sql"))
    con.execute(_views_sql())
    con.execute("UPDATE schema_version SET version = ?, views_sha256 = ?", [SCHEMA_VERSION, _views_sha256()])


def _refresh_views(con: duckdb.DuckDBPyConnection) -> None:
    _drop_views(con)
    con.execute(_views_sql())
    con.execute("UPDATE schema_version SET views_sha256 = ?", [_views_sha256()])


def _drop_views(con: duckdb.DuckDBPyConnection) -> None:
    for (name,) in con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall():
        con.execute(f'DROP VIEW "{name}"')
    for (name,) in con.execute(
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'table_macro'"
    ).fetchall():
        con.execute(f'DROP MACRO TABLE "{name}"')
    for (name,) in con.execute(
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'macro'"
    ).fetchall():
        con.execute(f'DROP MACRO "{name}"')


def _views_sql() -> str:
    return "\n".join(view_files().values())


def _views_sha256() -> str:
    return hashlib.sha256(_views_sql().encode()).hexdigest()
