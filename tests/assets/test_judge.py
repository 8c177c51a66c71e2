"""Evaluations: what is stored of them, and what becomes of figures that hold no more."""

import dagster as dg
import pytest

from stepmark.assets.judge_assets import best_of_n, first_errors, label_agreement
from stepmark.assets.pipeline import Pipeline
from stepmark.assets.selection import evaluation_frame
from stepmark.store.store import Store

STALE = {
    "best_of_n": [("orm", "best_of_n"), ("orm - majority", "best_of_n_difference")],
    "label_agreement": [("monte_carlo", "first_error_agreement"), ("monte_carlo", "calibration_error")],
    "first_errors": [("prm", "first_error_f1_oracle")],
}


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "asset", [best_of_n, label_agreement, first_errors], ids=lambda asset: asset.key.path[0]
)
def test_an_evaluation_with_nothing_to_judge_removes_its_own_figures(
    store: Store, pipeline: Pipeline, asset: dg.AssetsDefinition
) -> None:
    """Figures of what is not there any more would be read as today's; the other evaluations' stay."""
    rows = [(selector, metric, 0, 0.5, 0.4, 0.6, 3) for pairs in STALE.values() for selector, metric in pairs]
    store.insert("evaluations", evaluation_frame(rows))
    asset(pipeline)
    left = store.read("SELECT selector, metric FROM evaluations")

    others = [pair for name, pairs in STALE.items() if name != asset.key.path[0] for pair in pairs]
    assert sorted(left.rows()) == sorted(others)
