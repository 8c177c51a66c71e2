"""ProcessBench: the index of the first wrong step, from 0; -1 where every step is right.

Leaves out: everything after the first error, values, neutral ratings (which are no errors), and solutions of
which the first error is not known.
"""

from collections.abc import Iterable, Iterator

from stepmark.labeling.vocabulary import CORRECT, INCORRECT

from .writing import ExportOptions, ExportTally, RatedSolution, Row

_UNKNOWN = "solutions left out: a step without a label stands before their first error"
_ANSWER_IS_RIGHT: dict[str | None, bool] = {CORRECT: True, INCORRECT: False}


def processbench_rows(
    rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """``{"id", "generator", "problem", "steps", "final_answer_correct", "label"}``, the id from the store."""
    for one in rated:
        label = first_error(one.ratings)
        if label is None:
            tally.reasons[_UNKNOWN] += 1
            continue
        yield {
            "id": one.solution.solution_id,
            "generator": one.solution.generator,
            "problem": one.problem.problem,
            "steps": one.pieces,
            "final_answer_correct": _ANSWER_IS_RIGHT.get(one.solution.outcome or ""),
            "label": label,
        }


def first_error(ratings: Iterable[int | None]) -> int | None:
    """The first -1, or -1 where there is none; None where an unknown rating comes before.

    >>> first_error([1, -1, None]), first_error([1, 0]), first_error([1, None, -1])
    (1, -1, None)
    """
    for index, rating in enumerate(ratings):
        if rating is None:
            return None
        if rating == -1:
            return index
    return -1
