"""Alternatives to a step: which of those a file offers are left out, and the labels of the others.

One that a stored text divides otherwise is left out, for a text has one set of steps; and one that people
rate differently, in the file or beside an earlier one, for then it has no label. Leaves out: making them of
a file's ratings (``stepmark.labeling.formats.alternatives``).
"""

from collections.abc import Collection

import duckdb

from stepmark.labeling.vocabulary import HUMAN
from stepmark.store.rows import Params, delete, query

from .contradictions import divided_otherwise
from .offered import LEFT_OUT_ALTERNATIVES

LABELS_OF_ALTERNATIVES = f"""
    SELECT
        solution_id, step_index, '{HUMAN}' AS label_source, arg_min(rating, row) AS rating,
        any_value(source_file) AS source_file, arg_min(source_line, row) AS source_line,
        any_value(code_version) AS code_version
    FROM offered_rated_alternatives SEMI JOIN offered_steps USING (solution_id, step_index)
    GROUP BY solution_id, step_index
"""
"""A query of the step labels that people's ratings of the offered alternatives make: the first rating's."""

_DIVIDED_OTHERWISE = f"SELECT solution_id FROM ({divided_otherwise('offered_rated_alternatives')})"
_LABELED_OTHERWISE = """
    SELECT DISTINCT solution_id
    FROM offered_rated_alternatives AS offered JOIN step_labels AS stored USING (solution_id)
    WHERE stored.rating <> offered.rating
"""
_CONFLICTING = """
    SELECT solution_id FROM offered_rated_alternatives GROUP BY 1 HAVING min(rating) <> max(rating)
"""
_WHITE = "".join(filter(str.isspace, map(chr, range(0x3001))))  # what Python strips
# An alternative's text is the steps before it and itself, one a line: people may have divided it differently.
_RATED_OTHERWISE = f"""
    WITH offered AS (
        SELECT solution_id, problem_id, solution, rating
        FROM offered_solutions JOIN ({LABELS_OF_ALTERNATIVES}) USING (solution_id)
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
    SELECT DISTINCT solution_id FROM (
        SELECT candidates.solution_id
        FROM candidates LEFT JOIN steps AS before ON before.solution_id = candidates.parent_id
            AND before.step_index < candidates.step_index
        GROUP BY candidates.solution_id, solution, parent_id, candidates.step_index, completion
        HAVING coalesce(string_agg(before.step, chr(10) ORDER BY before.step_index) || chr(10), '')
            || completion = solution
    )
"""


def leave_out_alternatives(con: duckdb.DuckDBPyConnection) -> int:
    """Leave out the alternatives that have no place or no label, and take away the stored labels of those
    that people rate differently now; return how many these are. Their ratings stay.
    """
    # First, for it concerns those as well that are divided otherwise.
    rated_differently = _ids(con, _LABELED_OTHERWISE)
    _leave_out(con, _ids(con, _DIVIDED_OTHERWISE))
    rated_differently |= _ids(con, _RATED_OTHERWISE, [_WHITE]) | _ids(con, _CONFLICTING)
    _leave_out(con, rated_differently)
    if rated_differently:
        where = f"label_source = '{HUMAN}' AND solution_id IN (SELECT unnest(?))"
        delete(con, "step_labels", where, [list(rated_differently)])
    return len(rated_differently)


def _ids(con: duckdb.DuckDBPyConnection, sql: str, params: Params = ()) -> set[str]:
    return set(query(con, sql, params)["solution_id"])


def _leave_out(con: duckdb.DuckDBPyConnection, alternatives: Collection[str]) -> None:
    if alternatives:
        con.execute(f"INSERT INTO {LEFT_OUT_ALTERNATIVES} SELECT unnest(?)", [list(alternatives)])
