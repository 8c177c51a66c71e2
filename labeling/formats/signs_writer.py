"""The formats that say right or wrong of every step: TRL, Math-Shepherd and RLHFlow.

They end where the labels end: a solution is cut before its first step without a label. Math-Shepherd and
RLHFlow hold problem and steps in one text; every row is read back before it goes out, and left out where it
would not come back as it is. Leaves out: values, and who gave a label.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from stepmark.labeling.formats.io.fields import RowError

from . import math_shepherd, rlhflow
from .reading import LabeledSolution
from .writing import UNREADABLE, ExportOptions, ExportTally, RatedSolution, Row, signs_of

_SIGNS = {True: "+", False: "-"}


def trl_rows(rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally) -> Iterator[Row]:
    """``{"prompt", "completions", "labels"}``; completions joined by newlines are the solution's start."""
    for one in rated:
        signs = signs_of(one, options, tally)
        if signs:
            yield {"prompt": one.problem.problem, "completions": one.pieces[: len(signs)], "labels": signs}


def math_shepherd_rows(
    rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """``{"input", "label", "task"}``; a step that does not begin with its number, "Step 2:", gets it."""
    for one in rated:
        signs = signs_of(one, options, tally)
        steps = [_numbered(step, number) for number, step in enumerate(one.steps[: len(signs)], start=1)]
        row = {
            "input": _one_text(one, steps, [math_shepherd.TAG] * len(steps)),
            "label": _one_text(one, steps, [_SIGNS[sign] for sign in signs]),
            "task": one.problem.source,
        }
        yield from _if_it_reads_back(row, math_shepherd.read_row, one, steps, signs, tally)


def _numbered(step: str, number: int) -> str:
    return step if step.startswith(f"Step {number}:") else f"Step {number}: {step}"


def _one_text(one: RatedSolution, steps: Sequence[str], marks: Sequence[str]) -> str:
    return (
        one.problem.problem
        + " "
        + "\n".join(f"{step} {mark}" for step, mark in zip(steps, marks, strict=True))
    )


def rlhflow_rows(rated: Iterable[RatedSolution], options: ExportOptions, tally: ExportTally) -> Iterator[Row]:
    """``{"messages", "problem"}``; the problem stands by itself, too: nothing else parts it from step 1."""
    read_row = rlhflow.row_reader()
    for one in rated:
        signs = signs_of(one, options, tally)
        steps = one.steps[: len(signs)]
        messages = []
        for index, (step, sign) in enumerate(zip(steps, signs, strict=True)):
            content = step if index else f"{one.problem.problem} {step}"
            messages.append({"role": "user", "content": content})
            messages.append({"role": "assistant", "content": _SIGNS[sign]})
        row = {"messages": messages, "problem": one.problem.problem}
        yield from _if_it_reads_back(row, read_row, one, steps, signs, tally)


def _if_it_reads_back(
    row: Row,
    read_row: Callable[[Row, str], list[LabeledSolution]],
    one: RatedSolution,
    steps: Sequence[str],
    signs: Sequence[bool],
    tally: ExportTally,
) -> Iterator[Row]:
    if not signs:
        return
    try:
        [back] = read_row(row, one.problem.split)
    except RowError:
        tally.reasons[UNREADABLE] += 1
        return
    is_same = (
        back.problem.problem_id == one.problem.problem_id
        and [span.step for span in back.solution.steps] == list(steps)
        and [(label.rating or 0) > 0 for label in back.step_labels] == list(signs)
    )
    if is_same:
        yield row
    else:
        tally.reasons[UNREADABLE] += 1
