"""What a label importer read, as frames by table.

Leaves out: reading label files (``stepmark.labeling.formats``), and storing the frames.
"""

from collections.abc import Collection
from importlib.metadata import version

import polars as pl

from stepmark.labeling.formats.reading import ImportedSolution, LabelImport
from stepmark.labeling.records import HumanLabel, Problem, Reject, StepLabel
from stepmark.store.frames import checked_values, frame_of
from stepmark.store.schema import table_of

from .stage import Frames

_LABELED_LINES = {
    "row": pl.Int64,
    "line": pl.Int64,
    "solution_id": pl.String,
    "label_author": pl.String,
    "is_labeler": pl.Boolean,
    "num_lines": pl.Int64,
    "num_steps": pl.Int64,
    "is_repeated": pl.Boolean,
}
_RATED_ALTERNATIVES = {
    "row": pl.Int64,
    "source_line": pl.Int32,
    "solution_id": pl.String,
    "step_index": pl.Int32,
    "rating": pl.Int32,
}


def frames_of(chunks: Collection[LabelImport], source_file: str) -> Frames:
    """Problems, solutions, steps, labels and rejects of chunks as frames by table; and ``labeled_lines`` and
    ``rated_alternatives``, which are no tables.

    Columns a frame lacks are not known to importers.
    """
    file = pl.lit(source_file, pl.String).alias("source_file")
    made_by = pl.lit(version("stepmark")).alias("code_version")
    human_labels = frame_of(
        "human_labels", [label for chunk in chunks for label in chunk.human_labels], HumanLabel
    ).cast({"labeled_at": pl.String})  # typed where no time is known, too
    step_labels = frame_of(
        "step_labels", [label for chunk in chunks for label in chunk.step_labels], StepLabel
    )
    problems = frame_of("problems", [problem for chunk in chunks for problem in chunk.problems], Problem)
    frames = {
        "problems": problems.with_columns(file),
        "solutions": _solutions(chunks).with_columns(file),
        "steps": _steps(chunks),
        "human_labels": human_labels.with_columns(file),
        "step_labels": step_labels.with_columns(file, made_by),
        "rejects": frame_of("rejects", [reject for chunk in chunks for reject in chunk.rejects], Reject),
    }
    lines = [line for chunk in chunks for line in chunk.labeled_lines]
    alternatives = [one for chunk in chunks for one in chunk.rated_alternatives]
    return {name: checked_values(table_of(name), frame) for name, frame in frames.items()} | {
        "labeled_lines": pl.DataFrame(lines, _LABELED_LINES, orient="row"),
        "rated_alternatives": pl.DataFrame(alternatives, _RATED_ALTERNATIVES, orient="row").with_columns(
            file, made_by
        ),
    }


def _solutions(chunks: Collection[LabelImport]) -> pl.DataFrame:
    solutions = [solution for chunk in chunks for solution in chunk.solutions]
    generators = pl.Series("generator_id", [solution.generator for solution in solutions], pl.String)
    return frame_of("solutions", solutions, ImportedSolution).with_columns(generators)


def _steps(chunks: Collection[LabelImport]) -> pl.DataFrame:
    solutions = [solution for chunk in chunks for solution in chunk.solutions]
    spans = [span for solution in solutions for span in solution.steps]
    starts, ends, steps = zip(*spans, strict=True) if spans else ((), (), ())
    indexes = [index for one in solutions for index, _ in enumerate(one.steps, one.first_step_index)]
    return pl.DataFrame(
        [
            pl.Series("solution_id", [one.solution_id for one in solutions for _ in one.steps], pl.String),
            pl.Series("step_index", indexes, pl.Int32),
            pl.Series("char_start", starts, pl.Int32),
            pl.Series("char_end", ends, pl.Int32),
            pl.Series("step", steps, pl.String),
        ]
    )
