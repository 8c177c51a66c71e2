"""Writing what a label importer read: first come first kept.

Leaves out: reading label files (``stepmark.labeling.formats``) and counting their lines.
"""

import duckdb
import polars as pl

from .frames import refusal
from .label_kept import KEPT
from .label_stage import PLACE, LabelStage
from .problem_writer import with_stored_splits, write_problems
from .rows import insert_missing, query
from .schema import table_of

# Where at most this share of a file's rows is taken out they come in their order: DuckDB looks up each one in
# the smaller side of a join, what is taken out. Beyond it the sides may change, and with them the order.
_FEW = 1 / 8
_INSERT_LABELS_OF_ALTERNATIVES = f"""
    INSERT INTO step_labels BY NAME
    FROM {KEPT}_labels_of_alternatives ANTI JOIN step_labels USING (solution_id, step_index, label_source)
    ORDER BY source_line, solution_id
"""


def write_kept_labels(
    con: duckdb.DuckDBPyConnection,
    stage: LabelStage,
    source_file: str | None = None,
    *,
    keep_stored_splits: bool = False,
) -> dict[str, int]:
    """Store the rows of a stage that ``make_kept_views`` shows, skip what is there already, and return the
    numbers of new rows by table.

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
        "rejects": insert_missing(con, "rejects", _rows(con, "staged_rejects", "rejects")),
    }
    written["step_labels"] += con.execute(_INSERT_LABELS_OF_ALTERNATIVES).fetchall()[0][0]
    return written


def _write_problems(con: duckdb.DuckDBPyConnection, source_file: str | None, keep_stored_splits: bool) -> int:
    problems = _rows(con, "staged_problems", "problems")
    if keep_stored_splits:
        problems = with_stored_splits(con, problems)
    return write_problems(con, problems, know_their_split=False, asked_by=source_file).num_new


def _rows(con: duckdb.DuckDBPyConnection, view: str, table: str) -> pl.DataFrame:
    names = ", ".join(table_of(table).column_names)
    return query(con, f"SELECT {names} FROM {view} ORDER BY {PLACE}")


def _write(con: duckdb.DuckDBPyConnection, stage: LabelStage, table: str, keys: tuple[str, ...]) -> int:
    """Insert the kept rows without a stored row of these keys, from the disk straight into the table."""
    using = ", ".join(keys)
    [(num_staged, num_kept, num_known)] = con.execute(
        f"SELECT (SELECT count(*) FROM staged_{table}), (SELECT count(*) FROM {KEPT}_{table}),"
        f" (SELECT count(*) FROM {KEPT}_{table} SEMI JOIN {table} USING ({using}))"
    ).fetchall()
    source = f"{KEPT}_{table}" if num_kept < num_staged else f"staged_{table}"
    if num_known or num_staged - num_kept > _FEW * num_staged:  # sorting takes time and memory
        source = f"{KEPT}_{table} ANTI JOIN {table} USING ({using}) ORDER BY {PLACE}"
    names = ", ".join(stage.columns(table))
    try:
        con.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {source}").fetchall()
    except (duckdb.IntegrityError, duckdb.DataError) as error:
        raise refusal(table_of(table), stage.frame(table), error) from error
    return int(num_kept - num_known)
