"""The wiring: the graph as it should be, and what loading it may not import."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.utils import DISALLOWED_NAMES

from stepmark.assets.checks import ASSET_OF_AUDIT
from stepmark.assets.definitions import build_definitions
from stepmark.assets.resources import Pipeline
from stepmark.pipeline.reserved_names import ASSETS, why_refused
from stepmark.store.auditing import list_audits

pytestmark = pytest.mark.slow

GRAPH = {
    "problems": set(),
    "human_labels": {"problems"},
    "solutions": {"problems", "human_labels"},
    "steps": {"solutions", "human_labels"},
    "outcomes": {"solutions"},
    "grader_audit": {"outcomes", "rollouts"},
    "oracle_labels": {"steps", "human_labels"},
    "rollouts": {"steps", "outcomes"},
    "monte_carlo_labels": {"rollouts"},
    "orm_examples": {"outcomes", "steps"},
    "prm_examples": {"human_labels", "oracle_labels", "monte_carlo_labels"},
    "orm": {"orm_examples"},
    "orm_whole": {"orm_examples"},
    "prm_monte_carlo": {"prm_examples"},
    "prm_oracle": {"prm_examples"},
    "scores": {
        "orm",
        "orm_whole",
        "prm_monte_carlo",
        "prm_oracle",
        "steps",
        "outcomes",
        "monte_carlo_labels",
    },
    "best_of_n": {"scores"},
    "label_agreement": {"oracle_labels", "human_labels", "monte_carlo_labels"},
    "first_error_detection": {"scores", "oracle_labels", "human_labels"},
    "length_bias": {"scores", "outcomes"},
    "published_snapshot": {
        "best_of_n",
        "label_agreement",
        "first_error_detection",
        "length_bias",
        "grader_audit",
    },
}

GATES = {("leak_gate", asset) for asset in ("human_labels", "orm_examples", "prm_examples")}


def definitions(tmp_path: Path) -> dg.Definitions:
    """The definitions of the embedded default."""
    pipeline = Pipeline(home=str(tmp_path), profile="minimath")
    return build_definitions(pipeline, pipeline.settings())


def test_the_graph_of_the_embedded_default(tmp_path: Path) -> None:
    """Every asset with what it depends on."""
    graph = definitions(tmp_path).resolve_asset_graph()
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }

    assert found == GRAPH


def test_words_that_dagster_keeps_are_refused_for_reward_models() -> None:
    """An asset of such a name would end in Dagster's own traceback."""
    assert {word for word in DISALLOWED_NAMES if why_refused(word) is None} == set()


def test_the_names_of_assets_are_refused_for_reward_models() -> None:
    """Every asset but the reward models themselves is on the list."""
    assert set(ASSETS) == set(GRAPH) - {"orm", "orm_whole", "prm_monte_carlo", "prm_oracle"}


def test_every_audit_is_an_asset_check(tmp_path: Path) -> None:
    """An audit nobody runs finds nothing."""
    graph = definitions(tmp_path).resolve_asset_graph()
    checks = {(key.name, key.asset_key.to_user_string()) for key in graph.asset_check_keys}

    assert checks == {*ASSET_OF_AUDIT.items(), *GATES}
    assert set(ASSET_OF_AUDIT) == {audit.name for audit in list_audits()}


def test_one_job_and_a_daily_schedule(tmp_path: Path) -> None:
    """The job selects every asset; the schedule runs it once a day."""
    found = definitions(tmp_path)
    job = found.resolve_job_def("refresh")

    assert {key.to_user_string() for key in job.asset_layer.selected_asset_keys} == set(GRAPH)
    assert found.resolve_schedule_def("daily").cron_schedule == "0 3 * * *"


def test_definitions_load_without_torch_and_vllm() -> None:
    """The UI starts fast, and on a machine without an engine."""
    code = (
        "import sys, stepmark.assets.definitions as d; d.defs();"
        "print([m for m in ('torch', 'vllm', 'transformers') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
