"""Alternatives to a step that people rated differently in other files: none of them is a label.

Leaves out: those rated differently within one file (``stepmark.labeling.importers.alternatives``).
"""

from collections.abc import Collection

import duckdb

from stepmark.labeling.importers.prm800k import LABEL_SOURCE as HUMAN

from .rows import delete, query

_WHITE = "".join(filter(str.isspace, map(chr, range(0x3001))))  # what Python strips
# An alternative's text is the steps before it and itself, one a line.
_DISPUTED = """
    WITH offered AS (
        SELECT solution_id, problem_id, solution, step_index, rating, step
        FROM kept_solutions JOIN kept_labels_of_alternatives USING (solution_id)
        JOIN kept_steps USING (solution_id, step_index)
    ), candidates AS (
        SELECT DISTINCT
            offered.* REPLACE (human_labels.step_index AS step_index), human_labels.solution_id AS parent_id
        FROM offered
        JOIN human_labels ON trim(human_labels.completion, $1) = offered.step
            AND human_labels.rating <> offered.rating
        JOIN solutions AS parents ON parents.solution_id = human_labels.solution_id
            AND parents.problem_id = offered.problem_id
        LEFT JOIN steps AS taken ON taken.solution_id = human_labels.solution_id
            AND taken.step_index = human_labels.step_index
        WHERE taken.step IS DISTINCT FROM offered.step
            AND NOT coalesce(is_quality_control, false) AND NOT coalesce(is_screening, false)
    )
    SELECT candidates.solution_id
    FROM candidates LEFT JOIN steps AS before ON before.solution_id = candidates.parent_id
        AND before.step_index < candidates.step_index
    GROUP BY candidates.solution_id, candidates.solution, candidates.step, candidates.parent_id
    HAVING coalesce(string_agg(before.step, chr(10) ORDER BY before.step_index) || chr(10), '')
        || candidates.step = candidates.solution
    UNION
    -- Also where a stored text is divided otherwise.
    SELECT solution_id
    FROM staged_rated_alternatives AS offered JOIN step_labels AS stored USING (solution_id)
    WHERE stored.rating <> offered.rating
"""


def disputed_alternatives(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The alternatives of a file to which a stored rating of people gives another rating."""
    return set(query(con, _DISPUTED, [_WHITE])["solution_id"])


def drop_labels_of(con: duckdb.DuckDBPyConnection, alternatives: Collection[str]) -> None:
    """Take away the stored labels of people for these alternatives; their ratings stay."""
    if alternatives:
        where = f"label_source = '{HUMAN}' AND solution_id IN (SELECT unnest(?))"
        delete(con, "step_labels", where, [list(alternatives)])
