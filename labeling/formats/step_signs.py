"""Right or wrong for each step, which is all that TRL, Math-Shepherd and RLHFlow hold.

They end where the labels end: a solution is cut before its first step without a label.
Leaves out: values, and who gave a label.
"""

import re
from collections.abc import Iterator, Sequence

from .chunks import RowReader
from .writing import UNREADABLE, ExportedSolution, ExportOptions, ExportTally, Row, read_back

RATINGS = {"+": 1, "-": -1}
SIGNS = {True: "+", False: "-"}
FIRST_STEP = re.compile(r"\s(?=Step 1:)")
"""Where a text of problem and steps goes over from the one to the others."""

_CUT = "solutions cut before the first step without a label"
_UNLABELED = "solutions left out: their first step has no label"
_NEUTRAL = "neutral ratings written as {}"


def are_right(one: ExportedSolution, options: ExportOptions, tally: ExportTally) -> list[bool]:
    """Right or wrong for the steps up to the first one without a label; what that loses is tallied."""
    ratings = list(one.ratings)
    known = ratings.index(None) if None in ratings else len(ratings)
    if known < len(ratings):
        tally.reasons[_CUT if known else _UNLABELED] += 1
    num_neutral = ratings[:known].count(0)
    if num_neutral:
        tally.reasons[_NEUTRAL.format("right" if options.neutral > 0 else "wrong")] += num_neutral
    return [(rating or options.neutral) > 0 for rating in ratings[:known]]


def row_if_it_reads_back(
    row: Row,
    read_row: RowReader,
    one: ExportedSolution,
    steps: Sequence[str],
    right: Sequence[bool],
    tally: ExportTally,
) -> Iterator[Row]:
    """The row, if its one text comes apart into problem and steps again; none where no step has a label."""
    if not right:
        return
    back = [
        (
            labeled.problem.problem_id,
            [span.step for span in labeled.solution.steps],
            [(label.rating or 0) > 0 for label in labeled.step_labels],
        )
        for labeled in read_back(row, read_row, one.problem.split)
    ]
    if back == [(one.problem.problem_id, list(steps), list(right))]:
        yield row
    else:
        tally.reasons[UNREADABLE] += 1
