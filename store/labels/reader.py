"""Reading labels back, a solution and author of its labels at a time, as exporters take them.

Leaves out: the formats (``stepmark.labeling.formats``); alternatives beside a path, which are part of the
ratings of people and of no other label source.
"""

from collections.abc import Iterator
from typing import Any

import duckdb

from stepmark.labeling.formats.reading import ImportedSolution
from stepmark.labeling.formats.writing import ExportedSolution
from stepmark.labeling.records import HumanLabel, Problem, StepLabel
from stepmark.labeling.steps import StepSpan
from stepmark.labeling.vocabulary import ALTERNATIVE, HUMAN
from stepmark.store.rows import query

_BATCH_ROWS = 1000
_LABEL_FIELDS = StepLabel._fields[3:]
_HUMAN_FIELDS = HumanLabel._fields[1:-1]
_SOLUTION = """
    problem_id, problems.source AS problem_source, split, problem,
    ground_truth_solution, ground_truth_answer,
    solutions.source AS solution_source, generator_id, solution, solutions.finish_reason, final_answer,
    outcome, spans, solutions.rowid AS solution_place
"""
_WHOLE = """
    JOIN solutions USING (solution_id) JOIN problems USING (problem_id)
    JOIN (
        SELECT solution_id, list([char_start, char_end] ORDER BY step_index) AS spans
        FROM steps SEMI JOIN labeled USING (solution_id) GROUP BY solution_id
    ) USING (solution_id)
"""
_ORDER = "ORDER BY {by_problem} solutions.rowid, place"
_BY_PROBLEM = "min(solutions.rowid) OVER (PARTITION BY problem_id),"


def label_sources(con: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How many solutions each label source labeled; people who only rated, too, count as the source human."""
    rows = query(
        con,
        f"""
        SELECT label_source, count(DISTINCT solution_id) AS num_solutions FROM (
            SELECT label_source, solution_id FROM step_labels JOIN solutions USING (solution_id)
            WHERE source <> '{ALTERNATIVE}'
            UNION ALL SELECT '{HUMAN}', solution_id FROM human_labels
        ) GROUP BY label_source ORDER BY label_source
        """,
    )
    return dict(rows.iter_rows())


def count_alternatives(con: duckdb.DuckDBPyConnection, label_source: str | None) -> int:
    """How many alternatives to a step a label source, or all of them, labeled."""
    sql = f"""
        SELECT count(*) FROM step_labels JOIN solutions USING (solution_id)
        WHERE source = '{ALTERNATIVE}' AND ($1::VARCHAR IS NULL OR label_source = $1::VARCHAR)
    """
    return int(query(con, sql, [label_source]).item())


def count_tests_of_labelers(con: duckdb.DuckDBPyConnection) -> int:
    """How many solutions people rated in quality-control and screening questions alone."""
    sql = """
        SELECT count(*) FROM (
            SELECT solution_id FROM human_labels GROUP BY solution_id
            HAVING bool_and(coalesce(is_quality_control, false) OR coalesce(is_screening, false))
        )
    """
    return int(query(con, sql).item())


def read_labels(
    con: duckdb.DuckDBPyConnection,
    label_source: str | None,
    *,
    is_by_problem: bool = False,
    without_human_labels: bool = False,
) -> Iterator[ExportedSolution]:
    """The labels of one label source, or of all, on each solution, in the order solutions were stored.

    With ``without_human_labels``, solutions that people rated are left out of the source human: see
    ``read_human_labels``. The connection holds one result at a time; read to the end before the next query.
    """
    fields = ", ".join(f"{name} := step_labels.{name}" for name in ("step_index", *_LABEL_FIELDS))
    sql = f"""
        WITH labeled AS (
            SELECT solution_id, label_source, min(step_labels.rowid) AS place, list(struct_pack(
                {fields}, hard := hard_labels.rating, soft := soft_labels.value
            ) ORDER BY step_index) AS labels
            FROM step_labels
            JOIN hard_labels USING (solution_id, step_index, label_source)
            JOIN soft_labels USING (solution_id, step_index, label_source)
            WHERE $1::VARCHAR IS NULL OR label_source = $1::VARCHAR
            GROUP BY solution_id, label_source
        )
        SELECT solution_id, label_source, labels, {_SOLUTION}
        FROM labeled {_WHOLE}
        WHERE solutions.source <> '{ALTERNATIVE}' AND NOT (
            $2::BOOLEAN AND label_source = '{HUMAN}' AND solution_id IN (SELECT solution_id FROM human_labels)
        )
        {_ORDER.format(by_problem=_BY_PROBLEM if is_by_problem else "")}
    """
    for row in _stream(con, sql, [label_source, without_human_labels]):
        yield _rated_by_source(row)


def read_human_labels(
    con: duckdb.DuckDBPyConnection, *, with_tests_of_labelers: bool
) -> Iterator[ExportedSolution]:
    """How each labeler rated each solution; as ``read_labels``, and with every alternative.

    The ``labels`` are the step labels that came with a labeler's ratings and say more: a value or counts.
    """
    fields = ", ".join(f"{name} := {name}" for name in _HUMAN_FIELDS)
    more = ", ".join(f"{name} := step_labels.{name}" for name in ("step_index", *_LABEL_FIELDS))
    sql = f"""
        WITH labeled AS (
            SELECT solution_id, labeler, min(rowid) AS place,
                any_value(source_file) AS source_file, any_value(source_line) AS source_line,
                list(struct_pack({fields}) ORDER BY step_index, alternative_index) AS labels
            FROM human_labels
            WHERE $1::BOOLEAN OR NOT (coalesce(is_quality_control, false) OR coalesce(is_screening, false))
            GROUP BY solution_id, labeler
        ), valued AS (
            SELECT solution_id, source_file, source_line, list(struct_pack({more})) AS step_labels
            FROM step_labels
            WHERE label_source = '{HUMAN}' AND (value IS NOT NULL OR num_rollouts IS NOT NULL)
            GROUP BY solution_id, source_file, source_line
        )
        SELECT solution_id, labels, step_labels, {_SOLUTION}
        FROM labeled LEFT JOIN valued USING (solution_id, source_file, source_line) {_WHOLE}
        {_ORDER.format(by_problem="")}
    """
    for row in _stream(con, sql, [with_tests_of_labelers]):
        yield _rated_by_labeler(row)


def _stream(con: duckdb.DuckDBPyConnection, sql: str, params: list[Any]) -> Iterator[dict[str, Any]]:
    with con.sql(sql, params=params).to_arrow_reader(_BATCH_ROWS) as reader:
        for batch in reader:
            yield from batch.to_pylist()


def _problem_and_solution(row: dict[str, Any]) -> tuple[Problem, ImportedSolution]:
    problem = Problem(
        row["problem_id"], row["problem_source"], row["split"], None, None, row["problem"],
        row["ground_truth_solution"], row["ground_truth_answer"],
    )  # fmt: skip
    text = row["solution"]
    spans = tuple(StepSpan(start, end, text[start:end].strip()) for start, end in row["spans"])
    solution = ImportedSolution(
        row["solution_id"], row["problem_id"], row["solution_source"], text, spans,
        row["finish_reason"], row["final_answer"], row["outcome"], row["generator_id"],
    )  # fmt: skip
    return problem, solution


def _rated_by_source(row: dict[str, Any]) -> ExportedSolution:
    problem, solution = _problem_and_solution(row)
    source = row["label_source"]
    labels: list[StepLabel | None] = [None] * len(solution.steps)
    ratings: list[int | None] = [None] * len(solution.steps)
    values: list[float | None] = [None] * len(solution.steps)
    for label in row["labels"]:
        index = label["step_index"]
        if index < len(labels):
            labels[index] = _step_label(solution.solution_id, source, label)
            ratings[index], values[index] = label["hard"], label["soft"]
    return ExportedSolution(problem, solution, source, labels, ratings, values, place=row["solution_place"])


def _rated_by_labeler(row: dict[str, Any]) -> ExportedSolution:
    problem, solution = _problem_and_solution(row)
    human = [_human_label(solution.solution_id, label) for label in row["labels"]]
    ratings: list[int | None] = [None] * len(solution.steps)
    # As in the view labeler_first_errors: of equal texts the chosen one counts, then the first.
    for label in sorted(human, key=lambda one: (bool(one.chosen), -one.alternative_index)):
        index = label.step_index
        if index < len(ratings) and label.completion.strip() == solution.steps[index].step:
            ratings[index] = label.rating
    labels: list[StepLabel | None] = [None] * len(ratings)
    for valued in row["step_labels"] or []:
        if valued["step_index"] < len(labels):
            labels[valued["step_index"]] = _step_label(solution.solution_id, HUMAN, valued)
    return ExportedSolution(
        problem, solution, HUMAN, labels, ratings, [None] * len(ratings),
        labeler=human[0].labeler, human_labels=human, place=row["solution_place"],
    )  # fmt: skip


def _step_label(solution_id: str, source: str, label: dict[str, Any]) -> StepLabel:
    return StepLabel(solution_id, label["step_index"], source, *(label[name] for name in _LABEL_FIELDS))


def _human_label(solution_id: str, label: dict[str, Any]) -> HumanLabel:
    time = label.pop("labeled_at")
    return HumanLabel(solution_id, labeled_at=time and time.isoformat(), **label)
