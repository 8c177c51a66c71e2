"""Label Studio tasks, a solution each: people's ratings as annotations, other sources as predictions.

The importer of the same name documents the labeling configuration they belong to. Tasks without annotations
can be rated in Label Studio, with the predictions shown. Leaves out: alternatives to a step, flags, phases,
counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from stepmark.labeling.vocabulary import UNKNOWN_LABELER

from .label_studio import CHOICES, MAX_SECONDS
from .writing import ExportOptions, ExportTally, RatedSolution, Row

_WORDS = {rating: word for word, rating in CHOICES.items()}
_TOO_LONG = "times of labeling left out: no Label Studio project ran so long"
_UNRATED = "solutions left out: no step is rated, nor has a value that means right or wrong"
_UNDECIDED = "labels left out: their value is neither right nor wrong"
_VALUES_OF_PEOPLE = "values and counts beside people's ratings left out"


def label_studio_rows(
    rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """Tasks with ``data``, ``annotations`` and ``predictions``; ``rated`` comes solution by solution."""
    for _, of_solution in groupby(rated, key=lambda one: one.solution.solution_id):
        raters = list(of_solution)
        _count_lost(raters, tally)
        raters = [one for one in raters if one.labeler is not None or _is_rated(one)]
        if not raters:
            tally.reasons[_UNRATED] += 1
            continue
        solution, problem = raters[0].solution, raters[0].problem
        yield {
            "data": {
                "problem": problem.problem,
                "ground_truth_answer": problem.ground_truth_answer,
                "solution_id": solution.solution_id,
                "generator": solution.generator,
                "final_answer": solution.final_answer,
                "steps": [{"text": piece} for piece in raters[0].pieces],
            },
            "annotations": [_annotation(one) for one in raters if one.labeler is not None],
            "predictions": [_prediction(one) for one in raters if one.labeler is None],
        }


def _is_rated(one: RatedSolution) -> bool:
    return any(rating is not None for rating in one.ratings)


def _count_lost(raters: Sequence[RatedSolution], tally: ExportTally) -> None:
    for one in raters:
        if one.human_labels and _is_too_long(one.human_labels[0].duration_ms or 0):
            tally.reasons[_TOO_LONG] += 1
        for rating, label in zip(one.ratings, one.labels, strict=True):
            if label and one.labeler is not None:
                tally.reasons[_VALUES_OF_PEOPLE] += 1
            elif label and rating is None:
                tally.reasons[_UNDECIDED] += 1


def _is_too_long(duration_ms: int) -> bool:
    return duration_ms / 1000 >= MAX_SECONDS


def _annotation(one: RatedSolution) -> Row:
    first = one.human_labels[0] if one.human_labels else None
    annotation: Row = {
        "completed_by": _person(one.rater),
        "was_cancelled": False,
        "result": _results(one.ratings, [None] * len(one.ratings)),
    }
    if first and first.labeled_at is not None:
        annotation["created_at"] = f"{first.labeled_at}Z"
    if first and first.duration_ms is not None and not _is_too_long(first.duration_ms):
        annotation["lead_time"] = first.duration_ms / 1000
    return annotation


def _person(labeler: str) -> object:
    if labeler == UNKNOWN_LABELER:
        return None
    is_id = labeler.isascii() and labeler.isdigit() and str(int(labeler)) == labeler
    return int(labeler) if is_id else {"email": labeler}


def _prediction(one: RatedSolution) -> Row:
    values = [label.value if label else None for label in one.labels]
    return {"model_version": one.label_source, "result": _results(one.ratings, values)}


def _results(ratings: Sequence[int | None], values: Sequence[float | None]) -> list[Row]:
    results = []
    for index, (rating, value) in enumerate(zip(ratings, values, strict=True)):
        if rating is None:
            continue
        result: Row = {
            "id": f"rating_{index}",
            "from_name": f"rating_{index}",
            "to_name": f"step_{index}",
            "type": "choices",
            "value": {"choices": [_WORDS[rating]]},
        }
        if value is not None:
            result["score"] = value
        results.append(result)
    return results
