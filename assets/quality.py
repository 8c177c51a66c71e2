"""Label quality and first errors: Monte-Carlo labels against the oracle, PRMs against known first errors.

Leaves out: the arithmetic (stepmark.models.metrics).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.errors import InputError
from stepmark.labeling.monte_carlo import SOURCE as MONTE_CARLO
from stepmark.models.metrics.agreement import (
    FirstErrorAgreement,
    Rate,
    Ratio,
    WrongStepDetection,
    first_error_agreement,
    wrong_step_detection,
)
from stepmark.models.metrics.calibration import Calibration, calibration
from stepmark.models.metrics.intervals import Estimate
from stepmark.models.metrics.thresholds import CrossFitted, cross_fitted
from stepmark.store.store import Store

from .profile import Profile
from .score import current_models
from .selection import EvaluationRow, evaluation_frame

_TRUTH = "oracle"
_STEPS = """
    WITH estimate AS (
        SELECT solution_id, step_index, rating, value
        FROM hard_labels JOIN soft_labels USING (solution_id, step_index, label_source) WHERE label_source = ?
    ),
    truth AS (
        SELECT solution_id, step_index, rating AS true_rating
        FROM step_labels_until_first_error WHERE label_source = ?
    )
    SELECT problem_id, solution_id, step_index, rating, true_rating, value
    FROM estimate JOIN truth USING (solution_id, step_index) JOIN solutions USING (solution_id)
    ORDER BY problem_id, solution_id, step_index
"""
_FIRST_ERRORS = """
    SELECT problem_id, solution_id, first_error_index,
        list(p_positive + p_neutral ORDER BY step_index) AS scores
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
class LabelQuality:
    """How Monte-Carlo labels compare with the oracle's on the same steps."""

    first_errors: FirstErrorAgreement
    wrong_steps: WrongStepDetection
    calibration: Calibration
    num_problems: int
    num_solutions: int


def label_quality(store: Store) -> LabelQuality | None:
    """Compare up to the true first error; None where no step has both labels.

    After a wrong step the two sources mean different things: the oracle says whether a claim is true, a
    rollout whether the answer can still be reached.
    """
    steps = store.read(_STEPS, [MONTE_CARLO, _TRUTH])
    if not steps.height:
        return None
    is_right = (steps["true_rating"] >= 0).to_list()
    return LabelQuality(
        first_error_agreement(steps),
        wrong_step_detection(steps),
        calibration(steps["value"].to_list(), is_right, steps["problem_id"].to_list()),
        steps["problem_id"].n_unique(),
        steps["solution_id"].n_unique(),
    )


def store_label_quality(store: Store, quality: LabelQuality | None) -> int:
    """Replace the stored figures of label quality, by none where there are none; return how many rows."""
    rows = [] if quality is None else _evaluations(quality)
    return store.replace("evaluations", evaluation_frame(rows), "selector = ?", [MONTE_CARLO])


def _evaluations(quality: LabelQuality) -> list[EvaluationRow]:
    figures: dict[str, Rate | Ratio] = {
        "first_error_agreement": quality.first_errors.exact,
        "first_error_agreement_on_error": quality.first_errors.exact_on_error,
        "first_error_off_by_one": quality.first_errors.off_by_one,
        "wrong_step_precision": quality.wrong_steps.precision,
        "wrong_step_recall": quality.wrong_steps.recall,
        "wrong_step_f1": quality.wrong_steps.f1,
        "calibration_error": quality.calibration.ece,
    }
    return [
        (MONTE_CARLO, metric, 0, figure.value, figure.low, figure.high, quality.num_problems)
        for metric, figure in figures.items()
    ]


@dataclass(frozen=True, slots=True)
class FirstErrorResult:
    """One PRM against the first errors that one label source knows; ``fitted`` is None with a ``reason``."""

    model: str
    label_source: str
    num_solutions: int
    num_problems: int
    fitted: CrossFitted | None
    reason: str | None


def find_first_errors(store: Store, profile: Profile) -> list[FirstErrorResult]:
    """Judge every PRM as a finder of first errors, with thresholds that never saw what they judge."""
    models = current_models(store, profile)
    prms = [model.name for model in profile.reward.models if model.kind == "prm" and model.name in models]
    sources = store.read(_SOURCES)["label_source"].to_list()
    results = []
    for name in prms:
        for source in sources:
            rows = store.read(_FIRST_ERRORS, [source, models[name]])
            if rows.height:
                results.append(_judge(name, source, rows))
    return results


def _judge(name: str, source: str, rows: pl.DataFrame) -> FirstErrorResult:
    labels: Sequence[int] = rows["first_error_index"].to_list()
    problem_ids = rows["problem_id"].to_list()
    fitted, reason = None, None
    try:
        fitted = cross_fitted(labels, rows["scores"].to_list(), problem_ids)
    except InputError as error:  # one class is missing: there is no figure, and the reason is told
        reason = str(error)
    return FirstErrorResult(name, source, rows.height, rows["problem_id"].n_unique(), fitted, reason)


def store_first_errors(store: Store, results: Sequence[FirstErrorResult]) -> int:
    """Replace the stored first-error figures; return the number of rows."""
    rows: list[EvaluationRow] = []
    for result in results:
        metrics = None if result.fitted is None else result.fitted.metrics
        for metric in ("accuracy_error", "accuracy_correct", "f1"):
            point: Estimate | None = None if metrics is None else getattr(metrics, metric)
            values = (None, None, None) if point is None else tuple(point)
            name = f"first_error_{metric}_{result.label_source}"
            rows.append((result.model, name, 0, *values, result.num_problems))
    return store.replace(
        "evaluations",
        evaluation_frame(rows),
        "metric LIKE 'first\\_error\\_%' ESCAPE '\\' AND selector <> ?",
        [MONTE_CARLO],
    )
