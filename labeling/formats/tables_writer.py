"""A plain table of steps: one row a step and rater, with the columns that the importer ``tables`` reads.

Leaves out: alternatives to a step, flags and phases, and whose rollouts an estimate rests on.
"""

from collections.abc import Iterable, Iterator

from .estimates import NAMES
from .writing import ExportOptions, ExportTally, RatedSolution, Row

COLUMNS = {
    "problem_id": str,
    "problem": str,
    "ground_truth_answer": str,
    "solution_id": str,
    "source": str,
    "generator": str,
    "final_answer": str,
    "outcome": str,
    "step_index": int,
    "step": str,
    "label_source": str,
    "labeler": str,
    "rating": int,
    "value": float,
    "num_rollouts": int,
    "num_correct": int,
    "num_truncated": int,
    "num_ungraded": int,
    "value_low": float,
    "value_high": float,
    "p_wrong_low": float,
    "p_wrong_high": float,
    "has_signal": bool,
    "cost_tokens": int,
    "estimator": str,
    "labeled_at": str,
    "duration_ms": int,
}
"""Columns and their types; all but the texts of problem and step, their ids, and step_index may be null."""


def table_rows(rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally) -> Iterator[Row]:
    """The steps of each solution in order, labeled or not."""
    for one in rated:
        first = one.human_labels[0] if one.human_labels else None
        shared = {
            "problem_id": one.problem.problem_id,
            "problem": one.problem.problem,
            "ground_truth_answer": one.problem.ground_truth_answer,
            "solution_id": one.solution.solution_id,
            "source": one.solution.source,
            "generator": one.solution.generator,
            "final_answer": one.solution.final_answer,
            "outcome": one.solution.outcome,
            "label_source": one.label_source,
            "labeler": one.labeler,
            "labeled_at": first.labeled_at if first else None,
            "duration_ms": first.duration_ms if first else None,
        }
        for index, (piece, label) in enumerate(zip(one.pieces, one.labels, strict=True)):
            row = shared | {
                "step_index": index,
                "step": piece,
                "rating": one.ratings[index] if first else label and label.rating,
                "value": label and label.value,
                **{name: label and getattr(label, name) for name in NAMES},
            }
            yield {name: row[name] for name in COLUMNS}
