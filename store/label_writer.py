"""Writing what a label importer read: first come first kept.

Leaves out: reading label files (``stepmark.labeling.importers``) and counting their lines.
"""

from collections.abc import Collection
from dataclasses import dataclass
from importlib.metadata import version

import duckdb
import polars as pl

from stepmark.labeling.importers.common import LabelImport

from .frames import FRAME_VIEW, frame_of
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
}
_STORED_ENDS = f"""
    SELECT solution_id, list(char_end ORDER BY step_index) AS stored_ends
    FROM steps SEMI JOIN {FRAME_VIEW} USING (solution_id) GROUP BY solution_id
"""


@dataclass(frozen=True, slots=True)
class WrittenLabels:
    """Rows by table: ``written`` ones, and ``skipped`` ones whose key was stored before.

    ``num_duplicates`` counts the lines of the file of whose labels not one was new; ``misfits`` are solutions
    that are stored with other steps, and of which therefore no label was stored.
    """

    written: dict[str, int]
    skipped: dict[str, int]
    num_duplicates: int
    misfits: frozenset[str] = frozenset()


def write_label_import(
    store: Store,
    chunk: LabelImport,
    split_for_new_problems: str | None = None,
    source_file: str | None = None,
) -> WrittenLabels:
    """Store a chunk in a transaction of its own; see ``label_frames`` and ``write_label_frames``."""
    frames = label_frames([chunk], split_for_new_problems, source_file)
    with store.transaction() as con:
        return write_label_frames(con, frames, source_file=source_file)


def label_frames(
    chunks: Collection[LabelImport], split_for_new_problems: str | None = None, source_file: str | None = None
) -> Frames:
    """Problems, solutions, steps, labels and rejects of chunks as frames by table, and ``raters``.

    New problems get ``split_for_new_problems``; where that is None, the split the importer was given.
    """
    file = pl.lit(source_file, pl.String).alias("source_file")
    problems = frame_of("problems", [problem for chunk in chunks for problem in chunk.problems])
    human_labels = frame_of("human_labels", [label for chunk in chunks for label in chunk.human_labels])
    step_labels = frame_of("step_labels", [label for chunk in chunks for label in chunk.step_labels])
    raters = [rater for chunk in chunks for rater in chunk.raters]
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
    }


def write_label_frames(
    con: duckdb.DuckDBPyConnection,
    frames: Frames,
    earlier_misfits: Collection[str] = (),
    source_file: str | None = None,
) -> WrittenLabels:
    """Store the frames of ``label_frames``, and skip what is there already.

    A problem that exists keeps its source and split, which the importer only guesses; an answer or solution
    it lacks is filled in. Steps are written only with a new solution, and labels only where the stored steps
    are those of the file, so that a solution never has steps, or labels for steps, of two splittings. A
    file's solution comes with its steps once: ``earlier_misfits`` are those that earlier frames have shown.
    """
    found, known = _stored_solutions(con, frames["steps"])
    misfits = [*found, *earlier_misfits]
    fitting = {
        table: frame.filter(~pl.col("solution_id").is_in(misfits)) if table.endswith("labels") else frame
        for table, frame in frames.items()
    }
    num_duplicates = _count_duplicates(
        con, fitting, frames["raters"].filter(~pl.col("solution_id").is_in(misfits))
    )
    new_steps = frames["steps"].filter(~pl.col("solution_id").is_in(known))
    written = {
        table: _write(con, table, frame, source_file)
        for table, frame in (fitting | {"steps": new_steps}).items()
        if table in _TABLES
    }
    skipped = {table: frames[table].height - written[table] for table in _TABLES}
    return WrittenLabels(written, skipped, num_duplicates, frozenset(misfits))


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
                "step_index", [index for one in solutions for index in range(len(one.steps))], pl.Int32
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


def _stored_solutions(con: duckdb.DuckDBPyConnection, steps: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Which solutions are stored with other steps than these, and which are stored at all."""
    if steps.is_empty():
        return [], []
    with registered(con, steps):
        stored = query(con, _STORED_ENDS)
    offered = steps.group_by("solution_id").agg(pl.col("char_end").sort_by("step_index").alias("ends"))
    both = stored.join(offered, on="solution_id")
    return (
        both.filter(pl.col("ends") != pl.col("stored_ends"))["solution_id"].to_list(),
        stored["solution_id"].to_list(),
    )


def _count_duplicates(con: duckdb.DuckDBPyConnection, frames: Frames, raters: pl.DataFrame) -> int:
    people, machines = frames["human_labels"], frames["step_labels"]
    if not people.is_empty():
        # People's step labels repeat their ratings; the rating's own row says who gave it.
        machines = machines.join(people, on="solution_id", how="anti")
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
