"""Counting what staged rows of a label file say, and which lines say nothing that is not stored.

Leaves out: what readers count themselves (``stepmark.labeling.importers.common.LabelImport``).
"""

from collections import Counter

import duckdb

from stepmark.labeling.importers.alternatives import SOURCE as ALTERNATIVE
from stepmark.labeling.importers.prm800k import LABEL_SOURCE as HUMAN

from .rows import query

_RATINGS = """
    SELECT phase, coalesce(CAST(rating AS VARCHAR), 'null') AS rating, count(*) AS num
    FROM {rows}_human_labels GROUP BY ALL
"""
_SAID = """
    SELECT
        (SELECT sum(num_steps) FROM {rows}_raters WHERE NOT is_repeated) AS steps,
        (SELECT count(*) FROM {rows}_step_labels) AS step_labels,
        count(*) AS completions,
        count(*) FILTER (WHERE is_human_written) AS human_written,
        count(DISTINCT (solution_id, labeler)) FILTER (WHERE is_quality_control) AS quality_control,
        count(DISTINCT (solution_id, labeler)) FILTER (WHERE is_screening) AS screening
    FROM {rows}_human_labels
"""
# People's step labels repeat their ratings; the rating's own row says who gave it.
_DUPLICATES = f"""
    WITH candidates AS (
        SELECT row, num_lines, solution_id, rater FROM kept_raters WHERE NOT is_repeated AND row NOT IN (
            SELECT row FROM kept_raters ANTI JOIN solutions USING (solution_id) WHERE NOT is_repeated
        )
    ), people AS (
        SELECT solution_id, labeler AS rater, stored.labeler IS NOT NULL AS is_known
        FROM kept_human_labels AS offered SEMI JOIN candidates USING (solution_id)
        LEFT JOIN human_labels AS stored USING (solution_id, step_index, alternative_index, labeler)
    ), machines AS (
        SELECT solution_id, label_source AS rater, stored.label_source IS NOT NULL AS is_known
        FROM kept_step_labels AS offered SEMI JOIN candidates USING (solution_id)
        LEFT JOIN step_labels AS stored USING (solution_id, step_index, label_source)
        WHERE label_source <> '{HUMAN}' OR solution_id NOT IN (SELECT solution_id FROM people)
    ), known AS (
        SELECT solution_id, rater FROM (FROM people UNION ALL FROM machines)
        GROUP BY ALL HAVING bool_and(is_known)
    ), lines AS (
        SELECT row, any_value(num_lines) AS num_lines
        FROM candidates LEFT JOIN (SELECT *, true AS is_known FROM known) USING (solution_id, rater)
        GROUP BY row HAVING bool_and(coalesce(is_known, false))
    )
    SELECT coalesce(sum(num_lines), 0) FROM lines
"""


def count_said(con: duckdb.DuckDBPyConnection, rows: str) -> Counter[str]:
    """What the counts of LabelImport say of the ``staged`` or the ``kept`` rows, lines aside."""
    counts = Counter(
        {
            f"phase_{phase}_rating_{rating}": num
            for phase, rating, num in query(con, _RATINGS.format(rows=rows)).iter_rows()
        }
    )
    said = query(con, _SAID.format(rows=rows)).row(0, named=True)
    return counts + Counter({name: int(num or 0) for name, num in said.items()})


def count_superseded(con: duckdb.DuckDBPyConnection) -> int:
    """The step labels that are not kept because another one of the file came first."""
    return int(query(con, "SELECT count(*) FROM superseded").item())


def count_duplicates(con: duckdb.DuckDBPyConnection) -> int:
    """The kept lines of the file of whose labels not one is new."""
    return int(query(con, _DUPLICATES).item())


def count_alternatives(con: duckdb.DuckDBPyConnection) -> int:
    """The kept alternatives to a step."""
    return int(query(con, f"SELECT count(*) FROM kept_solutions WHERE source = '{ALTERNATIVE}'").item())
