"""PRM800K, both phases: people's ratings of steps, as published or rebuilt from it.

A row, cut short::

    {"labeler": "e90a...", "timestamp": "2022-07-30T23:23:32", "generation": null,
     "is_quality_control_question": false, "is_initial_screening_question": false,
     "question": {"problem": "...", "ground_truth_answer": "29"},
     "label": {"total_time": 293250, "finish_reason": "solution", "steps": [
       {"completions": [{"text": "Let p ...", "rating": 1, "flagged": false}], "human_completion": null,
        "chosen_completion": 0}]}}

In phase 1 people picked or wrote each next step: the solution is the path they took. In phase 2 the solution
is ``question.pre_generated_steps``; people rated it up to its first error; steps after that have no label.

Every completion of every step becomes a HumanLabel under its index in the file; the human one comes after
the others. Where people gave up, the alternatives to a step never taken stand at the index after the last
step. A StepLabel of source "human" is the rating of the completion that is the solution's step. Null ratings
give none, nor do quality-control and screening questions, which measure the labelers. Where several people
rated one solution, the first one's rating is the StepLabel; later ones fill in the steps it left open, and
all of them stay in the HumanLabels.

A row without a labeler gets the labeler "unknown". Keys the published data does not have are passed over.
Written, ratings of phase 1 are phase 1 again, and all others phase 2; a label source other than people goes
out as one labeler's ratings.
Leaves out: choosing what to train on; see ``alternatives`` for the completions beside the path. Writing
leaves out values, and what the store does not keep (verifier scores).
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from stepmark.labeling.formats.io.fields import (
    RowError,
    as_object,
    has_fields,
    list_of,
    object_of,
    optional_bool,
    optional_int,
    optional_text,
    optional_time,
    rating_of,
    steps_of,
    text_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.records import HumanLabel
from stepmark.labeling.vocabulary import UNKNOWN_LABELER

from .format import Format, Writer
from .labeler_ratings import human_step_labels
from .reading import LabeledSolution, label_problem, solution_of
from .writing import UNREADABLE, ExportedSolution, ExportOptions, ExportTally, Row, read_back

SOURCE = "prm800k"
_ANSWER = re.compile(r"^# Answer\s*\n(?P<answer>.*)\Z", re.MULTILINE | re.DOTALL)


class _Completion(NamedTuple):
    text: str
    rating: int | None
    flagged: bool | None
    is_human_written: bool


class _Step(NamedTuple):
    """The completions of one step, and which of them was chosen to go on from."""

    completions: list[_Completion]
    chosen: int | None


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One PRM800K row as its solution with everything rated on it.

    Raises:
        RowError: with the reason, if the row does not say which step was rated how.
    """
    question, label = object_of(row, "question"), object_of(row, "label")
    steps = [_read_step(step, index) for index, step in enumerate(list_of(label, "steps", "label."))]
    if not steps:
        raise RowError("label.steps is empty: nothing is rated")
    problem = label_problem(
        text_of(question, "problem", "question."),
        SOURCE,
        split,
        optional_text(question, "ground_truth_answer", "question."),
        optional_text(question, "ground_truth_solution", "question."),
    )
    if question.get("pre_generated_steps") is None:
        phase, path = 1, _path_taken(steps)
        texts = [steps[index].completions[on_path].text for index, on_path in enumerate(path)]
        answer = _answer_in(texts[-1])
    else:
        phase, texts = 2, steps_of(question, "pre_generated_steps", "question.")
        path = _path_along(steps, texts)
        answer = optional_text(question, "pre_generated_answer", "question.")
    solution = solution_of(problem, SOURCE, texts, final_answer=answer)
    human_labels = _human_labels(row, solution.solution_id, phase, steps)
    ratings = [step.completions[on_path].rating for step, on_path in zip(steps, path, strict=False)]
    tests_labeler = row.get("is_quality_control_question") or row.get("is_initial_screening_question")
    step_labels = [] if tests_labeler else human_step_labels(solution, ratings)
    return [
        LabeledSolution(problem, solution, human_labels[0].labeler, len(steps), human_labels, step_labels)
    ]


def _read_step(item: object, index: int) -> _Step:
    where = f"label.steps[{index}]"
    step = as_object(item, where)
    given = list_of(step, "completions", f"{where}.") if step.get("completions") is not None else []
    completions = [
        _usual_completion(item) or _read_completion(item, f"{where}.completions[{i}]", False)
        for i, item in enumerate(given)
    ]
    chosen = optional_int(step, "chosen_completion", f"{where}.")
    if chosen is not None and not 0 <= chosen < len(completions):
        raise RowError(f"{where}.chosen_completion is {chosen}, but there are {len(completions)} completions")
    human = step.get("human_completion")
    if human is not None:
        if chosen is None:
            chosen = len(completions)
        completions.append(_read_completion(human, f"{where}.human_completion", True))
    if not completions:
        raise RowError(f"{where} has no completion")
    return _Step(completions, chosen)


def _usual_completion(item: object) -> _Completion | None:
    """A generator's completion if nothing about it needs a closer look; else None."""
    if type(item) is not dict:
        return None
    text, rating, flagged = item.get("text"), item.get("rating"), item.get("flagged")
    if type(text) is not str or not text or text.isspace() or type(rating) is not int:
        return None
    if not -1 <= rating <= 1 or (flagged is not None and type(flagged) is not bool):
        return None
    return _Completion(text, rating, flagged, False)


def _read_completion(item: object, where: str, is_human_written: bool) -> _Completion:
    completion = as_object(item, where)
    return _Completion(
        text_of(completion, "text", f"{where}."),
        rating_of(completion.get("rating"), f"{where}.rating"),
        optional_bool(completion, "flagged", f"{where}."),
        is_human_written,
    )


def _path_taken(steps: list[_Step]) -> list[int]:
    """Phase 1: the index of each step's chosen completion; the last step has none where people gave up."""
    path = []
    for index, step in enumerate(steps):
        if step.chosen is not None:
            path.append(step.chosen)
        elif index < len(steps) - 1:
            raise RowError(f"label.steps[{index}] has no chosen completion although steps follow it")
    if not path:
        raise RowError("no step was chosen or written: there is no solution to label")
    return path


def _path_along(steps: list[_Step], texts: list[str]) -> list[int]:
    """Phase 2: which completion is the pre-generated step, for each step that people went through."""
    if len(steps) > len(texts):
        raise RowError(f"label.steps has {len(steps)} entries for {len(texts)} pre-generated steps")
    path = []
    for index, (step, text) in enumerate(zip(steps, texts, strict=False)):
        same = [i for i, completion in enumerate(step.completions) if completion.text.strip() == text.strip()]
        if not same:
            raise RowError(
                f"label.steps[{index}] rates other texts than question.pre_generated_steps[{index}]"
            )
        path.append(step.chosen if step.chosen in same else same[0])
    return path


def _answer_in(step: str) -> str | None:
    match = _ANSWER.search(step)
    return (match["answer"].strip() or None) if match else None


def _human_labels(row: JsonObject, solution_id: str, phase: int, steps: list[_Step]) -> list[HumanLabel]:
    label = object_of(row, "label")
    labeler = optional_text(row, "labeler") or UNKNOWN_LABELER
    generation = optional_int(row, "generation", bits=32)
    is_quality_control = optional_bool(row, "is_quality_control_question")
    is_screening = optional_bool(row, "is_initial_screening_question")
    finish_reason = optional_text(label, "finish_reason", "label.")
    labeled_at = optional_time(row, "timestamp")
    duration_ms = _duration(label)
    return [
        HumanLabel(
            solution_id, step_index, alternative_index, labeler,
            text, is_human_written, rating, alternative_index == step.chosen, flagged,
            phase, generation, is_quality_control, is_screening, finish_reason, labeled_at, duration_ms,
        )
        for step_index, step in enumerate(steps)
        for alternative_index, (text, rating, flagged, is_human_written) in enumerate(step.completions)
    ]  # fmt: skip


def _duration(label: JsonObject) -> int | None:
    duration_ms = optional_int(label, "total_time", "label.")
    if duration_ms is not None and duration_ms < 0:
        raise RowError(f"label.total_time is {duration_ms}, and no time is less than 0")
    return duration_ms


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """A row a labeler and solution; one that would not come back as it is, is left out and tallied."""
    for one in solutions:
        row = _row(one)
        back = [read.solution.solution for read in read_back(row, read_row, one.problem.split)]
        if back == [one.solution.solution]:
            yield row
        else:
            tally.reasons[UNREADABLE] += 1


def _row(one: ExportedSolution) -> Row:
    first = one.human_labels[0] if one.human_labels else None
    question: Row = {"problem": one.problem.problem, "ground_truth_answer": one.problem.ground_truth_answer}
    if one.problem.ground_truth_solution is not None:
        question["ground_truth_solution"] = one.problem.ground_truth_solution
    if first is None or first.phase != 1:
        question["pre_generated_steps"] = one.pieces
        question["pre_generated_answer"] = one.solution.final_answer
    return {
        "labeler": None if one.labeler_or_source == UNKNOWN_LABELER else one.labeler_or_source,
        "timestamp": first.labeled_at if first else None,
        "generation": first.round if first else None,
        "is_quality_control_question": first.is_quality_control if first else None,
        "is_initial_screening_question": first.is_screening if first else None,
        "question": question,
        "label": {
            "steps": _steps_by_labeler(one.human_labels) if first else _steps_by_source(one),
            "total_time": first.duration_ms if first else None,
            "finish_reason": first.finish_reason if first else None,
        },
    }


def _steps_by_labeler(labels: Iterable[HumanLabel]) -> list[Row]:
    steps = []
    for _, of_step in groupby(labels, key=lambda label: label.step_index):
        alternatives = list(of_step)
        human = [label for label in alternatives if label.is_human_written]
        chosen = [label.alternative_index for label in alternatives if label.chosen and label not in human]
        steps.append(
            {
                "completions": [_completion(label) for label in alternatives if label not in human],
                "human_completion": _completion(human[0]) if human else None,
                "chosen_completion": chosen[0] if chosen else None,
            }
        )
    return steps


def _completion(label: HumanLabel) -> Row:
    return {"text": label.completion, "rating": label.rating, "flagged": label.flagged}


def _steps_by_source(one: ExportedSolution) -> list[Row]:
    known = [index for index, rating in enumerate(one.ratings) if rating is not None]
    return [
        {
            "completions": [{"text": piece, "rating": rating, "flagged": None}],
            "human_completion": None,
            "chosen_completion": 0,
        }
        for piece, rating in zip(one.pieces[: max(known, default=-1) + 1], one.ratings, strict=False)
    ]


def _matches(row: JsonObject) -> bool:
    return has_fields(row, question=dict, label=dict) and "steps" in row["label"]


FORMAT = Format(
    name=SOURCE,
    matches=_matches,
    read_row=read_row,
    writer=Writer(rows=write_rows, labelers="alone", place=10),
    place=10,
)
