"""Audits: queries that return the offenders; no row means all is well. Each is one file in ``audits/``.

A file opens with a comment that says what it asserts, then ``-- severity: error`` or ``warn``. Leaves out:
what a check does with offenders; Dagster's asset checks and people decide.
"""

import re
from dataclasses import dataclass
from importlib import resources

import duckdb
import polars as pl

from stepmark.labeling.errors import StepmarkError

from .rows import query
from .store import Store

_HEADER = re.compile(r"(?P<asserts>(?:-- .*\n)+)-- severity: (?P<severity>error|warn)\n(?P<sql>(?s:.+))")


@dataclass(frozen=True, slots=True)
class Audit:
    """One assertion on the store. ``sql`` returns the rows that break it; ``severity``: error or warn."""

    name: str
    asserts: str
    severity: str
    sql: str


def list_audits() -> list[Audit]:
    """Every audit, by name."""
    folder = resources.files(__package__).joinpath("audits")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name)
    return [_parse(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files]


def _parse(name: str, text: str) -> Audit:
    match = _HEADER.fullmatch(text)
    if match is None:
        raise ValueError(f"audits/{name}.sql must open with what it asserts and its severity")
    asserts = " ".join(line.removeprefix("-- ") for line in match["asserts"].splitlines())
    return Audit(name, asserts, match["severity"], match["sql"])


def run_audit(store: Store, name: str) -> pl.DataFrame:
    """The rows of the live database that break the audit called ``name``; none when all is well."""
    with store.transaction(read_only=True) as con:
        return audit_on(con, name)


def run_audits(store: Store) -> dict[str, pl.DataFrame]:
    """The offenders of every audit by its name, all seen at one moment."""
    with store.transaction(read_only=True) as con:
        return {audit.name: query(con, audit.sql) for audit in list_audits()}


def audit_on(con: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    """The offenders of one audit on an open connection."""
    audits = {audit.name: audit for audit in list_audits()}
    if name not in audits:
        raise StepmarkError(f"There is no audit {name!r}; the audits are {', '.join(audits)}.")
    return query(con, audits[name].sql)
