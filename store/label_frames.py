"""What a label importer read, as frames by table.

Leaves out: reading label files (``stepmark.labeling.formats``), and storing the frames.
"""

from collections.abc import Collection
from importlib.metadata import version

import polars as pl

from stepmark.labeling.formats.reading import ImportedSolution, LabelImport
from stepmark.labeling.records import HumanLabel, Problem, Reject, StepLabel

from .frames import checked_values, frame_of
from .label_stage import Frames
from .schema import table_of

_RATERS = {
    "row": pl.Int64,
    "line": pl.Int64,
    "solution_id": pl.String,
    "rater": pl.String,
    "is_person": pl.Boolean,
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


def label_frames(
    chunks: Collection[LabelImport], split_for_new_problems: str | None = None, source_file: str | None = None
) -> Frames:
    """Problems, solutions, steps, labels and rejects of chunks as frames by table, and who rated them where:
    ``raters`` and ``rated_alternatives``.

    New problems get ``split_for_new_problems``; where that is None, the split the importer was given.
    Columns a frame lacks are not known to importers.
    """
    file = pl.lit(source_file, pl.String).alias("source_file")
    problems = frame_of("problems", [problem for chunk in chunks for problem in chunk.problems], Problem)
    human_labels = frame_of(
        "human_labels", [label for chunk in chunks for label in chunk.human_labels], HumanLabel
    ).cast({"labeled_at": pl.String})  # typed where no time is known, too
    step_labels = frame_of(
        "step_labels", [label for chunk in chunks for label in chunk.step_labels], StepLabel
    )
    raters = [rater for chunk in chunks for rater in chunk.raters]
    alternatives = [one for chunk in chunks for one in chunk.rated_alternatives]
    made_by = pl.lit(version("stepmark")).alias("code_version")
    if split_for_new_problems:
        problems = problems.with_columns(split=pl.lit(split_for_new_problems))
    frames = {
        "problems": problems.with_columns(file),
        "solutions": _solutions(chunks).with_columns(file),
        "steps": _steps(chunks),
        "human_labels": human_labels.with_columns(file),
        "step_labels": step_labels.with_columns(file, made_by),
        "rejects": frame_of("rejects", [reject for chunk in chunks for reject in chunk.rejects], Reject),
    }
    return {name: checked_values(table_of(name), frame) for name, frame in frames.items()} | {
        "raters": pl.DataFrame(raters, _RATERS, orient="row"),
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
