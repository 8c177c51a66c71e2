"""Rows of a label file that do not go with what is stored: they are refused whole, as within one file.

Of a refused row nothing stays, neither its alternatives to a step nor a problem that no other row brings.
Leaves out: rows that do not go with an earlier one of their file (``stepmark.labeling.importers.chunks``).
"""

from collections.abc import Collection
from dataclasses import dataclass

import duckdb

from stepmark.labeling.importers.prm800k import LABEL_SOURCE as HUMAN

from .label_stage import PLACE
from .rows import query

KEPT = "kept"
_MISFIT = "this text is stored with other steps, so its labels belong to none of them; the stored steps stay"
_MISFITS = """
    CREATE OR REPLACE TEMP TABLE misfits AS
    WITH stored AS (
        SELECT solution_id, list(row(step_index, char_start, char_end) ORDER BY step_index) AS spans
        FROM steps SEMI JOIN staged_steps USING (solution_id) GROUP BY solution_id
    ), offered AS (
        SELECT solution_id, list(row(step_index, char_start, char_end) ORDER BY step_index) AS spans
        FROM staged_steps SEMI JOIN stored USING (solution_id) GROUP BY solution_id
    )
    SELECT solution_id FROM stored JOIN offered USING (solution_id) WHERE stored.spans <> offered.spans
"""
# What a rater said on a solution: the same columns of what is stored and of what the file offers.
_SAID_BY_PEOPLE = "solution_id, labeler AS rater, step_index, alternative_index, completion, rating"
_SAID_BY_OTHERS = (
    "solution_id, label_source AS rater, step_index, rating, value, "
    "num_rollouts, num_correct, num_truncated, num_ungraded"
)
# People's step labels are whoever's came first: the ratings themselves say who gave them.
_OF_OTHERS = f"""
    SEMI JOIN staged_raters AS raters
        ON raters.solution_id = offered.solution_id AND raters.rater = offered.label_source
    WHERE label_source <> '{HUMAN}'
        OR offered.solution_id NOT IN (SELECT solution_id FROM staged_human_labels)
"""
_RATED_BY_PEOPLE = f"label_source = '{HUMAN}' AND solution_id IN (SELECT solution_id FROM human_labels)"
_DIFFERING = """
    WITH offered AS (
        SELECT {said} FROM staged_{table} AS offered {of_offered}
    ), stored AS (
        SELECT {said}, source_file, source_line FROM {table}
        WHERE {of_stored} AND solution_id IN (SELECT solution_id FROM staged_{table})
    ), known AS (
        SELECT * EXCLUDE (source_file, source_line) FROM stored SEMI JOIN offered USING (solution_id, rater)
    ), again AS (
        SELECT * FROM offered SEMI JOIN stored USING (solution_id, rater)
    ), differing AS (
        (FROM known EXCEPT FROM again) UNION (FROM again EXCEPT FROM known)
    )
    SELECT solution_id, rater, arg_min(source_file, step_index) AS file, min(source_line) AS line
    FROM stored SEMI JOIN differing USING (solution_id, rater) GROUP BY ALL
"""
_DIFFERING_PEOPLE = _DIFFERING.format(
    said=_SAID_BY_PEOPLE, table="human_labels", of_offered="", of_stored="true"
)
_DIFFERING_OTHERS = _DIFFERING.format(
    said=_SAID_BY_OTHERS, table="step_labels", of_offered=_OF_OTHERS, of_stored=f"NOT ({_RATED_BY_PEOPLE})"
)
_REFUSED = f"""
    CREATE OR REPLACE TEMP TABLE refused_rows AS
    WITH differing AS (({_DIFFERING_PEOPLE}) UNION ALL ({_DIFFERING_OTHERS}))
    SELECT DISTINCT ON (raters.row)
        raters.row, raters.line, raters.num_lines, raters.solution_id, raters.rater,
        misfits.solution_id IS NOT NULL AS is_misfit, differing.file, differing.line AS file_line
    FROM staged_raters AS raters
    LEFT JOIN misfits USING (solution_id)
    LEFT JOIN differing ON differing.solution_id = raters.solution_id AND differing.rater = raters.rater
    WHERE misfits.solution_id IS NOT NULL OR differing.rater IS NOT NULL
    ORDER BY raters.row, {PLACE}
"""
# What goes with the refused rows: what no other row brings.
_GONE = """
    CREATE OR REPLACE TEMP TABLE going AS
    SELECT solution_id, rater, line, row FROM staged_raters SEMI JOIN refused_rows USING (row)
    UNION ALL
    SELECT solution_id, NULL, NULL, row FROM staged_rated_alternatives SEMI JOIN refused_rows USING (row);

    CREATE OR REPLACE TEMP TABLE staying AS
    SELECT solution_id, rater FROM staged_raters ANTI JOIN refused_rows USING (row)
    UNION ALL
    SELECT solution_id, NULL FROM staged_rated_alternatives ANTI JOIN refused_rows USING (row);

    CREATE OR REPLACE TEMP TABLE gone_solutions AS
    SELECT solution_id FROM going ANTI JOIN staying USING (solution_id)
    UNION
    SELECT solution_id FROM staged_rated_alternatives SEMI JOIN misfits USING (solution_id);

    CREATE OR REPLACE TEMP TABLE gone_problems AS
    SELECT problem_id FROM staged_solutions SEMI JOIN going USING (solution_id)
    EXCEPT
    SELECT problem_id FROM staged_solutions SEMI JOIN staying USING (solution_id);

    CREATE OR REPLACE TEMP TABLE gone_labels AS
    SELECT solution_id, rater, arg_min(line, row) AS source_line
    FROM going ANTI JOIN staying USING (solution_id, rater) WHERE rater IS NOT NULL GROUP BY ALL
"""
_OF_KEPT_SOLUTIONS = "ANTI JOIN gone_solutions USING (solution_id)"
_KEPT = {
    "problems": "ANTI JOIN gone_problems USING (problem_id)",
    "solutions": _OF_KEPT_SOLUTIONS,
    "steps": _OF_KEPT_SOLUTIONS,
    "human_labels": f"""{_OF_KEPT_SOLUTIONS} ANTI JOIN gone_labels AS gone
        ON gone.solution_id = staged.solution_id AND gone.rater = staged.labeler
            AND gone.source_line = staged.source_line""",
    "step_labels": f"""{_OF_KEPT_SOLUTIONS} ANTI JOIN gone_labels AS gone
        ON gone.solution_id = staged.solution_id AND gone.source_line = staged.source_line
            AND (staged.label_source = '{HUMAN}' OR gone.rater = staged.label_source)""",
    "raters": "ANTI JOIN refused_rows USING (row)",
    "rated_alternatives": f"{_OF_KEPT_SOLUTIONS} ANTI JOIN refused_rows USING (row)",
}
# Where several people rated one solution, the first kept label of a step is the one.
_SUPERSEDED = f"""
    CREATE OR REPLACE TEMP TABLE superseded AS
    WITH rated_again AS (
        SELECT solution_id FROM staged_raters WHERE NOT is_repeated GROUP BY solution_id HAVING count(*) > 1
    )
    SELECT staged_file, staged_row
    FROM staged_step_labels AS staged SEMI JOIN rated_again USING (solution_id) {_KEPT["step_labels"]}
    QUALIFY row_number() OVER (PARTITION BY solution_id, step_index, label_source ORDER BY {PLACE}) > 1
"""
_KEPT["step_labels"] += f" ANTI JOIN superseded USING ({PLACE})"
_LABELS_OF_ALTERNATIVES = f"""
    CREATE OR REPLACE TEMP VIEW {KEPT}_labels_of_alternatives AS
    SELECT
        solution_id, step_index, '{HUMAN}' AS label_source, arg_min(rating, row) AS rating,
        any_value(source_file) AS source_file, arg_min(source_line, row) AS source_line,
        any_value(code_version) AS code_version
    FROM {KEPT}_rated_alternatives SEMI JOIN {KEPT}_steps USING (solution_id, step_index)
    GROUP BY solution_id, step_index
"""
_TEMPORARY = (
    "misfits",
    "refused_rows",
    "going",
    "staying",
    "gone_solutions",
    "gone_problems",
    "gone_labels",
    "superseded",
)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that begins at ``line`` and takes ``num_lines``; ``reason`` is about its solution, whose text is
    ``solution``.
    """

    line: int
    num_lines: int
    reason: str
    solution: str


def find_refusals(con: duckdb.DuckDBPyConnection) -> list[RefusedRow]:
    """What is refused of the staged rows of a whole file, before any of it is stored, by line.

    Afterwards ``kept_problems`` and so on are the staged views without what goes, and
    ``kept_labels_of_alternatives`` the step labels that people's ratings of alternatives make; they are there
    until ``forget_refusals``.
    """
    for statement in (_MISFITS, _REFUSED, _GONE, _SUPERSEDED):
        con.execute(statement)
    for table, without in _KEPT.items():
        con.execute(
            f"CREATE OR REPLACE TEMP VIEW {KEPT}_{table} AS "
            f"SELECT staged.* FROM staged_{table} AS staged {without}"
        )
    con.execute(_LABELS_OF_ALTERNATIVES)
    rows = query(
        con,
        """
        SELECT line, num_lines, rater, is_misfit, file, file_line, solution
        FROM refused_rows LEFT JOIN staged_solutions USING (solution_id) ORDER BY row
        """,
    )
    return [
        RefusedRow(
            row["line"],
            row["num_lines"],
            _MISFIT if row["is_misfit"] else _differently(row["rater"], row["file"], row["file_line"]),
            row["solution"] or "",
        )
        for row in rows.iter_rows(named=True)
    ]


def conflicting_alternatives(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The kept alternatives to which kept rows give different ratings."""
    sql = f"SELECT solution_id FROM {KEPT}_rated_alternatives GROUP BY 1 HAVING min(rating) <> max(rating)"
    return set(query(con, sql)["solution_id"])


def leave_out(con: duckdb.DuckDBPyConnection, solution_ids: Collection[str]) -> None:
    """Take more solutions, with their steps and labels, out of what is kept."""
    if solution_ids:
        con.execute("INSERT INTO gone_solutions SELECT unnest(?)", [list(solution_ids)])


def forget_refusals(con: duckdb.DuckDBPyConnection) -> None:
    """Drop the views and temporary tables of ``find_refusals``."""
    for view in (*_KEPT, "labels_of_alternatives"):
        con.execute(f"DROP VIEW {KEPT}_{view}")
    for table in _TEMPORARY:
        con.execute(f"DROP TABLE {table}")


def _differently(rater: str, file: str | None, line: int | None) -> str:
    place = f"line {line} of {file}" if file and line else file or "what is stored"
    return f"{rater} rated this solution differently in {place}; the first rating stays"
