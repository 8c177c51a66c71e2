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
Leaves out: annotations that were cancelled (skipped), drafts, and regions of other configurations.
"""

import re

from stepmark.labeling.formats.io.fields import (
    RowError,
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
from stepmark.labeling.records import HumanLabel, Problem, StepLabel
from stepmark.labeling.vocabulary import HUMAN, UNKNOWN_LABELER

from .reading import ImportedSolution, LabeledSolution, label_problem, labeled, solution_of

SOURCE = "label-studio"
CHOICES = {"right": 1, "neutral": 0, "wrong": -1}
_RATING_OF_STEP = re.compile(r"rating_(\d+)")
MAX_SECONDS = 1e9


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One task as its solution, once for each person and model that labeled it.

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
    for key, read in (("annotations", _annotation), ("predictions", _prediction)):
        for index, item in enumerate(list_of(row, key) if row.get(key) is not None else []):
            where = f"{key}[{index}]"
            if not isinstance(item, dict):
                raise RowError(f"{where} is {shown(item)}, not an object")
            one = read(item, where, problem, solution)
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


def _annotation(
    item: JsonObject,
    where: str,
    problem: Problem,
    solution: ImportedSolution,
) -> LabeledSolution | None:
    if optional_bool(item, "was_cancelled", f"{where}."):
        return None
    ratings = [rating for rating, _ in _results(item, where, len(solution.steps))]
    labeler, labeled_at = _labeler(item, where), optional_time(item, "created_at", f"{where}.")
    duration_ms = _milliseconds(item, where)
    people = [
        HumanLabel(
            solution.solution_id, index, 0, labeler, span.step, False, rating, True, None,
            None, None, None, None, None, labeled_at, duration_ms,
        )
        for index, (span, rating) in enumerate(zip(solution.steps, ratings, strict=True))
    ]  # fmt: skip
    labels = [
        StepLabel(solution.solution_id, index, HUMAN, rating, None)
        for index, rating in enumerate(ratings)
        if rating is not None
    ]
    return LabeledSolution(problem, solution, labeler, len(ratings), people, labels)


def _prediction(
    item: JsonObject,
    where: str,
    problem: Problem,
    solution: ImportedSolution,
) -> LabeledSolution | None:
    results = _results(item, where, len(solution.steps))
    source = optional_text(item, "model_version", f"{where}.") or SOURCE
    if source == HUMAN:
        raise RowError(f"{where}.model_version is {shown(source)}, the name of people's labels")
    if all(rating is None for rating, _ in results):
        return None
    return labeled(problem, solution, source, [rating for rating, _ in results], [v for _, v in results])


def _results(item: JsonObject, where: str, num_steps: int) -> list[tuple[int | None, float | None]]:
    """Rating and value of every step."""
    found: list[tuple[int | None, float | None]] = [(None, None)] * num_steps
    for place, result in enumerate(list_of(item, "result", f"{where}.")):
        at = f"{where}.result[{place}]"
        if not isinstance(result, dict):
            raise RowError(f"{at} is {shown(result)}, not an object")
        match = _RATING_OF_STEP.fullmatch(text_of(result, "from_name", f"{at}."))
        if match is None:
            continue  # a comment or other region beside the ratings
        index = index_of(match[1], f"{at}.from_name's step", num_steps, base=0) or 0
        choices = list_of(object_of(result, "value", f"{at}."), "choices", f"{at}.value.")
        if len(choices) != 1 or not isinstance(choices[0], str) or choices[0] not in CHOICES:
            raise RowError(f"{at}.value.choices is {shown(choices)}, not one of {', '.join(CHOICES)}")
        one = (CHOICES[choices[0]], value_of(result.get("score"), f"{at}.score"))
        if found[index] not in ((None, None), one):
            raise RowError(f"{at} rates step {index} a second time, differently")
        found[index] = one
    return found


def _labeler(item: JsonObject, where: str) -> str:
    person = item.get("completed_by")
    if isinstance(person, dict):
        name = optional_text(person, "email", f"{where}.completed_by.")
        return name or number_text(person, "id", f"{where}.completed_by.") or UNKNOWN_LABELER
    return number_text(item, "completed_by", f"{where}.") or UNKNOWN_LABELER


def _milliseconds(item: JsonObject, where: str) -> int | None:
    seconds = item.get("lead_time")
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < MAX_SECONDS:
        raise RowError(f"{where}.lead_time is {shown(seconds)}, not a number of seconds")
    return round(seconds * 1000)
