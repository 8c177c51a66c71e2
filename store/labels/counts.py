"""Counting what a file offers: alternatives that have a label, and lines that say nothing that is not stored.

Leaves out: what readers count themselves (``stepmark.labeling.formats.reading.LabelImport``).
"""

import duckdb

from stepmark.labeling.vocabulary import ALTERNATIVE, HUMAN
from stepmark.store.rows import query

# People's step labels repeat their ratings; the rating's own row says who gave it.
_DUPLICATES = f"""
    WITH candidates AS (
        SELECT row, num_lines, solution_id, label_author, is_labeler
        FROM offered_labeled_lines WHERE NOT is_repeated AND row NOT IN (
            SELECT row FROM offered_labeled_lines ANTI JOIN solutions USING (solution_id)
            WHERE NOT is_repeated
        )
    ), by_labelers AS (
        SELECT solution_id, labeler AS label_author, true AS is_labeler,
            stored.labeler IS NOT NULL AS is_known
        FROM offered_human_labels AS offered SEMI JOIN candidates USING (solution_id)
        LEFT JOIN human_labels AS stored USING (solution_id, step_index, alternative_index, labeler)
    ), by_sources AS (
        SELECT solution_id, label_source AS label_author, false AS is_labeler,
            stored.label_source IS NOT NULL AS is_known
        FROM offered_step_labels AS offered SEMI JOIN candidates USING (solution_id)
        LEFT JOIN step_labels AS stored USING (solution_id, step_index, label_source)
        WHERE label_source <> '{HUMAN}' OR solution_id NOT IN (SELECT solution_id FROM by_labelers)
    ), known AS (
        SELECT solution_id, label_author, is_labeler FROM (FROM by_labelers UNION ALL FROM by_sources)
        GROUP BY ALL HAVING bool_and(is_known)
    ), lines AS (
        SELECT row, any_value(num_lines) AS num_lines
        FROM candidates
        LEFT JOIN (SELECT *, true AS is_known FROM known) USING (solution_id, label_author, is_labeler)
        GROUP BY row HAVING bool_and(coalesce(is_known, false))
    )
    SELECT coalesce(sum(num_lines), 0) FROM lines
"""


def count_duplicates(con: duckdb.DuckDBPyConnection) -> int:
    """The lines of the file of whose labels not one is new, earlier lines of the file aside."""
    return int(query(con, _DUPLICATES).item())


def count_alternatives(con: duckdb.DuckDBPyConnection) -> int:
    """The alternatives to a step that are not left out."""
    return int(query(con, f"SELECT count(*) FROM offered_solutions WHERE source = '{ALTERNATIVE}'").item())
