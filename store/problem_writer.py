"""Writing problems: new ones are inserted, and what a stored one lacks is filled in.

A label file brings along problems it knows little of, in a split that its importer was told; a file of
problems knows better, whichever is read first. Which split each one asked for is kept, so that a problem
asked for in both is found. Leaves out: reading files (``stepmark.labeling.formats``).
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from stepmark.labeling.formats.registry import FORMATS

from .frames import FRAME_VIEW
from .rows import delete, insert_missing, query, registered, update

_FILLED = ("subject", "level", "ground_truth_solution", "ground_truth_answer")
_WITH_ROLES = f"SELECT DISTINCT problem_id FROM problem_roles SEMI JOIN {FRAME_VIEW} USING (problem_id)"
_STORED = f"""
    SELECT problems.*,
        num_asking = 1 AS is_asked_once, num_splits = 1 AS is_agreed,
        EXISTS (FROM reward_models WHERE kind <> 'likelihood') AND problem_id IN (
            SELECT problem_id FROM solutions WHERE solution_id IN (
                SELECT solution_id FROM orm_examples UNION ALL SELECT solution_id FROM prm_examples
            )
        ) AS is_learned
    FROM problems SEMI JOIN {FRAME_VIEW} USING (problem_id) JOIN (
        SELECT problem_id, count(*) AS num_asking, count(DISTINCT split) AS num_splits
        FROM problem_roles GROUP BY problem_id
    ) USING (problem_id)
"""
# A store from before roles were kept has one by each problem's source, in place of the file it came from.
_OLD_ROLE = f"(problem_id, asked_by) IN (SELECT (problem_id, source) FROM {FRAME_VIEW})"
_OF_FRAME = f"""
    solution_id IN (SELECT solution_id FROM solutions SEMI JOIN {FRAME_VIEW} USING (problem_id))
"""
_SPLITS = f"SELECT problem_id, split FROM problems SEMI JOIN {FRAME_VIEW} USING (problem_id)"
_IN_OTHER_SPLIT = """
    SELECT count(*) FROM problem_roles JOIN problems USING (problem_id)
    WHERE asked_by = ? AND problem_roles.split <> problems.split
"""
# Rows that a label file left: named after its format, and without what only a file of problems tells.
_IS_FROM_LABELS = (
    pl.col("source").is_in(list(FORMATS)) & pl.col("subject").is_null() & pl.col("level").is_null()
)


@dataclass(frozen=True, slots=True)
class WrittenProblems:
    """Rows inserted; stored rows of which something became known or was corrected; stored rows that stay in
    another split than the one they were offered for.
    """

    num_new: int
    num_completed: int
    num_in_other_split: int


def write_problems(
    con: duckdb.DuckDBPyConnection,
    problems: pl.DataFrame,
    *,
    know_their_split: bool,
    asked_by: str | None = None,
) -> WrittenProblems:
    """Insert the problems that are not stored yet, and complete those that are.

    What is not known (NULL) is filled in, and what is known stays. Problems that ``know_their_split``, those
    of a file of problems, also replace source, split and origin of a row that a label file left; the label
    file itself, imported again, does so where no other file asked for the problem. Otherwise a row keeps the
    origin of its text, though another file filled in an answer. The split is also corrected where all who
    asked for the problem now agree on it, and never where a model may have learned from it (one is stored and
    the problem is in a table of examples); examples that no model has read are taken back.
    ``asked_by`` is the file they come from, as anybody writes its path; None where there is no file but
    their source.
    """
    if problems.is_empty():
        return WrittenProblems(0, 0, 0)
    with registered(con, problems):
        with_roles = query(con, _WITH_ROLES)
    _write_roles(con, problems, asked_by)
    with registered(con, problems):
        stored = query(con, _STORED)
    # Without a role from before, those of today need not be all who asked: older stores kept none.
    had_role = pl.col("problem_id").is_in(with_roles["problem_id"].implode())
    stored = stored.with_columns(is_agreed=pl.col("is_agreed") & had_role)
    offered = problems.unique("problem_id", keep="first", maintain_order=True)
    completed = _completed(stored, offered, know_their_split)
    changed = completed.join(stored, on=completed.columns, how="anti", nulls_equal=True)
    num_completed = update(con, "problems", changed) if changed.height else 0
    _take_back_examples(con, changed.join(stored, on=["problem_id", "split"], how="anti"))
    both = completed.join(offered, on="problem_id", suffix="_offered")
    num_in_other_split = both.filter(pl.col("split") != pl.col("split_offered")).height
    return WrittenProblems(insert_missing(con, "problems", problems), num_completed, num_in_other_split)


def with_stored_splits(con: duckdb.DuckDBPyConnection, problems: pl.DataFrame) -> pl.DataFrame:
    """The problems, those that are stored in the split they are stored in."""
    if problems.is_empty():
        return problems
    with registered(con, problems):
        stored = query(con, _SPLITS)
    splits = pl.coalesce("split_stored", "split").alias("split")
    joined = problems.join(stored, on="problem_id", how="left", maintain_order="left", suffix="_stored")
    return joined.with_columns(splits).select(problems.columns)


def count_in_other_split(con: duckdb.DuckDBPyConnection, asked_by: str) -> int:
    """How many problems a file asked for in another split than the one they are stored in."""
    return int(query(con, _IN_OTHER_SPLIT, [_full_path(asked_by)]).item())


def _full_path(file: str) -> str:
    # One file has one name here: as typed, two files could have one, and one file two.
    return str(Path(file).resolve())


def _write_roles(con: duckdb.DuckDBPyConnection, problems: pl.DataFrame, asked_by: str | None) -> None:
    """What a file says last about a problem counts, so that a wrong split is mended by importing it again."""
    asking = pl.col("source") if asked_by is None else pl.lit(_full_path(asked_by))
    roles = problems.select("problem_id", asking.alias("asked_by"), "split").unique(
        ["problem_id", "asked_by"], keep="first", maintain_order=True
    )
    if insert_missing(con, "problem_roles", roles) < roles.height:
        update(con, "problem_roles", roles)
    if asked_by is not None:
        with registered(con, problems):
            delete(con, "problem_roles", _OLD_ROLE)


def _take_back_examples(con: duckdb.DuckDBPyConnection, moved: pl.DataFrame) -> None:
    """A model made without making its examples anew must not learn from what is in the other split now."""
    if moved.is_empty():
        return
    with registered(con, moved):
        for table in ("orm_examples", "prm_examples"):
            delete(con, table, _OF_FRAME)


def _completed(stored: pl.DataFrame, offered: pl.DataFrame, know_their_split: bool) -> pl.DataFrame:
    is_replaced = _IS_FROM_LABELS & (pl.lit(know_their_split) | pl.col("is_asked_once"))
    is_moved = (is_replaced | pl.col("is_agreed")) & ~pl.col("is_learned")
    return stored.join(offered, on="problem_id", suffix="_offered").select(
        "problem_id",
        *(pl.coalesce(name, f"{name}_offered").alias(name) for name in _FILLED),
        pl.when(is_moved).then("split_offered").otherwise("split").alias("split"),
        *(
            pl.when(is_replaced).then(f"{name}_offered").otherwise(name).alias(name)
            for name in ("source", "source_file", "source_line", "generator")
        ),
    )
