"""Stepmark's own format: a line a solution and label source, with ratings, values and estimates.

Leaves out: who gave a rating of people, alternatives, and whose rollouts an estimate rests on.
"""

from collections.abc import Iterable, Iterator

from stepmark.labeling.records import StepLabel

from .estimates import NAMES
from .writing import ExportOptions, ExportTally, RatedSolution, Row


def stepmark_rows(
    rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """``{"problem", "steps", "label_source", "ratings", "values", ...}``, as the importer reads them."""
    for one in rated:
        ratings = [label.rating if label else None for label in one.labels]
        values = [label.value if label else None for label in one.labels]
        estimates = [_estimate(label) if label else None for label in one.labels]
        if all(known is None for known in (*ratings, *values, *estimates)):
            tally.reasons["solutions left out: no step has a rating, a value or an estimate"] += 1
            continue
        more = {"estimates": estimates} if any(estimates) else {}
        yield {
            "problem": one.problem.problem,
            "steps": one.pieces,
            "label_source": one.label_source,
            "ratings": ratings,
            "values": values,
            **more,
            "ground_truth_answer": one.problem.ground_truth_answer,
            "final_answer": one.solution.final_answer,
            "outcome": one.solution.outcome,
            "generator": one.solution.generator,
        }


def _estimate(label: StepLabel) -> Row | None:
    """What is known of it."""
    known = {name: getattr(label, name) for name in NAMES}
    return {name: value for name, value in known.items() if value is not None} or None
