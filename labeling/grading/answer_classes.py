"""Which answers to one problem are the same answer, as a majority vote counts them.

Leaves out: the vote.
"""

from collections.abc import Sequence

from stepmark.labeling.vocabulary import EQUAL

from .equivalence import spelling_of
from .grader import Grader


def equivalence_classes(answers: Sequence[str | None], grader: Grader) -> list[int | None]:
    """The class of each answer of one problem, numbered from 0 in order of appearance; None has no content.

    Answers spelled alike share a class without being graded; of the others each is graded against the first
    answer of every class. Answers the grader runs out of time on stay apart.
    """
    spellings = [spelling_of(answer) if answer is not None else None for answer in answers]
    answer_by_spelling: dict[str, str] = {}
    for spelling, answer in zip(spellings, answers, strict=True):
        if spelling is not None and answer is not None:
            answer_by_spelling.setdefault(spelling, answer)
    class_of: dict[str, int] = {}
    num_classes = 0
    while unassigned := [spelling for spelling in answer_by_spelling if spelling not in class_of]:
        first, *others = unassigned
        class_of[first] = num_classes
        verdicts = grader.grade([(answer_by_spelling[first], answer_by_spelling[other]) for other in others])
        for other, verdict in zip(others, verdicts, strict=True):
            if verdict == EQUAL:
                class_of[other] = num_classes
        num_classes += 1
    return [None if spelling is None else class_of[spelling] for spelling in spellings]
