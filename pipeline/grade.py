"""Grading what was sampled: final answers, verdicts from the cache or the grader, outcomes.

Leaves out: how two answers are compared (stepmark.labeling.grading).
"""

import polars as pl

from stepmark.labeling.grading import GRADER_VERSION, Grader, final_answer, outcome_of
from stepmark.store.store import Store

from .progress import Progress

_PAIRS_PER_BATCH = 2000
_UNGRADED_SOLUTIONS = """
    SELECT solution_id, solution AS text, finish_reason, ground_truth_answer
    FROM solutions JOIN problems USING (problem_id)
    WHERE solutions.source = 'sampled' AND ground_truth_answer IS NOT NULL
        AND (outcome IS NULL OR grader_version <> ?)
"""
_UNGRADED_ROLLOUTS = """
    SELECT prefix_id, completer_id, rollout_index, completion, finish_reason
    FROM rollouts
    WHERE prefix_id IN (SELECT unnest($1)) AND (outcome IS NULL OR grader_version IS DISTINCT FROM $2)
"""
_VERDICTS = "SELECT ground_truth_answer, final_answer, verdict FROM answer_verdicts WHERE grader_version = ?"


def grade_solutions(store: Store) -> int:
    """Grade the sampled solutions that have no outcome of the present grader; return their number."""
    graded = _graded(store, store.read(_UNGRADED_SOLUTIONS, [GRADER_VERSION]))
    columns = ["solution_id", "final_answer", "outcome", "grader_version"]
    return store.update(
        "solutions", graded.with_columns(grader_version=pl.lit(GRADER_VERSION)).select(columns)
    )


def grade_rollouts(store: Store, prefixes: pl.DataFrame) -> int:
    """Grade the rollouts that have no outcome of the present grader; return their number.

    ``prefixes`` has prefix_id, prefix and ground_truth_answer; rollouts of other prefixes stay as they are.
    """
    ungraded = store.read(_UNGRADED_ROLLOUTS, [prefixes["prefix_id"].to_list(), GRADER_VERSION]).join(
        prefixes, on="prefix_id", how="inner"
    )
    graded = _graded(store, ungraded.with_columns(text=pl.col("prefix") + pl.col("completion")))
    columns = ["prefix_id", "completer_id", "rollout_index", "final_answer", "outcome", "grader_version"]
    return store.update(
        "rollouts", graded.with_columns(grader_version=pl.lit(GRADER_VERSION)).select(columns)
    )


def _graded(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Add final_answer and outcome to rows with text, finish_reason and ground_truth_answer."""
    answered = rows.with_columns(
        final_answer=pl.Series([final_answer(text) for text in rows["text"]], dtype=pl.String)
    )
    verdicts = _verdicts(store, answered)
    judged = answered.join(verdicts, on=["ground_truth_answer", "final_answer"], how="left")
    columns = judged.select("verdict", "final_answer", "finish_reason")
    return judged.with_columns(
        outcome=pl.Series([outcome_of(*row) for row in columns.iter_rows()], dtype=pl.String)
    )


def _verdicts(store: Store, answered: pl.DataFrame) -> pl.DataFrame:
    """A verdict for each pair of answers in ``answered``; new ones are stored as they come."""
    keys = ["ground_truth_answer", "final_answer"]
    pairs = answered.select(keys).drop_nulls().unique(maintain_order=True)
    missing = pairs.join(store.read(_VERDICTS, [GRADER_VERSION]), on=keys, how="anti")
    if missing.height:
        with Grader() as grader, Progress("grading", missing.height, "pairs of answers") as bar:
            for batch in missing.iter_slices(_PAIRS_PER_BATCH):
                verdicts = pl.Series(grader.grade(list(batch.iter_rows())), dtype=pl.String)
                graded = batch.with_columns(verdict=verdicts, grader_version=pl.lit(GRADER_VERSION))
                store.insert_missing("answer_verdicts", graded)
                bar.advance(batch.height)
    return store.read(_VERDICTS, [GRADER_VERSION])
