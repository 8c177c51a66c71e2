"""Label quality: Monte-Carlo labels against the oracle and against people, measured, stored and read back.

The figures stand in ``evaluations`` under the selector ``monte_carlo``. Leaves out: the arithmetic
(stepmark.models.metrics) and pictures (plots.py).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from stepmark.labeling.vocabulary import HUMAN, MONTE_CARLO, ORACLE
from stepmark.models.metrics.intervals import PossibleEstimate
from stepmark.models.metrics.label_quality import Figure, label_quality
from stepmark.store.store import Store

from .evaluations import EvaluationRow, store_evaluations

TRUTHS = (ORACLE, HUMAN)
# Truth, slice, metric. The oracle's metrics have their plain names, people's end in "_human".
Quality = Mapping[str, Mapping[str, Mapping[str, PossibleEstimate]]]

_SUFFIX = f"_{HUMAN}"
# Every step of the solutions of which some step has both labels. What cut-off rollouts leave open by more
# than a bin of the reliability is no probability.
_STEPS = """
    WITH estimate AS (
        SELECT solution_id, step_index, hard_labels.rating, soft_labels.value,
            CASE WHEN p_wrong_high - p_wrong_low <= 0.1 THEN (p_wrong_low + p_wrong_high) / 2 END AS p_wrong
        FROM step_labels
        JOIN hard_labels USING (solution_id, step_index, label_source)
        JOIN soft_labels USING (solution_id, step_index, label_source)
        WHERE label_source = $1
    ),
    truth AS (
        SELECT solution_id, step_index, rating AS true_rating FROM hard_labels WHERE label_source = $2
    )
    SELECT problem_id, solution_id, step_index, rating, true_rating, value, p_wrong, pass_rate,
        count(*) OVER (PARTITION BY solution_id) AS num_steps
    FROM steps JOIN solutions USING (solution_id)
    LEFT JOIN estimate USING (solution_id, step_index) LEFT JOIN truth USING (solution_id, step_index)
    LEFT JOIN pass_rates USING (problem_id, generator_id)
    WHERE solution_id IN (SELECT solution_id FROM estimate JOIN truth USING (solution_id, step_index))
    ORDER BY problem_id, solution_id, step_index
"""


def measure_label_quality(store: Store) -> dict[str, list[Figure]]:
    """The figures by truth; a truth that labeled none of the steps with Monte-Carlo labels has none."""
    steps = {truth: store.read(_STEPS, [MONTE_CARLO, truth]) for truth in TRUTHS}
    return {truth: label_quality(frame) for truth, frame in steps.items() if frame.height}


def metric_name(metric: str, truth: str) -> str:
    """What a metric against this truth is called in ``evaluations``."""
    return f"{metric}{_SUFFIX}" if truth == HUMAN else metric


def store_label_quality(store: Store, measured: Mapping[str, Sequence[Figure]]) -> int:
    """Store the figures as the current ones of label quality; return their number."""
    evaluations = [
        EvaluationRow(
            MONTE_CARLO,
            metric_name(metric, truth),
            figure.value,
            figure.low,
            figure.high,
            num_problems,
            slice_name=slice_name,
        )
        for truth, figures in measured.items()
        for slice_name, metric, figure, num_problems in figures
    ]
    return store_evaluations(store, evaluations, "selector = ?", [MONTE_CARLO])


def read_quality(evaluations: pl.DataFrame) -> Quality:
    """The stored figures, from rows of ``evaluations``; every truth, slice and metric that has any."""
    found: dict[str, dict[str, dict[str, PossibleEstimate]]] = {}
    rows = evaluations.filter(pl.col("selector") == MONTE_CARLO).sort("slice", maintain_order=True)
    for row in rows.iter_rows(named=True):
        truth = HUMAN if row["metric"].endswith(_SUFFIX) else ORACLE
        figure = PossibleEstimate(row["value"], row["ci95_low"], row["ci95_high"])
        metrics = found.setdefault(truth, {}).setdefault(row["slice"], {})
        metrics[row["metric"].removesuffix(_SUFFIX)] = figure
    return found
