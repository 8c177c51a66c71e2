"""The staged rows of a label file that are stored: all, but for what people are not of one mind about.

Of alternatives those go that a stored text divides otherwise, and those that got different ratings; of step
labels those go that come after another person's on the same step. Leaves out: rows that are refused.
"""

from collections.abc import Collection

import duckdb

from stepmark.labeling.vocabulary import HUMAN

from .label_refusals import DIVIDED_OTHERWISE
from .label_stage import PLACE
from .rows import query

KEPT = "kept"
_LEFT_OUT = f"""
    CREATE OR REPLACE TEMP TABLE left_out AS
    SELECT solution_id FROM ({DIVIDED_OTHERWISE.format(view="staged_rated_alternatives")})
"""
_SUPERSEDED = f"""
    CREATE OR REPLACE TEMP TABLE superseded AS
    WITH rated_again AS (
        SELECT solution_id FROM staged_raters WHERE NOT is_repeated GROUP BY solution_id HAVING count(*) > 1
    )
    SELECT staged_file, staged_row FROM staged_step_labels SEMI JOIN rated_again USING (solution_id)
    QUALIFY row_number() OVER (PARTITION BY solution_id, step_index, label_source ORDER BY {PLACE}) > 1
"""
_WITHOUT_LEFT_OUT = "ANTI JOIN left_out USING (solution_id)"
_KEPT = {
    "solutions": _WITHOUT_LEFT_OUT,
    "steps": _WITHOUT_LEFT_OUT,
    "rated_alternatives": _WITHOUT_LEFT_OUT,
    "step_labels": f"ANTI JOIN superseded USING ({PLACE})",
    "human_labels": "",
}
_LABELS_OF_ALTERNATIVES = f"""
    CREATE OR REPLACE TEMP VIEW {KEPT}_labels_of_alternatives AS
    SELECT
        solution_id, step_index, '{HUMAN}' AS label_source, arg_min(rating, row) AS rating,
        any_value(source_file) AS source_file, arg_min(source_line, row) AS source_line,
        any_value(code_version) AS code_version
    FROM {KEPT}_rated_alternatives SEMI JOIN {KEPT}_steps USING (solution_id, step_index)
    GROUP BY solution_id, step_index
"""


def make_kept_views(con: duckdb.DuckDBPyConnection) -> None:
    """Let SQL see ``kept_solutions`` and so on, and ``kept_labels_of_alternatives``, the step labels that
    people's ratings of alternatives make; until ``drop_kept_views``.
    """
    for statement in (_LEFT_OUT, _SUPERSEDED):
        con.execute(statement)
    for table, without in _KEPT.items():
        con.execute(
            f"CREATE OR REPLACE TEMP VIEW {KEPT}_{table} AS "
            f"SELECT staged.* FROM staged_{table} AS staged {without}"
        )
    con.execute(_LABELS_OF_ALTERNATIVES)


def drop_kept_views(con: duckdb.DuckDBPyConnection) -> None:
    """Drop the views of ``make_kept_views`` and what is behind them."""
    for view in (*_KEPT, "labels_of_alternatives"):
        con.execute(f"DROP VIEW {KEPT}_{view}")
    for table in ("left_out", "superseded"):
        con.execute(f"DROP TABLE {table}")


def conflicting_alternatives(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The kept alternatives to which rows of the file give different ratings."""
    sql = f"SELECT solution_id FROM {KEPT}_rated_alternatives GROUP BY 1 HAVING min(rating) <> max(rating)"
    return set(query(con, sql)["solution_id"])


def leave_out(con: duckdb.DuckDBPyConnection, alternatives: Collection[str]) -> None:
    """Take these alternatives out of what is kept."""
    if alternatives:
        con.execute("INSERT INTO left_out SELECT unnest(?)", [list(alternatives)])
