"""Figures into ``evaluations``: the latest of their kind are current, and those of older models stay.

Leaves out: measuring anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from stepmark.labeling.vocabulary import FIRST_ROUND
from stepmark.store.rows import delete, insert
from stepmark.store.store import Store

ALL_PROBLEMS = "all"
_SCHEMA = {
    "selector": pl.String,
    "model_id": pl.String,
    "metric": pl.String,
    "n": pl.Int32,
    "slice": pl.String,
    "round": pl.Int32,
    "value": pl.Float64,
    "ci95_low": pl.Float64,
    "ci95_high": pl.Float64,
    "num_problems": pl.Int32,
    "is_current": pl.Boolean,
}
_KEY = "selector, model_id, metric, n, slice, round"


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """A figure with its 95% interval over problems; None where it is not defined.

    ``model_id`` names the reward models behind the selector; None where there are none. ``n`` is 0 where the
    metric has no N.
    """

    selector: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    num_problems: int
    n: int = 0
    slice_name: str = ALL_PROBLEMS
    model_id: str | None = None


def evaluation_frame(evaluations: Sequence[EvaluationRow], round_index: int = FIRST_ROUND) -> pl.DataFrame:
    """The figures as rows of ``evaluations``."""
    rows = [
        (
            one.selector, one.model_id or one.selector, one.metric, one.n, one.slice_name, round_index,
            one.value, one.low, one.high, one.num_problems, True,
        )
        for one in evaluations
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def store_evaluations(
    store: Store,
    evaluations: Sequence[EvaluationRow],
    kind: str,
    params: Sequence[Any] = (),
    *,
    round_index: int = FIRST_ROUND,
) -> int:
    """Store figures as the current ones of their kind in the round; return their number.

    ``kind`` is SQL that is true for all rows of that kind. Those of other models stay and are current no
    more, also where nothing was measured this time.
    """
    frame = evaluation_frame(evaluations, round_index)
    with store.transaction() as con:
        con.execute(
            f"UPDATE evaluations SET is_current = false WHERE round = {int(round_index)} AND ({kind})",
            list(params),
        ).fetchall()
        con.register("measured", frame)
        delete(con, "evaluations", f"({_KEY}) IN (SELECT ({_KEY}) FROM measured)")
        con.unregister("measured")
        return insert(con, "evaluations", frame)
