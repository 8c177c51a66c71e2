"""Asset checks: every audit of the store, on the asset whose rows it judges.

Leaves out: the queries (store/audits).
"""

import dagster as dg

from stepmark.store.auditing import Audit, list_audits, run_audit

from .metadata import table_rows
from .resources import Pipeline

_OFFENDERS_SHOWN = 20
# Which asset an audit is shown at; its rows are complete once that asset is.
ASSET_OF_AUDIT = {
    "constant_scores": "scores",
    "duplicate_problems": "problems",
    "identical_samples": "solutions",
    "labels_count": "monte_carlo_labels",
    "missing_scores": "scores",
    "orphans": "published_snapshot",
    "same_text_in_both_splits": "problems",
    "solutions_without_outcome": "outcomes",
    "solutions_without_steps": "steps",
    "steps_rejoin": "steps",
    "train_test_overlap": "prm_examples",
    "truncated_counted_wrong": "outcomes",
    "untraceable_samples": "solutions",
    "verdict_vs_outcome": "outcomes",
}


def audit_checks() -> list[dg.AssetChecksDefinition]:
    """One asset check per audit."""
    return [_check(audit) for audit in list_audits()]


def _check(audit: Audit) -> dg.AssetChecksDefinition:
    severity = dg.AssetCheckSeverity.ERROR if audit.severity == "error" else dg.AssetCheckSeverity.WARN

    @dg.asset_check(
        name=audit.name,
        asset=ASSET_OF_AUDIT[audit.name],
        description=audit.asserts,
        blocking=audit.severity == "error",
    )
    def check(pipeline: Pipeline) -> dg.AssetCheckResult:
        offenders = run_audit(pipeline.store(), audit.name)
        return dg.AssetCheckResult(
            passed=offenders.is_empty(),
            severity=severity,
            metadata={
                "num_offenders": offenders.height,
                "offenders": table_rows(offenders.head(_OFFENDERS_SHOWN)),
            },
        )

    return check
