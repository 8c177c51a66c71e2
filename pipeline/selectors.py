"""The selectors of best-of-N: each a score of solutions, by a model and an aggregation of its steps' scores.

A new way to pick is one more ``Selector`` here. Leaves out: votes and pass@N, which need no scores
(stepmark.models.metrics), and measuring any of them (selection.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from stepmark.labeling.vocabulary import AGGREGATIONS_BESIDE_THE_PRODUCT, MAJORITY, ORM, PASS, PRM
from stepmark.store.store import Store

from .profile import Reward
from .score import current_models, likelihood_ids

_SCORES = """
    SELECT solution_id, score AS product, lowest AS min, mean, last
    FROM solution_scores WHERE reward_model_id = ?
"""


@dataclass(frozen=True, slots=True)
class Selector:
    """Picks the solution with the highest aggregated score of a model; ``aggregation`` names a column."""

    name: str
    model_id: str
    aggregation: str


def score_selectors(store: Store, reward: Reward) -> list[Selector]:
    """The selectors by the trained models of the profile, and by likelihoods that are stored."""
    return [*_of_models(store, reward), *_of_likelihoods(reward)]


def _of_models(store: Store, reward: Reward) -> Iterator[Selector]:
    kinds = {model.name: model.kind for model in reward.models}
    for name, model_id in current_models(store, reward).items():
        # An ORM speaks at the last step alone.
        yield Selector(name, model_id, "last" if kinds[name] == ORM else "product")
        if kinds[name] == PRM:
            for aggregation in AGGREGATIONS_BESIDE_THE_PRODUCT:
                yield Selector(f"{name}_{aggregation}", model_id, aggregation)


def _of_likelihoods(reward: Reward) -> Iterator[Selector]:
    for name, model_id in likelihood_ids(reward).items():
        yield Selector(name, model_id, "product" if name.endswith("_sum") else "min")


def scores_of(store: Store, selector: Selector) -> dict[str, float]:
    """Solution to score, of every solution that the selector's model scored."""
    frame = store.read(_SCORES, [selector.model_id])
    return dict(frame.select("solution_id", selector.aggregation).iter_rows())


def main_selectors(reward: Reward) -> list[str]:
    """The selectors of the comparison table, from the baselines to the limit."""
    models = [model.name for model in reward.models]
    return [MAJORITY, *likelihood_ids(reward), *models, PASS]
