"""Evaluations: what is stored of them, and what becomes of figures that hold no more."""

from pathlib import Path

import dagster as dg
import pytest

from stepmark.app.demo_text import curve_lines
from stepmark.app.report import write_report
from stepmark.app.results import as_json, read_results
from stepmark.assets.judge_assets import best_of_n, first_error_detection, label_agreement, length_bias
from stepmark.assets.resources import Pipeline
from stepmark.models.metrics.intervals import Estimate
from stepmark.pipeline.evaluations import EvaluationRow, evaluation_frame
from stepmark.pipeline.profile import Profile, RewardModelSettings
from stepmark.pipeline.selection import Selection, store_selection
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

STALE = {
    "best_of_n": [("orm", "best_of_n"), ("orm - majority", "best_of_n_difference")],
    "label_agreement": [("monte_carlo", "first_error_agreement"), ("monte_carlo", "calibration_error")],
    "first_error_detection": [("prm", "first_error_f1_oracle")],
    "length_bias": [("prm", "length_bias")],
}


@pytest.mark.parametrize(
    "asset",
    [best_of_n, label_agreement, first_error_detection, length_bias],
    ids=lambda asset: asset.key.path[0],
)
def test_an_evaluation_with_nothing_to_judge_leaves_no_current_figures_of_its_own(
    store: Store, pipeline: Pipeline, asset: dg.AssetsDefinition
) -> None:
    """Figures of what is not there any more would be read as today's: they are history. The others' stay."""
    rows = [
        EvaluationRow(selector, metric, 0.5, 0.4, 0.6, 3)
        for pairs in STALE.values()
        for selector, metric in pairs
    ]
    store.insert("evaluations", evaluation_frame(rows))
    asset(pipeline)
    left = store.read("SELECT selector, metric FROM evaluations WHERE is_current")

    others = [pair for name, pairs in STALE.items() if name != asset.key.path[0] for pair in pairs]
    assert sorted(left.rows()) == sorted(others)
    assert store.read("SELECT count(*) FROM evaluations").item() == len(rows)


@pytest.mark.parametrize(("num_unscored", "is_told"), [(1200, True), (0, False)])
def test_samples_without_a_score_are_told_where_there_are_any(
    store: Store, profile: Profile, tmp_path: Path, num_unscored: int, is_told: bool
) -> None:
    """One line below the printed table and in the report; the JSON has the number."""
    reward = profile.reward.model_copy(update={"models": (RewardModelSettings(name="orm", kind="orm"),)})
    points = {name: {1: Estimate(0.5, 0.4, 0.6)} for name in ("majority", "orm")}
    measured = Selection({}, points, 3, 9, {"orm": num_unscored}, [], {"orm": "orm-1"})
    store_selection(store, measured, reward, profile.evaluation)
    store.publish()
    results = read_results(store, reward)
    line = "Answered samples without a score, ranked last: orm 1,200"
    page = write_report(store, reward, tmp_path / "report.html").read_text()

    assert (curve_lines(results)[-1] == line) is (line in page) is is_told
    assert ("without a score" in "".join(curve_lines(results)) + page) is is_told
    assert as_json(results)["num_unscored"] == ({"orm": 1200} if is_told else {})
