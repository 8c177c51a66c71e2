"""Solutions read from the store together with their problem and their step spans.

Leaves out: writing; and labels and scores, whose readers join them by solution_id.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stepmark.labeling.steps import StepSpan
from stepmark.store.rows import query
from stepmark.store.store import Store


@dataclass(frozen=True, slots=True)
class SolutionRow:
    """One row per solution; its ``steps`` begin with the one at ``first_step_index``."""

    solution_id: str
    problem_id: str
    problem: str
    ground_truth_answer: str | None
    solution: str
    num_tokens: int | None
    final_answer: str | None
    outcome: str | None
    steps: tuple[StepSpan, ...]
    first_step_index: int = 0


def solution_rows(store: Store, where: str, parameters: Sequence[Any] = ()) -> list[SolutionRow]:
    """The solutions for which ``where`` is true, by problem and sample; those without steps are left out.

    ``where`` sees the columns of ``solutions`` and, as ``problems.x``, those of ``problems``.
    """
    selection = f"FROM solutions JOIN problems USING (problem_id) WHERE {where}"
    solutions = f"""
        SELECT solution_id, problem_id, problem, ground_truth_answer, solution, num_tokens,
            final_answer, outcome
        {selection} ORDER BY problem_id, sample_index, solution_id
    """
    steps = f"""
        SELECT solution_id, step_index, char_start, char_end, step FROM steps
        WHERE solution_id IN (SELECT solution_id {selection}) ORDER BY solution_id, step_index
    """
    with store.transaction(read_only=True) as con:
        solution_frame, step_frame = query(con, solutions, parameters), query(con, steps, parameters)
    spans: dict[str, list[StepSpan]] = defaultdict(list)
    first_index: dict[str, int] = {}
    for solution_id, index, *span in step_frame.iter_rows():
        first_index.setdefault(solution_id, index)
        spans[solution_id].append(StepSpan(*span))
    return [
        SolutionRow(
            **row,
            steps=tuple(spans[row["solution_id"]]),
            first_step_index=first_index[row["solution_id"]],
        )
        for row in solution_frame.iter_rows(named=True)
        if row["solution_id"] in spans
    ]
