"""PRM800K's lines: people's ratings with all alternatives; other label sources as if one person had rated.

Ratings that came in phase 1 go out as phase 1, everything else as phase 2, in which the solution stands by
itself in ``pre_generated_steps``. Leaves out: values, and what the store does not keep (verifier scores).
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from stepmark.labeling.formats.io.fields import RowError
from stepmark.labeling.records import HumanLabel
from stepmark.labeling.vocabulary import UNKNOWN_LABELER

from .prm800k import read_row
from .writing import UNREADABLE, ExportOptions, ExportTally, RatedSolution, Row


def prm800k_rows(rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally) -> Iterator[Row]:
    """A line a labeler and solution; one that would not come back as it is, is left out and tallied."""
    for one in rated:
        row = _line(one)
        try:
            [back] = read_row(row, one.problem.split)
        except RowError:
            tally.reasons[UNREADABLE] += 1
            continue
        if back.solution.solution == one.solution.solution:
            yield row
        else:
            tally.reasons[UNREADABLE] += 1


def _line(one: RatedSolution) -> Row:
    first = one.human_labels[0] if one.human_labels else None
    question: Row = {"problem": one.problem.problem, "ground_truth_answer": one.problem.ground_truth_answer}
    if one.problem.ground_truth_solution is not None:
        question["ground_truth_solution"] = one.problem.ground_truth_solution
    if first is None or first.phase != 1:
        question["pre_generated_steps"] = one.pieces
        question["pre_generated_answer"] = one.solution.final_answer
    return {
        "labeler": None if one.rater == UNKNOWN_LABELER else one.rater,
        "timestamp": first.labeled_at if first else None,
        "generation": first.round if first else None,
        "is_quality_control_question": first.is_quality_control if first else None,
        "is_initial_screening_question": first.is_screening if first else None,
        "question": question,
        "label": {
            "steps": _rated_by_people(one.human_labels) if first else _rated_by_source(one),
            "total_time": first.duration_ms if first else None,
            "finish_reason": first.finish_reason if first else None,
        },
    }


def _rated_by_people(labels: Iterable[HumanLabel]) -> list[Row]:
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


def _rated_by_source(one: RatedSolution) -> list[Row]:
    known = [index for index, rating in enumerate(one.ratings) if rating is not None]
    return [
        {
            "completions": [{"text": piece, "rating": rating, "flagged": None}],
            "human_completion": None,
            "chosen_completion": 0,
        }
        for piece, rating in zip(one.pieces[: max(known, default=-1) + 1], one.ratings, strict=False)
    ]
