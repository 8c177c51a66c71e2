"""Writing what a label importer read: first come first kept.

Leaves out: reading label files (``stepmark.labeling.importers``) and counting their lines.
"""

from collections.abc import Collection
from dataclasses import dataclass
from importlib.metadata import version

import duckdb
import polars as pl

from stepmark.labeling.importers.common import LabelImport
from stepmark.labeling.importers.prm800k import LABEL_SOURCE as HUMAN

from .frames import FRAME_VIEW, frame_of
from .label_refusals import find_refusals
from .label_stage import Frames
from .problem_writer import write_problems
from .rows import insert_missing, query, registered
from .schema import table_of
from .store import Store

_TABLES = ("problems", "solutions", "steps", "human_labels", "step_labels", "rejects")
_RATERS = {
    "row": pl.Int64,
    "line": pl.Int64,
    "solution_id": pl.String,
    "rater": pl.String,
    "num_lines": pl.Int64,
    "num_steps": pl.Int64,
    "is_repeated": pl.Boolean,
}
_ROWS_OF_ALTERNATIVES = {"row": pl.Int64, "solution_id": pl.String}


@dataclass(frozen=True, slots=True)
class WrittenLabels:
    """Rows by table: ``written`` ones, and ``skipped`` ones whose key was stored before.

    ``num_duplicates`` counts the lines of the file of whose labels not one was new.
    """

    written: dict[str, int]
    skipped: dict[str, int]
    num_duplicates: int


def write_label_import(
    store: Store,
    chunk: LabelImport,
    split_for_new_problems: str | None = None,
    source_file: str | None = None,
) -> WrittenLabels:
    """Store a chunk in a transaction of its own; see ``label_frames`` and ``write_label_frames``."""
    frames = label_frames([chunk], split_for_new_problems, source_file)
    with store.transaction() as con:
        return write_label_frames(con, find_refusals(con, [frames]).without(frames), source_file)


def label_frames(
    chunks: Collection[LabelImport], split_for_new_problems: str | None = None, source_file: str | None = None
) -> Frames:
    """Problems, solutions, steps, labels and rejects of chunks as frames by table, and who rated them where:
    ``raters`` and ``rows_of_alternatives``.

    New problems get ``split_for_new_problems``; where that is None, the split the importer was given.
    """
    file = pl.lit(source_file, pl.String).alias("source_file")
    problems = frame_of("problems", [problem for chunk in chunks for problem in chunk.problems])
    human_labels = frame_of("human_labels", [label for chunk in chunks for label in chunk.human_labels])
    step_labels = frame_of("step_labels", [label for chunk in chunks for label in chunk.step_labels])
    raters = [rater for chunk in chunks for rater in chunk.raters]
    alternatives = [row for chunk in chunks for row in chunk.rows_of_alternatives]
    if split_for_new_problems:
        problems = problems.with_columns(split=pl.lit(split_for_new_problems))
    return {
        "problems": problems.with_columns(file),
        "solutions": _solutions(chunks).with_columns(file),
        "steps": _steps(chunks),
        "human_labels": human_labels.with_columns(file),
        "step_labels": step_labels.with_columns(file, code_version=pl.lit(version("stepmark"))),
        "rejects": frame_of("rejects", [reject for chunk in chunks for reject in chunk.rejects]),
        "raters": pl.DataFrame(raters, _RATERS, orient="row"),
        "rows_of_alternatives": pl.DataFrame(alternatives, _ROWS_OF_ALTERNATIVES, orient="row"),
    }


def write_label_frames(
    con: duckdb.DuckDBPyConnection, frames: Frames, source_file: str | None = None
) -> WrittenLabels:
    """Store the frames of ``label_frames``, and skip what is there already.

    A problem that exists keeps its source and split, which the importer only guesses; an answer or solution
    it lacks is filled in. Steps are written only with a new solution. Rows that do not go with what is
    stored are to be taken out before: see ``find_refusals``.
    """
    num_duplicates = _count_duplicates(con, frames)
    new_steps = _of_new_solutions(con, frames["steps"])
    written = {
        table: _write(con, table, frame, source_file)
        for table, frame in (frames | {"steps": new_steps}).items()
        if table in _TABLES
    }
    skipped = {table: frames[table].height - written[table] for table in _TABLES}
    return WrittenLabels(written, skipped, num_duplicates)


def _solutions(chunks: Collection[LabelImport]) -> pl.DataFrame:
    solutions = [solution for chunk in chunks for solution in chunk.solutions]
    generators = pl.Series("generator_id", [solution.generator for solution in solutions], pl.String)
    return frame_of("solutions", solutions).with_columns(generators)


def _steps(chunks: Collection[LabelImport]) -> pl.DataFrame:
    solutions = [solution for chunk in chunks for solution in chunk.solutions]
    spans = [span for solution in solutions for span in solution.steps]
    starts, ends, steps = zip(*spans, strict=True) if spans else ((), (), ())
    return pl.DataFrame(
        [
            pl.Series("solution_id", [one.solution_id for one in solutions for _ in one.steps], pl.String),
            pl.Series(
                "step_index", [index for one in solutions for index, _ in enumerate(one.steps, one.first_step_index)], pl.Int32
            ),
            pl.Series("char_start", starts, pl.Int32),
            pl.Series("char_end", ends, pl.Int32),
            pl.Series("step", steps, pl.String),
        ]
    )


def _write(con: duckdb.DuckDBPyConnection, table: str, frame: pl.DataFrame, source_file: str | None) -> int:
    if table == "problems":
        return write_problems(con, frame, know_their_split=False, asked_by=source_file).num_new
    unknown = [name for name in table_of(table).column_names if name not in frame.columns]
    return insert_missing(con, table, frame, unknown=unknown) if frame.height else 0


def _of_new_solutions(con: duckdb.DuckDBPyConnection, steps: pl.DataFrame) -> pl.DataFrame:
    if steps.is_empty():
        return steps
    with registered(con, steps):
        stored = query(con, f"SELECT solution_id FROM {FRAME_VIEW} SEMI JOIN steps USING (solution_id)")
    return steps.join(stored, on="solution_id", how="anti", maintain_order="left")


def _count_duplicates(con: duckdb.DuckDBPyConnection, frames: Frames) -> int:
    people, machines = frames["human_labels"], frames["step_labels"]
    raters = frames["raters"].filter(~pl.col("is_repeated"))
    if not people.is_empty():
        # People's step labels repeat their ratings; the rating's own row says who gave it.
        is_theirs = pl.col("label_source") == HUMAN
        machines = pl.concat(
            [
                machines.filter(~is_theirs),
                machines.filter(is_theirs).join(people, on="solution_id", how="anti"),
            ]
        )
    known = pl.concat(
        [
            _known(con, "human_labels", people, "labeler"),
            _known(con, "step_labels", machines, "label_source"),
        ]
    ).with_columns(is_known=True)
    lines = (
        raters.join(known, on=["solution_id", "rater"], how="left")
        .group_by("row")
        .agg(pl.col("is_known").is_not_null().all(), pl.col("num_lines").first())
    )
    return int(lines.filter("is_known")["num_lines"].sum())


def _known(con: duckdb.DuckDBPyConnection, table: str, labels: pl.DataFrame, rater: str) -> pl.DataFrame:
    """The pairs of a solution and its rater of whose labels not one is new."""
    if labels.is_empty():
        return pl.DataFrame(schema={"solution_id": pl.String, "rater": pl.String})
    keys = ", ".join(table_of(table).primary_key)
    with registered(con, labels):
        return query(
            con,
            f"SELECT solution_id, {rater} AS rater FROM {FRAME_VIEW} AS offered LEFT JOIN "
            f"(SELECT {keys}, true AS is_known FROM {table}) USING ({keys}) "
            f"GROUP BY solution_id, {rater} HAVING bool_and(is_known IS NOT NULL)",
        )
