"""Plain tables of steps: one row a step and labeler or label source, as CSV, Parquet or JSON Lines.

Columns; the first four are needed, and one of rating, label and value:

- ``problem``: its text; ``solution_id``: whatever tells solutions of a problem apart
- ``step_index``: the step's place, from 0 or 1; ``step``: its text
- ``rating``: -1 wrong, 0 neutral, 1 right, empty where unknown
- ``label``: true or false, + or -, right, neutral or wrong, or a rating
- ``value``: probability, 0 to 1, of ending right
- ``labeler``, where people rate, or ``label_source``, another source ("table" where neither is known)
- the columns of ``estimates.StepEstimate``, ``labeled_at``, ``duration_ms``, ``ground_truth_answer``,
  ``final_answer``, ``outcome``, ``generator``: where known

Rows may come in any order. Where no row of the file has index 0, indexes count from 1. A label of 0 is
neutral in a file that has -1, too; without one it may as well mean wrong, and its rows are refused.
All rows are held in memory, for the last one may belong to the first solution.
Leaves out: columns of other names; the cells that label a step (``table_labels``). Writing leaves out
alternatives to a step, flags and phases, and whose rollouts an estimate rests on.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io.fields import (
    RowError,
    number_text,
    outcome_of,
    shown,
    text_of,
    whole_number,
)
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.formats.io.table_files import NEEDED, read_table
from stepmark.labeling.records import Reject, StepLabel
from stepmark.labeling.vocabulary import HUMAN

from .estimates import ESTIMATE_COLUMNS
from .format import Format, Writer
from .labeler_ratings import own_step_rating
from .reading import LabeledSolution, label_problem, solution_of
from .table_labels import LABELS, TableLabel
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "table"
_MAX_COLUMNS = 20  # that a refusal names
_USED = (
    *NEEDED, *LABELS, *ESTIMATE_COLUMNS, "labeler", "label_source", "labeled_at", "duration_ms",
    "ground_truth_answer", "final_answer", "outcome", "generator",
)  # fmt: skip


class RowOfTableError(RowError):
    """A refused row of a table, which is not the first row of its solution."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def is_table(names: Collection[str]) -> bool:
    """Whether these columns, or keys of an object, are those of a table of steps."""
    return all(name in names for name in NEEDED) and any(name in names for name in LABELS)


def check_columns(path: Path, names: Sequence[str]) -> None:
    """Refuse a CSV or Parquet file with these columns if they are not those of a table of steps.

    Raises:
        InputError: with the columns that are needed, and those that are there.
    """
    if not is_table(names):
        needed = f"{', '.join(NEEDED)} and one of {', '.join(LABELS)}"
        problem = f"a table of steps has the columns {needed}, not {', '.join(names[:_MAX_COLUMNS])}"
        raise InputError.at(path, None, problem, "rename its columns")


def read_solutions(path: Path) -> Iterator[tuple[int, JsonObject | Reject, int]]:
    """What each labeler or source says on each solution, as an object for ``read_row``; and the Rejects.

    With each comes its first line and how many lines it takes.
    """
    groups: dict[tuple[str, ...], list[tuple[int, JsonObject]]] = {}
    texts: dict[str, str] = {}
    has_zero = has_minus_one = False
    for line, item in read_table(path):
        if isinstance(item, Reject):
            yield line, item, 1
            continue
        row = {name: item[name] for name in _USED if item.get(name) is not None}
        if isinstance(row.get("problem"), str):  # one object for equal texts: a problem stands in many rows
            row["problem"] = texts.setdefault(row["problem"], row["problem"])
        has_zero |= whole_number(row.get("step_index")) == 0
        has_minus_one |= whole_number(row.get("label")) == -1
        key = tuple(str(row.get(name)) for name in ("problem", "solution_id", "labeler", "label_source"))
        groups.setdefault(key, []).append((line, row))
    del texts
    base = 0 if has_zero else 1
    for key in list(groups):
        rows = groups.pop(key)
        yield rows[0][0], {"rows": rows, "base": base, "zero_is_neutral": has_minus_one}, len(rows)


def read_row(grouped: JsonObject, split: str) -> list[LabeledSolution]:
    """The rows of ``read_solutions`` as one solution with the labels of one labeler or source.

    Raises:
        RowError: if a step is missing or there twice, or a label is none.
    """
    rows = _in_order(grouped["rows"], grouped["base"])
    steps, labels = [], []
    for line, row in rows:
        try:
            steps.append(text_of(row, "step"))
            labels.append(TableLabel.of(row, zero_is_neutral=grouped["zero_is_neutral"]))
        except RowError as error:
            raise RowOfTableError(line, str(error)) from error
    first = rows[0][1]
    problem = label_problem(
        text_of(first, "problem"), SOURCE, split, number_text(first, "ground_truth_answer")
    )
    solution = solution_of(
        problem,
        SOURCE,
        steps,
        final_answer=number_text(first, "final_answer"),
        outcome=outcome_of(first),
        generator=number_text(first, "generator"),
    )
    labeler = number_text(first, "labeler")
    source = HUMAN if labeler else number_text(first, "label_source") or SOURCE
    key = solution.solution_id
    step_labels = [
        StepLabel(key, index, source, label.rating, label.value, **label.estimate._asdict())
        for index, label in enumerate(labels)
        if label.is_known
    ]
    if labeler is None and not step_labels:
        raise RowError("no row of this solution has a rating, label or value")
    human_labels = [
        own_step_rating(solution, index, step, labeler, label.rating, label.labeled_at, label.duration_ms)
        for index, (step, label) in enumerate(zip(steps, labels, strict=True))
        if labeler
    ]
    return [LabeledSolution(problem, solution, labeler or source, len(steps), human_labels, step_labels)]


def _in_order(rows: list[tuple[int, JsonObject]], base: int) -> list[tuple[int, JsonObject]]:
    """The rows by their index, each once."""
    by_index: dict[int, tuple[int, JsonObject]] = {}
    for line, row in rows:
        for name in ("problem", "solution_id"):
            if row.get(name) is None:
                raise RowOfTableError(line, f"{name} is missing")
        number = whole_number(row.get("step_index"))
        if number is None or number < base:
            raise RowOfTableError(
                line, f"step_index is {shown(row.get('step_index'))}, not a whole number from {base} on"
            )
        if by_index.setdefault(number - base, (line, row))[1] != row:
            raise RowOfTableError(
                line, f"step_index {number} stands in this solution twice, with other values"
            )
    missing = next((index for index in range(len(by_index)) if index not in by_index), None)
    if missing is not None:
        raise RowError(f"the solution has no row of step_index {missing + base}, but later ones")
    return [by_index[index] for index in range(len(by_index))]


# As written; all but the texts of problem and step, their ids, and step_index may be null.
_COLUMNS = {
    "problem_id": str,
    "problem": str,
    "ground_truth_answer": str,
    "solution_id": str,
    "source": str,
    "generator": str,
    "final_answer": str,
    "outcome": str,
    "step_index": int,
    "step": str,
    "label_source": str,
    "labeler": str,
    "rating": int,
    "value": float,
    "num_rollouts": int,
    "num_correct": int,
    "num_truncated": int,
    "num_ungraded": int,
    "value_low": float,
    "value_high": float,
    "p_wrong_low": float,
    "p_wrong_high": float,
    "has_signal": bool,
    "cost_tokens": int,
    "estimator": str,
    "labeled_at": str,
    "duration_ms": int,
}


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """The steps of each solution in order, labeled or not."""
    for one in solutions:
        first = one.human_labels[0] if one.human_labels else None
        shared = {
            "problem_id": one.problem.problem_id,
            "problem": one.problem.problem,
            "ground_truth_answer": one.problem.ground_truth_answer,
            "solution_id": one.solution.solution_id,
            "source": one.solution.source,
            "generator": one.solution.generator,
            "final_answer": one.solution.final_answer,
            "outcome": one.solution.outcome,
            "label_source": one.label_source,
            "labeler": one.labeler,
            "labeled_at": first.labeled_at if first else None,
            "duration_ms": first.duration_ms if first else None,
        }
        for index, (piece, label) in enumerate(zip(one.pieces, one.labels, strict=True)):
            row = shared | {
                "step_index": index,
                "step": piece,
                "rating": one.ratings[index] if first else label and label.rating,
                "value": label and label.value,
                **{name: label and getattr(label, name) for name in ESTIMATE_COLUMNS},
            }
            yield {name: row[name] for name in _COLUMNS}


FORMAT = Format(
    name=SOURCE,
    matches=is_table,
    read_row=read_row,
    read_file=read_solutions,
    writer=Writer(rows=write_rows, columns=_COLUMNS, labelers="beside", holds_sources=True, place=90),
    layouts={"parquet": "parquet", "csv": "csv", "jsonl": "lines"},
    place=110,
)
