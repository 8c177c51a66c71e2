"""Stepmark's own format: a line a solution and label source, with ratings and values.

Leaves out: who gave a rating of people, alternatives, counts and intervals.
"""

from collections.abc import Iterable, Iterator

from .common import ExportOptions, ExportTally, RatedSolution, Row


def stepmark_rows(
    rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """``{"problem", "steps", "label_source", "ratings", "values", ...}``, as the importer reads them."""
    for one in rated:
        ratings = [label.rating if label else None for label in one.labels]
        values = [label.value if label else None for label in one.labels]
        if all(known is None for known in (*ratings, *values)):
            tally.reasons["solutions left out: no step has a rating or a value"] += 1
            continue
        yield {
            "problem": one.problem.problem,
            "steps": one.pieces,
            "label_source": one.label_source,
            "ratings": ratings,
            "values": values,
            "ground_truth_answer": one.problem.ground_truth_answer,
            "final_answer": one.solution.final_answer,
            "outcome": one.solution.outcome,
            "generator": one.solution.generator,
        }
