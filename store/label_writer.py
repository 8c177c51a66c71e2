"""Writing what a label importer read: one transaction a chunk, first come first kept.

Leaves out: reading label files (``stepmark.labeling.importers``) and counting their lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import duckdb
import polars as pl

from stepmark.labeling.importers.common import ImportedSolution, LabelImport

from .frames import FRAME_VIEW, frame_of
from .problem_writer import write_problems
from .rows import insert_missing, query, registered
from .schema import table_of
from .store import Store


@dataclass(frozen=True, slots=True)
class WrittenLabels:
    """Rows by table: ``written`` ones, and ``skipped`` ones whose key was stored before.

    ``num_duplicates`` counts the pairs of a solution and its rater (a labeler, or a machine's label source)
    of whose labels not one was new.
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
    """Store problems, solutions, steps, labels and rejects of a chunk, and skip what is there already.

    A problem that exists keeps its source and split, which the importer only guesses; an answer or solution
    it lacks is filled in. New problems get ``split_for_new_problems``; where that is None, the split the
    importer was given. Steps are written only with a new solution, so that a solution never has steps of two
    splittings.
    """
    frames = _frames(chunk, split_for_new_problems, source_file)
    with store.transaction() as con:
        num_duplicates = _count_duplicates(con, frames)
        new_steps = _steps_of_new_solutions(con, frames["steps"])
        written = {
            table: _write(con, table, frame) for table, frame in (frames | {"steps": new_steps}).items()
        }
    skipped = {table: frame.height - written[table] for table, frame in frames.items()}
    return WrittenLabels(written, skipped, num_duplicates)


def _frames(chunk: LabelImport, split: str | None, source_file: str | None) -> dict[str, pl.DataFrame]:
    file = pl.lit(source_file, pl.String).alias("source_file")
    problems = frame_of("problems", chunk.problems).with_columns(file)
    step_labels = frame_of("step_labels", chunk.step_labels)
    return {
        "problems": problems.with_columns(split=pl.lit(split)) if split else problems,
        "solutions": _solutions(chunk.solutions).with_columns(file),
        "steps": frame_of("steps", chunk.steps),
        "human_labels": frame_of("human_labels", chunk.human_labels).with_columns(file),
        "step_labels": step_labels.with_columns(file, code_version=pl.lit(version("stepmark"))),
        "rejects": frame_of("rejects", chunk.rejects),
    }


def _solutions(solutions: Sequence[ImportedSolution]) -> pl.DataFrame:
    frame = frame_of("solutions", solutions)
    generators = pl.Series("generator_id", [solution.generator for solution in solutions], pl.String)
    return frame.with_columns(generators)


def _write(con: duckdb.DuckDBPyConnection, table: str, frame: pl.DataFrame) -> int:
    if table == "problems":
        return write_problems(con, frame, know_their_split=False).num_new
    unknown = [name for name in table_of(table).column_names if name not in frame.columns]
    return insert_missing(con, table, frame, unknown=unknown) if frame.height else 0


def _steps_of_new_solutions(con: duckdb.DuckDBPyConnection, steps: pl.DataFrame) -> pl.DataFrame:
    if steps.is_empty():
        return steps
    with registered(con, steps):
        known = query(
            con, f"SELECT DISTINCT solution_id FROM {FRAME_VIEW} SEMI JOIN steps USING (solution_id)"
        )
    return steps.join(known, on="solution_id", how="anti")


def _count_duplicates(con: duckdb.DuckDBPyConnection, frames: dict[str, pl.DataFrame]) -> int:
    people, machines = frames["human_labels"], frames["step_labels"]
    if not people.is_empty():
        # People's step labels repeat their ratings; the rating's own row says who gave it.
        machines = machines.join(people, on="solution_id", how="anti")
    return _count_known(con, "human_labels", people, "labeler") + _count_known(
        con, "step_labels", machines, "label_source"
    )


def _count_known(con: duckdb.DuckDBPyConnection, table: str, labels: pl.DataFrame, rater: str) -> int:
    if labels.is_empty():
        return 0
    keys = ", ".join(table_of(table).primary_key)
    with registered(con, labels):
        known = query(
            con,
            f"SELECT solution_id, {rater} FROM {FRAME_VIEW} AS offered LEFT JOIN "
            f"(SELECT {keys}, true AS is_known FROM {table}) USING ({keys}) "
            f"GROUP BY solution_id, {rater} HAVING bool_and(is_known IS NOT NULL)",
        )
    return known.height
