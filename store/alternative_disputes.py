"""Alternatives to a step that people rated differently in other files: none of them is a label.

Leaves out: those rated differently within one file (``stepmark.labeling.formats.alternatives``).
"""

from collections.abc import Collection

import duckdb

from stepmark.labeling.vocabulary import HUMAN

from .rows import delete, query

_WHITE = "".join(filter(str.isspace, map(chr, range(0x3001))))  # what Python strips
# An alternative's text is the steps before it and itself, one a line: people may have divided it differently.
_DISPUTED = """
    WITH offered AS (
        SELECT solution_id, problem_id, solution, rating
        FROM kept_solutions JOIN kept_labels_of_alternatives USING (solution_id)
    ), rated AS (
        SELECT problem_id, solution_id AS parent_id, step_index, rating, trim(completion, $1) AS completion
        FROM human_labels JOIN solutions USING (solution_id)
        WHERE problem_id IN (SELECT problem_id FROM offered)
            AND NOT coalesce(is_quality_control, false) AND NOT coalesce(is_screening, false)
    ), candidates AS (
        SELECT DISTINCT offered.solution_id, solution, parent_id, rated.step_index, completion
        FROM offered JOIN rated ON rated.problem_id = offered.problem_id AND rated.rating <> offered.rating
            AND split_part(completion, chr(10), -1) = split_part(solution, chr(10), -1)  -- joins by hash
            AND ends_with(solution, completion)
        LEFT JOIN steps AS taken ON taken.solution_id = parent_id AND taken.step_index = rated.step_index
        WHERE taken.step IS DISTINCT FROM completion
    )
    SELECT candidates.solution_id
    FROM candidates LEFT JOIN steps AS before ON before.solution_id = candidates.parent_id
        AND before.step_index < candidates.step_index
    GROUP BY candidates.solution_id, solution, parent_id, candidates.step_index, completion
    HAVING coalesce(string_agg(before.step, chr(10) ORDER BY before.step_index) || chr(10), '')
        || completion = solution
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
