"""Assets of group ``ingest``: problems, and people's ratings."""

from pathlib import Path

import dagster as dg

from .ingest import ingest_problems
from .label_files import ingest_labels
from .labelers import labelers_metadata, measure_labelers
from .metadata import count_rows, sample_rows, table_rows
from .pipeline import Pipeline

_BY_SPLIT = "SELECT source, split, count(*) AS num_problems FROM problems GROUP BY ALL ORDER BY ALL"
_HUMAN_RATINGS = """
    SELECT phase, rating, count(*) AS num_completions FROM human_labels GROUP BY ALL ORDER BY ALL
"""


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
            **labelers_metadata(store),
        }
    )
