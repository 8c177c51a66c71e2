"""PRMs as finders of first errors: judged on the test solutions whose first error a label source knows.

Leaves out: the arithmetic (stepmark.models.metrics).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.errors import InputError
from stepmark.labeling.vocabulary import MONTE_CARLO
from stepmark.models.metrics.intervals import Estimate
from stepmark.models.metrics.thresholds import CrossFitted, cross_fitted
from stepmark.store.store import Store

from .evaluations import EvaluationRow, store_evaluations
from .profile import Reward
from .score import current_models

_FIRST_ERRORS = """
    SELECT problem_id, solution_id, first_error_index,
        list(step_score(p_neutral, p_positive) ORDER BY step_index) AS scores
    FROM first_errors
    JOIN solutions USING (solution_id) JOIN problems USING (problem_id) JOIN scores USING (solution_id)
    WHERE problems.split = 'test' AND label_source = ? AND reward_model_id = ?
        AND first_error_index IS NOT NULL
    GROUP BY ALL ORDER BY problem_id, solution_id
"""
_SOURCES = """
    SELECT DISTINCT label_source FROM step_labels JOIN solutions USING (solution_id)
    JOIN problems USING (problem_id) WHERE problems.split = 'test' ORDER BY label_source
"""


@dataclass(frozen=True, slots=True)
class FirstErrorResult:
    """One PRM against the first errors that one label source knows; ``fitted`` is None with a ``reason``."""

    model: str
    model_id: str
    label_source: str
    num_solutions: int
    num_problems: int
    fitted: CrossFitted | None
    reason: str | None


def find_first_errors(store: Store, reward: Reward) -> list[FirstErrorResult]:
    """Judge every PRM as a finder of first errors, with thresholds that never saw what they judge."""
    models = current_models(store, reward)
    prms = [model.name for model in reward.models if model.kind == "prm" and model.name in models]
    sources = store.read(_SOURCES)["label_source"].to_list()
    results = []
    for name in prms:
        for source in sources:
            rows = store.read(_FIRST_ERRORS, [source, models[name]])
            if rows.height:
                results.append(_judge(name, models[name], source, rows))
    return results


def _judge(name: str, model_id: str, source: str, rows: pl.DataFrame) -> FirstErrorResult:
    labels: Sequence[int] = rows["first_error_index"].to_list()
    problem_ids = rows["problem_id"].to_list()
    fitted, reason = None, None
    try:
        fitted = cross_fitted(labels, rows["scores"].to_list(), problem_ids)
    except InputError as error:  # one class is missing: there is no figure, and the reason is told
        reason = str(error)
    return FirstErrorResult(
        name, model_id, source, rows.height, rows["problem_id"].n_unique(), fitted, reason
    )


def store_first_errors(store: Store, results: Sequence[FirstErrorResult]) -> int:
    """Store the figures as the current ones of first errors; return their number."""
    evaluations = []
    for result in results:
        metrics = None if result.fitted is None else result.fitted.metrics
        for metric in ("accuracy_error", "accuracy_correct", "f1"):
            point: Estimate | None = None if metrics is None else getattr(metrics, metric)
            value, low, high = (None, None, None) if point is None else point
            name = f"first_error_{metric}_{result.label_source}"
            evaluations.append(
                EvaluationRow(
                    result.model, name, value, low, high, result.num_problems, model_id=result.model_id
                )
            )
    return store_evaluations(
        store,
        evaluations,
        "metric LIKE 'first\\_error\\_%' ESCAPE '\\' AND selector <> ?",
        [MONTE_CARLO],
    )
