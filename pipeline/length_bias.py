"""Length bias of every PRM: does a test solution's score follow its number of steps, problem by problem?

The figures stand in ``evaluations``, metric ``length_bias``, one a selector; beside them, under the selector
``outcome``, how far being right itself follows the number of steps, which is no bias. Leaves out: the
arithmetic (stepmark.models.metrics.bias).
"""

from collections.abc import Iterator

import polars as pl

from stepmark.labeling.vocabulary import FIRST_ROUND, PRM
from stepmark.models.metrics.bias import LengthBias, length_bias, within_problem_spearman
from stepmark.store.store import Store

from .evaluations import EvaluationRow, store_evaluations
from .profile import Reward
from .score import current_models

LENGTH_BIAS = "length_bias"
OUTCOME = "outcome"
_SCORED = """
    SELECT problem_id, solution_id, any_value(outcome = 'correct') AS is_correct,
        list(step_score(p_neutral, p_positive) ORDER BY step_index) AS scores
    FROM scores JOIN solutions USING (solution_id) JOIN problems USING (problem_id)
    WHERE problems.split = 'test' AND reward_model_id = ? AND solutions.source = 'sampled'
        AND is_decided(outcome)
    GROUP BY ALL ORDER BY problem_id, solution_id
"""


def measure_length_bias(store: Store, reward: Reward, *, round_index: int = FIRST_ROUND) -> int:
    """Measure the length bias of the profile's trained PRMs, store it as current; return how many figures."""
    rows = list(_figures(store, reward))
    return store_evaluations(store, rows, "metric = ?", [LENGTH_BIAS], round_index=round_index)


def _figures(store: Store, reward: Reward) -> Iterator[EvaluationRow]:
    kinds = {model.name: model.kind for model in reward.models}
    outcomes: pl.DataFrame | None = None
    for name, model_id in current_models(store, reward).items():
        scored = store.read(_SCORED, [model_id]) if kinds[name] == PRM else pl.DataFrame()
        if scored.is_empty():
            continue
        outcomes = scored if outcomes is None else outcomes
        for aggregation, bias in length_bias(
            scored["problem_id"].to_list(), scored["scores"].to_list()
        ).items():
            selector = name if aggregation == "product" else f"{name}_{aggregation}"
            yield _row(selector, bias, model_id)
    if outcomes is not None:
        num_steps = outcomes["scores"].list.len().to_list()
        right = outcomes["is_correct"].cast(pl.Float64).to_list()
        yield _row(OUTCOME, within_problem_spearman(outcomes["problem_id"].to_list(), right, num_steps))


def _row(selector: str, bias: LengthBias, model_id: str | None = None) -> EvaluationRow:
    return EvaluationRow(
        selector, LENGTH_BIAS, bias.value, bias.low, bias.high, bias.num_problems, model_id=model_id
    )
