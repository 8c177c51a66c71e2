"""Writing what a label file offers: first come first kept.

Leaves out: what it offers (``offered``), and counting its lines.
"""

import duckdb
import polars as pl

from stepmark.store.frames import refusal
from stepmark.store.problem_writer import with_stored_splits, write_problems
from stepmark.store.rows import insert_missing, query
from stepmark.store.schema import table_of

from .alternatives import LABELS_OF_ALTERNATIVES
from .stage import PLACE, Stage

# Where at most this share of a file's rows is left out they come in their order: DuckDB looks up each one in
# the smaller side of a join, what is left out. Beyond it the sides may change, and with them the order.
_FEW = 1 / 8
_INSERT_LABELS_OF_ALTERNATIVES = f"""
    INSERT INTO step_labels BY NAME
    FROM ({LABELS_OF_ALTERNATIVES}) ANTI JOIN step_labels USING (solution_id, step_index, label_source)
    ORDER BY source_line, solution_id
"""


def write_offered(
    con: duckdb.DuckDBPyConnection, stage: Stage, source_file: str, *, keep_stored_splits: bool
) -> dict[str, int]:
    """Store the offered rows, skip what is there already, and return the numbers of new rows by table.

    A problem that exists keeps its source and split, which the importer only guesses; an answer or solution
    it lacks is filled in. With ``keep_stored_splits`` stored problems are asked for in their own split. Steps
    are written only with a new solution.
    """
    written = {
        "problems": _write_problems(con, source_file, keep_stored_splits),
        "steps": _write(con, stage, "steps", ("solution_id",)),
        **{
            table: _write(con, stage, table, table_of(table).primary_key)
            for table in ("solutions", "human_labels", "step_labels")
        },
        "rejects": insert_missing(con, "rejects", _offered_rows(con, "rejects")),
    }
    written["step_labels"] += con.execute(_INSERT_LABELS_OF_ALTERNATIVES).fetchall()[0][0]
    return written


def _write_problems(con: duckdb.DuckDBPyConnection, source_file: str, keep_stored_splits: bool) -> int:
    problems = _offered_rows(con, "problems")
    if keep_stored_splits:
        problems = with_stored_splits(con, problems)
    return write_problems(con, problems, know_their_split=False, asked_by=source_file).num_new


def _offered_rows(con: duckdb.DuckDBPyConnection, table: str) -> pl.DataFrame:
    names = ", ".join(table_of(table).column_names)
    return query(con, f"SELECT {names} FROM offered_{table} ORDER BY {PLACE}")


def _write(con: duckdb.DuckDBPyConnection, stage: Stage, table: str, keys: tuple[str, ...]) -> int:
    """Insert the offered rows without a stored row of these keys, from the disk straight into the table."""
    using = ", ".join(keys)
    [(num_offered, num_known)] = con.execute(
        f"SELECT (SELECT count(*) FROM offered_{table}),"
        f" (SELECT count(*) FROM offered_{table} SEMI JOIN {table} USING ({using}))"
    ).fetchall()
    num_staged = stage.num_rows(table)
    source = f"offered_{table}"
    if num_known or num_staged - num_offered > _FEW * num_staged:  # sorting takes time and memory
        source = f"{source} ANTI JOIN {table} USING ({using}) ORDER BY {PLACE}"
    names = ", ".join(stage.columns(table))
    try:
        con.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {source}").fetchall()
    except (duckdb.IntegrityError, duckdb.DataError) as error:
        raise refusal(table_of(table), stage.frame(table), error) from error
    return int(num_offered - num_known)
