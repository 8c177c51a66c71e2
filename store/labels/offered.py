"""What a file offers, as views over its stage: ``offered_problems``, ``offered_step_labels`` and so on.

A view has no row that is left out; nothing is until SQL has compared the file with the store. Leaves out:
alternatives to a step that are left out (``alternatives``), and whole lines, which are refused where they are
read (``contradictions``).
"""

import duckdb

from .stage import PLACE, Stage

LEFT_OUT_ALTERNATIVES = "left_out_alternatives"
"""Temporary table of the solution_ids of alternatives; fill it, and the views have them no more."""

_LEFT_OUT_LABELS = "left_out_labels"
_WITHOUT_ALTERNATIVES = f"ANTI JOIN {LEFT_OUT_ALTERNATIVES} USING (solution_id)"
_WITHOUT = {
    "solutions": _WITHOUT_ALTERNATIVES,
    "steps": _WITHOUT_ALTERNATIVES,
    "rated_alternatives": _WITHOUT_ALTERNATIVES,
    "step_labels": f"ANTI JOIN {_LEFT_OUT_LABELS} USING ({PLACE})",
}
_LATER_LABELS = f"""
    INSERT INTO {_LEFT_OUT_LABELS}
    WITH labeled_again AS (
        SELECT solution_id FROM offered_labeled_lines WHERE NOT is_repeated
        GROUP BY solution_id HAVING count(*) > 1
    )
    SELECT {PLACE} FROM offered_step_labels SEMI JOIN labeled_again USING (solution_id)
    QUALIFY row_number() OVER (PARTITION BY solution_id, step_index, label_source ORDER BY {PLACE}) > 1
"""


def make_offered_views(con: duckdb.DuckDBPyConnection, stage: Stage) -> None:
    """Make the views anew, and the tables of what is left out of them, on an open connection."""
    con.execute(f"CREATE OR REPLACE TEMP TABLE {LEFT_OUT_ALTERNATIVES} (solution_id VARCHAR)")
    con.execute(f"CREATE OR REPLACE TEMP TABLE {_LEFT_OUT_LABELS} (parquet_file VARCHAR, parquet_row BIGINT)")
    for name in stage.names:
        con.execute(
            f"CREATE OR REPLACE TEMP VIEW offered_{name} AS "
            f"SELECT staged.* FROM ({stage.sql(name)}) AS staged {_WITHOUT.get(name, '')}"
        )


def leave_out_later_labels(con: duckdb.DuckDBPyConnection) -> int:
    """Leave out the step labels that come after another person's on the same step; return how many."""
    return int(con.execute(_LATER_LABELS).fetchall()[0][0])
