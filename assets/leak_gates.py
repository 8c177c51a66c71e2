"""The leak gates: blocking checks that no problem trained on is, or nearly is, one evaluated on.

Leaves out: finding leaks and deciding on them (stepmark.pipeline.leaks).
"""

import dagster as dg
import polars as pl

from stepmark.pipeline.leaks import find_leaks, sentence

from .metadata import table_rows
from .resources import Pipeline

_PAIRS_SHOWN = 20


def leak_gates() -> list[dg.AssetChecksDefinition]:
    """One blocking check before anything is sampled, and two in front of the models: on their examples."""
    return [_gate("human_labels"), _gate("orm_examples"), _gate("prm_examples")]


def _gate(table: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        name="leak_gate",
        asset=table,
        description="No problem trained on is, or nearly is, one evaluated on, unless that was decided.",
        blocking=True,
    )
    def leak_gate(pipeline: Pipeline) -> dg.AssetCheckResult:
        leaks = find_leaks(pipeline.store(), pipeline.settings().leaks, table, allow_leak=pipeline.allow_leak)
        refused = leaks.filter(~pl.col("is_allowed"))
        if refused.height:
            pipeline.store().publish()  # else nobody could query what stops the run
        return dg.AssetCheckResult(
            passed=refused.is_empty(),
            severity=dg.AssetCheckSeverity.ERROR,
            description=sentence(refused) if refused.height else None,
            metadata={
                "num_leaks": refused.height,
                "num_allowed": leaks.height - refused.height,
                "leaks": table_rows(leaks.head(_PAIRS_SHOWN)),
            },
        )

    return leak_gate
