"""Assets of group ``ingest``: problems, and people's ratings."""

from pathlib import Path

import dagster as dg

from stepmark.labeling.vocabulary import HUMAN
from stepmark.pipeline.ingest import ingest_problems
from stepmark.pipeline.label_files import ingest_labels
from stepmark.pipeline.labelers import METRICS, measure_labelers
from stepmark.store.store import Store

from .metadata import count_rows, sample_rows, table_rows
from .resources import Pipeline

_BY_SPLIT = "SELECT source, split, count(*) AS num_problems FROM problems GROUP BY ALL ORDER BY ALL"
_HUMAN_RATINGS = """
    SELECT phase, rating, count(*) AS num_completions FROM human_labels GROUP BY ALL ORDER BY ALL
"""
_FIGURES = """
    SELECT metric, slice, value, ci95_low, ci95_high, num_problems FROM evaluations
    WHERE selector = ? AND metric IN (SELECT unnest(?)) AND is_current ORDER BY ALL
"""
_CONFLICTS_SHOWN = 20


@dg.asset(group_name="ingest", kinds={"duckdb"})
def problems(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per problem: minimath and the profile's files, each problem once, with its split."""
    store = pipeline.store()
    report = ingest_problems(store, pipeline.settings().problems)
    return dg.MaterializeResult(
        metadata={
            "num_new": report.num_new,
            "num_known": report.num_known,
            "num_completed": report.num_completed,
            "num_in_other_split": report.num_in_other_split,
            "num_rejected": len(report.rejects),
            "dagster/row_count": count_rows(store, "problems"),
            "by_split": table_rows(store.read(_BY_SPLIT)),
            "sample": sample_rows(store, "problems"),
        }
    )


@dg.asset(group_name="ingest", kinds={"duckdb"}, deps=[problems])
def human_labels(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per step, labeler and alternative: the ratings of the profile's label files."""
    store = pipeline.store()
    wanted = pipeline.settings().problems.labels
    reports = {file.path: ingest_labels(store, Path(file.path), file.format, file.split) for file in wanted}
    measure_labelers(store)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": count_rows(store, "human_labels"),
            "num_rejected": sum(report.num_rejected for report in reports.values()),
            "num_duplicates": sum(report.num_duplicates for report in reports.values()),
            "files": {Path(path).name: dict(report.counts) for path, report in reports.items()},
            "ratings": table_rows(store.read(_HUMAN_RATINGS)),
            **_labelers_metadata(store),
        }
    )


def _labelers_metadata(store: Store) -> dict[str, dg.MetadataValue | int]:
    """What the asset ``human_labels`` shows of the people who rated."""
    conflicts = store.read("SELECT * FROM conflicting_ratings ORDER BY ALL")
    return {
        "labelers": table_rows(store.read("SELECT * FROM labeler_quality ORDER BY ALL")),
        "pairs_of_labelers": table_rows(store.read("SELECT * FROM labeler_agreement ORDER BY ALL")),
        "reliability": table_rows(store.read(_FIGURES, [HUMAN, METRICS])),
        "num_conflicting_texts": conflicts.height,
        "conflicting_ratings": table_rows(conflicts.head(_CONFLICTS_SHOWN)),
    }
