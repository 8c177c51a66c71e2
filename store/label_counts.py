"""Counting the staged rows of a label file: what is kept, and which lines say nothing that is not stored.

Leaves out: what readers count themselves (``stepmark.labeling.formats.reading.LabelImport``).
"""

import duckdb

from stepmark.labeling.vocabulary import ALTERNATIVE, HUMAN

from .rows import query

# People's step labels repeat their ratings; the rating's own row says who gave it.
_DUPLICATES = f"""
    WITH candidates AS (
        SELECT row, num_lines, solution_id, rater, is_person
        FROM staged_raters WHERE NOT is_repeated AND row NOT IN (
            SELECT row FROM staged_raters ANTI JOIN solutions USING (solution_id) WHERE NOT is_repeated
        )
    ), people AS (
        SELECT solution_id, labeler AS rater, true AS is_person, stored.labeler IS NOT NULL AS is_known
        FROM staged_human_labels AS offered SEMI JOIN candidates USING (solution_id)
        LEFT JOIN human_labels AS stored USING (solution_id, step_index, alternative_index, labeler)
    ), machines AS (
        SELECT solution_id, label_source AS rater, false AS is_person,
            stored.label_source IS NOT NULL AS is_known
        FROM staged_step_labels AS offered SEMI JOIN candidates USING (solution_id)
        LEFT JOIN step_labels AS stored USING (solution_id, step_index, label_source)
        WHERE label_source <> '{HUMAN}' OR solution_id NOT IN (SELECT solution_id FROM people)
    ), known AS (
        SELECT solution_id, rater, is_person FROM (FROM people UNION ALL FROM machines)
        GROUP BY ALL HAVING bool_and(is_known)
    ), lines AS (
        SELECT row, any_value(num_lines) AS num_lines
        FROM candidates
        LEFT JOIN (SELECT *, true AS is_known FROM known) USING (solution_id, rater, is_person)
        GROUP BY row HAVING bool_and(coalesce(is_known, false))
    )
    SELECT coalesce(sum(num_lines), 0) FROM lines
"""


def count_duplicates(con: duckdb.DuckDBPyConnection) -> int:
    """The lines of the file of whose labels not one is new, earlier lines of the file aside."""
    return int(query(con, _DUPLICATES).item())


def count_superseded(con: duckdb.DuckDBPyConnection) -> int:
    """The step labels that are not kept because another one of the file came first."""
    return int(query(con, "SELECT count(*) FROM superseded").item())


def count_alternatives(con: duckdb.DuckDBPyConnection) -> int:
    """The kept alternatives to a step."""
    return int(query(con, f"SELECT count(*) FROM kept_solutions WHERE source = '{ALTERNATIVE}'").item())
