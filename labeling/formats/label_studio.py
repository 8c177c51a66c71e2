"""Label Studio's JSON export of tasks in which each step was rated, with the configuration given below.

    <View>
      <Text name="problem" value="$problem"/>
      <Repeater on="$steps" indexFlag="{{idx}}">
        <Text name="step_{{idx}}" value="$steps[{{idx}}].text"/>
        <Choices name="rating_{{idx}}" toName="step_{{idx}}" choice="single-radio" showInline="true">
          <Choice value="right"/><Choice value="neutral"/><Choice value="wrong"/>
        </Choices>
      </Repeater>
    </View>

A task, cut short; ``completed_by`` may be an id or a person with an e-mail address::

    {"data": {"problem": "...", "steps": [{"text": "..."}, {"text": "..."}]},
     "annotations": [{"completed_by": {"email": "ann@x.org"}, "created_at": "2026-01-05T10:00:00Z",
                      "lead_time": 31.5, "was_cancelled": false, "result": [
       {"from_name": "rating_0", "to_name": "step_0", "type": "choices", "value": {"choices": ["right"]}}]}],
     "predictions": [{"model_version": "prm_oracle", "result": [... the same, "score": 0.9 ...]}]}

Annotations are ratings of people: every step has one, of null where nothing was chosen. Predictions are step
labels of the source that ``model_version`` names; a result's ``score`` is its value.
Written, a task without annotations can be rated in Label Studio, with the predictions shown.
Leaves out: annotations that were cancelled (skipped), drafts, and regions of other configurations.
Writing leaves out alternatives to a step, flags, phases and counts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from stepmark.labeling.formats.io.fields import (
    RowError,
    as_object,
    has_fields,
    index_of,
    list_of,
    number_text,
    object_of,
    optional_bool,
    optional_text,
    optional_time,
    shown,
    steps_of,
    text_of,
    value_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.records import Problem
from stepmark.labeling.vocabulary import HUMAN, UNKNOWN_LABELER

from .format import Format, Writer
from .labeler_ratings import human_step_labels, own_step_rating
from .reading import ImportedSolution, LabeledSolution, label_problem, labeled, solution_of
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "label-studio"
_RATINGS = {"right": 1, "neutral": 0, "wrong": -1}
_CHOICES = {rating: choice for choice, rating in _RATINGS.items()}
_RATING_OF_STEP = re.compile(r"rating_(\d+)")
_MAX_SECONDS = 1e9
_TOO_LONG = "times of labeling left out: no Label Studio project ran so long"
_UNRATED = "solutions left out: no step is rated, nor has a value that means right or wrong"
_UNDECIDED = "labels left out: their value is neither right nor wrong"
_VALUES_OF_LABELERS = "values and counts beside people's ratings left out"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One task as its solution, once for each labeler and model that labeled it.

    Raises:
        RowError: if a result rates no step of the task, or nobody labeled any.
    """
    data = object_of(row, "data")
    steps = _steps(data)
    problem = label_problem(
        text_of(data, "problem", "data."), SOURCE, split, number_text(data, "ground_truth_answer", "data.")
    )
    solution = solution_of(
        problem,
        SOURCE,
        steps,
        final_answer=number_text(data, "final_answer", "data."),
        generator=optional_text(data, "generator", "data."),
    )
    found: dict[str, LabeledSolution] = {}
    for key, read in (("annotations", _read_annotation), ("predictions", _read_prediction)):
        for index, item in enumerate(list_of(row, key) if row.get(key) is not None else []):
            where = f"{key}[{index}]"
            one = read(as_object(item, where), where, problem, solution)
            if one is not None and found.setdefault(f"{key} {one.label_author}", one) != one:
                raise RowError(f"{where}: {one.label_author} labeled this task twice and differently")
    if not found:
        raise RowError("the task has no annotation that was not cancelled, and no prediction")
    return list(found.values())


def _steps(data: JsonObject) -> list[str]:
    items = list_of(data, "steps", "data.")
    if all(isinstance(item, dict) for item in items):
        return steps_of({"steps": [item.get("text") for item in items]}, "steps", "data.")
    return steps_of(data, "steps", "data.")


def _read_annotation(
    item: JsonObject, where: str, problem: Problem, solution: ImportedSolution
) -> LabeledSolution | None:
    if optional_bool(item, "was_cancelled", f"{where}."):
        return None
    ratings = [rating for rating, _ in _ratings_and_values(item, where, len(solution.steps))]
    labeler, labeled_at = _labeler(item, where), optional_time(item, "created_at", f"{where}.")
    duration_ms = _milliseconds(item, where)
    human_labels = [
        own_step_rating(solution, index, span.step, labeler, rating, labeled_at, duration_ms)
        for index, (span, rating) in enumerate(zip(solution.steps, ratings, strict=True))
    ]
    step_labels = human_step_labels(solution, ratings)
    return LabeledSolution(problem, solution, labeler, len(ratings), human_labels, step_labels)


def _read_prediction(
    item: JsonObject, where: str, problem: Problem, solution: ImportedSolution
) -> LabeledSolution | None:
    results = _ratings_and_values(item, where, len(solution.steps))
    source = optional_text(item, "model_version", f"{where}.") or SOURCE
    if source == HUMAN:
        raise RowError(f"{where}.model_version is {shown(source)}, the name of people's labels")
    if all(rating is None for rating, _ in results):
        return None
    return labeled(problem, solution, source, [rating for rating, _ in results], [v for _, v in results])


def _ratings_and_values(
    item: JsonObject, where: str, num_steps: int
) -> list[tuple[int | None, float | None]]:
    """Those of every step, in order."""
    found: list[tuple[int | None, float | None]] = [(None, None)] * num_steps
    for place, region in enumerate(list_of(item, "result", f"{where}.")):
        at = f"{where}.result[{place}]"
        result = as_object(region, at)
        match = _RATING_OF_STEP.fullmatch(text_of(result, "from_name", f"{at}."))
        if match is None:
            continue  # a comment or other region beside the ratings
        index = index_of(match[1], f"{at}.from_name's step", num_steps, base=0) or 0
        choices = list_of(object_of(result, "value", f"{at}."), "choices", f"{at}.value.")
        if len(choices) != 1 or not isinstance(choices[0], str) or choices[0] not in _RATINGS:
            raise RowError(f"{at}.value.choices is {shown(choices)}, not one of {', '.join(_RATINGS)}")
        one = (_RATINGS[choices[0]], value_of(result.get("score"), f"{at}.score"))
        if found[index] not in ((None, None), one):
            raise RowError(f"{at} rates step {index} a second time, differently")
        found[index] = one
    return found


def _labeler(item: JsonObject, where: str) -> str:
    user = item.get("completed_by")
    if isinstance(user, dict):
        email = optional_text(user, "email", f"{where}.completed_by.")
        return email or number_text(user, "id", f"{where}.completed_by.") or UNKNOWN_LABELER
    return number_text(item, "completed_by", f"{where}.") or UNKNOWN_LABELER


def _milliseconds(item: JsonObject, where: str) -> int | None:
    seconds = item.get("lead_time")
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < _MAX_SECONDS:
        raise RowError(f"{where}.lead_time is {shown(seconds)}, not a number of seconds")
    return round(seconds * 1000)


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """A task a solution: labelers' ratings are annotations, other sources predictions.

    ``solutions`` come solution by solution.
    """
    for _, of_solution in groupby(solutions, key=lambda one: one.solution.solution_id):
        given = list(of_solution)
        _count_lost(given, tally)
        written = [one for one in given if one.labeler is not None or _is_rated(one)]
        if not written:
            tally.reasons[_UNRATED] += 1
            continue
        solution, problem = written[0].solution, written[0].problem
        yield {
            "data": {
                "problem": problem.problem,
                "ground_truth_answer": problem.ground_truth_answer,
                "solution_id": solution.solution_id,
                "generator": solution.generator,
                "final_answer": solution.final_answer,
                "steps": [{"text": piece} for piece in written[0].pieces],
            },
            "annotations": [_annotation(one) for one in written if one.labeler is not None],
            "predictions": [_prediction(one) for one in written if one.labeler is None],
        }


def _is_rated(one: ExportedSolution) -> bool:
    return any(rating is not None for rating in one.ratings)


def _count_lost(given: Sequence[ExportedSolution], tally: ExportTally) -> None:
    for one in given:
        if one.human_labels and _is_too_long(one.human_labels[0].duration_ms or 0):
            tally.reasons[_TOO_LONG] += 1
        for rating, label in zip(one.ratings, one.labels, strict=True):
            if label and one.labeler is not None:
                tally.reasons[_VALUES_OF_LABELERS] += 1
            elif label and rating is None:
                tally.reasons[_UNDECIDED] += 1


def _is_too_long(duration_ms: int) -> bool:
    return duration_ms / 1000 >= _MAX_SECONDS


def _annotation(one: ExportedSolution) -> Row:
    first = one.human_labels[0] if one.human_labels else None
    annotation: Row = {
        "completed_by": _user(one.labeler_or_source),
        "was_cancelled": False,
        "result": _regions(one.ratings, [None] * len(one.ratings)),
    }
    if first and first.labeled_at is not None:
        annotation["created_at"] = f"{first.labeled_at}Z"
    if first and first.duration_ms is not None and not _is_too_long(first.duration_ms):
        annotation["lead_time"] = first.duration_ms / 1000
    return annotation


def _user(labeler: str) -> object:
    if labeler == UNKNOWN_LABELER:
        return None
    is_id = labeler.isascii() and labeler.isdigit() and str(int(labeler)) == labeler
    return int(labeler) if is_id else {"email": labeler}


def _prediction(one: ExportedSolution) -> Row:
    values = [label.value if label else None for label in one.labels]
    return {"model_version": one.label_source, "result": _regions(one.ratings, values)}


def _regions(ratings: Sequence[int | None], values: Sequence[float | None]) -> list[Row]:
    results = []
    for index, (rating, value) in enumerate(zip(ratings, values, strict=True)):
        if rating is None:
            continue
        result: Row = {
            "id": f"rating_{index}",
            "from_name": f"rating_{index}",
            "to_name": f"step_{index}",
            "type": "choices",
            "value": {"choices": [_CHOICES[rating]]},
        }
        if value is not None:
            result["score"] = value
        results.append(result)
    return results


def _matches(row: JsonObject) -> bool:
    has_labels = has_fields(row, annotations=list) or has_fields(row, predictions=list)
    return has_labels and has_fields(row, data=dict)


FORMAT = Format(
    name=SOURCE,
    matches=_matches,
    read_row=read_row,
    writer=Writer(rows=write_rows, layout="array", labelers="beside", holds_sources=True, place=70),
    place=90,
)
