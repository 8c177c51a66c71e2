r"""OmegaPRM's lists of prefixes with their values: a row a problem, all its solutions in one tree.

Where the tree would not come back as the same solutions with the same values (one solution is the beginning
of another, or two value one prefix differently), each solution gets a row of its own.
Leaves out: ratings (a step without a value gets the one that its rating stands for), counts, intervals.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from stepmark.labeling.formats.io.fields import RowError

from .omegaprm import read_row
from .writing import UNREADABLE, ExportOptions, ExportTally, RatedSolution, Row

_NO_VALUE = "solutions left out: no step has a value"
_Chain = list[tuple[str, float | None]]


def omegaprm_rows(
    rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """``{"question", "final_answer", "reasoning_steps"}``; ``rated`` comes problem by problem."""
    for _, of_problem in groupby(rated, key=lambda one: one.problem.problem_id):
        solutions = []
        for one in of_problem:
            if any(value is not None for value in one.values):
                solutions.append(one)
            else:
                tally.reasons[_NO_VALUE] += 1
        if not solutions:
            continue
        tree = _row(solutions)
        if _reads_back(tree, solutions):
            yield tree
            continue
        for one in solutions:
            alone = _row([one])
            if _reads_back(alone, [one]):
                yield alone
            else:
                tally.reasons[UNREADABLE] += 1


def _chain(one: RatedSolution) -> _Chain:
    prefix, chain = one.problem.problem.strip(), []
    for step, value in zip(one.steps, one.values, strict=True):
        prefix += "\n\n" + step
        chain.append((prefix, value))
    return chain


def _row(solutions: Sequence[RatedSolution]) -> Row:
    nodes = dict.fromkeys(node for one in solutions for node in _chain(one))
    return {
        "question": solutions[0].problem.problem,
        "final_answer": solutions[0].problem.ground_truth_answer,
        "reasoning_steps": [{"solution_prefix": prefix, "mc_value": value} for prefix, value in nodes],
    }


def _reads_back(row: Row, solutions: Sequence[RatedSolution]) -> bool:
    try:
        back = read_row(row, solutions[0].problem.split)
    except RowError:
        return False
    read = {
        (
            tuple(span.step for span in one.solution.steps),
            tuple((label.step_index, label.value) for label in one.step_labels),
        )
        for one in back
    }
    return read == {
        (
            tuple(one.steps),
            tuple((index, value) for index, value in enumerate(one.values) if value is not None),
        )
        for one in solutions
    }
