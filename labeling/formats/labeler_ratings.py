"""A labeler's ratings of a solution's own steps, in formats without alternatives; and labels of people.

Leaves out: PRM800K's ratings of alternatives.
"""

from collections.abc import Iterable

from stepmark.labeling.records import HumanLabel, StepLabel
from stepmark.labeling.vocabulary import HUMAN

from .reading import ImportedSolution


def own_step_rating(
    solution: ImportedSolution,
    step_index: int,
    step: str,
    labeler: str,
    rating: int | None,
    labeled_at: str | None,
    duration_ms: int | None,
) -> HumanLabel:
    """What a labeler says of the solution's step itself, the only one that there was to choose."""
    return HumanLabel(
        solution_id=solution.solution_id,
        step_index=step_index,
        alternative_index=0,
        labeler=labeler,
        completion=step,
        is_human_written=False,
        rating=rating,
        chosen=True,
        flagged=None,
        phase=None,
        round=None,
        is_quality_control=None,
        is_screening=None,
        finish_reason=None,
        labeled_at=labeled_at,
        duration_ms=duration_ms,
    )


def human_step_labels(solution: ImportedSolution, ratings: Iterable[int | None]) -> list[StepLabel]:
    """The step labels of source "human" that ratings of a solution's first steps are; null gives none."""
    return [
        StepLabel(solution.solution_id, index, HUMAN, rating, None)
        for index, rating in enumerate(ratings)
        if rating is not None
    ]
