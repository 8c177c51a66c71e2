"""Assets of group ``label``: the oracle's ratings, rollouts, and Monte-Carlo labels from them."""

import dagster as dg

from stepmark.pipeline.ingest import rate_by_oracle
from stepmark.pipeline.monte_carlo import label_from_rollouts
from stepmark.pipeline.rollouts import sample_rollouts

from .metadata import count_rows, sample_rows, table_rows
from .problem_assets import human_labels
from .resources import Pipeline
from .solution_assets import outcomes, steps

_LABEL_COUNTS = "SELECT * FROM label_counts ORDER BY label_source"
_WITHOUT_SIGNAL = """
    SELECT count(DISTINCT solution_id) FROM step_labels WHERE label_source = 'monte_carlo' AND NOT has_signal
"""
_ROLLOUTS = """
    SELECT outcome, count(*) AS num_rollouts, sum(num_tokens) AS num_tokens
    FROM rollouts GROUP BY ALL ORDER BY ALL
"""


@dg.asset(group_name="label", kinds={"duckdb"}, deps=[steps, human_labels])
def oracle_labels(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per step of every minimath solution, in ``step_labels``: the exact rating."""
    store = pipeline.store()
    num_new = rate_by_oracle(store)
    return dg.MaterializeResult(
        metadata={"num_new": num_new, "labels": table_rows(store.read(_LABEL_COUNTS))}
    )


@dg.asset(group_name="label", kinds={"duckdb", "vllm"}, deps=[steps, outcomes])
def rollouts(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per continuation of a prefix. Equal prefixes of different solutions share their rollouts."""
    store = pipeline.store()
    settings = pipeline.settings()
    num_new = sample_rollouts(
        store, settings.rollouts, settings.generator, settings.rollout_sampler, pipeline.engines()
    )
    return dg.MaterializeResult(
        metadata={
            "num_new": num_new,
            "dagster/row_count": count_rows(store, "rollouts"),
            "outcomes": table_rows(store.read(_ROLLOUTS)),
            "sample": sample_rows(store, "rollouts"),
        }
    )


@dg.asset(group_name="label", kinds={"duckdb"}, deps=[rollouts])
def monte_carlo_labels(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per labeled step, in ``step_labels``: counts, value, interval, belief that it is wrong."""
    store = pipeline.store()
    num_labels = label_from_rollouts(
        store, pipeline.settings().rollouts, pipeline.generator_id(), pipeline.completer_id()
    )
    return dg.MaterializeResult(
        metadata={
            "num_labels": num_labels,
            "num_solutions_without_signal": int(store.read(_WITHOUT_SIGNAL).item()),
            "labels": table_rows(store.read(_LABEL_COUNTS)),
            "sample": sample_rows(store, "step_labels", "label_source = 'monte_carlo'"),
        }
    )


# Each makes the labels of one source; training and the judging of labels stand behind all of them.
LABELS = (oracle_labels, monte_carlo_labels)
