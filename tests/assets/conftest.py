"""A pipeline whose PRM is not trained but noted, and files of problems and labels that leak."""

import json
from pathlib import Path

import dagster as dg
import pytest

from stepmark.assets import reward_assets
from stepmark.assets.leak_gates import leak_gates
from stepmark.assets.resources import Pipeline
from stepmark.assets.reward_assets import prm_examples, reward_model_assets

PRM = '\n[[reward.models]]\nname = "prm"\nkind = "prm"\nlabel_sources = ["processbench"]\n'


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models whose training was begun, in the place of training them."""
    names: list[str] = []

    def train(store: object, profile: object, model: object, readings: object) -> dict[str, str]:
        names.append(model.name)
        return {}

    monkeypatch.setattr(reward_assets, "train_reward_model", train)
    monkeypatch.setattr(reward_assets, "_training_metadata", lambda row, started: {})
    return names


@pytest.fixture
def prm_pipeline(pipeline: Pipeline, profile_path: Path) -> Pipeline:
    """The small profile with a PRM that learns from ProcessBench's labels."""
    profile_path.write_text(profile_path.read_text().replace('base = "fake"', 'base = "tiny:base"') + PRM)
    return pipeline


def write_bench(path: Path, *problems: str) -> Path:
    """A file as ProcessBench has it, with one solution to each problem."""
    rows = [{"problem": p, "steps": ["a", "b"], "label": 1, "final_answer_correct": False} for p in problems]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def write_problems(path: Path, *problems: str) -> Path:
    """A file of problems."""
    path.write_text("\n".join(json.dumps({"problem": p, "answer": "1"}) for p in problems) + "\n")
    return path


def materialize(pipeline: Pipeline, *, examples: bool = True) -> dg.ExecuteInProcessResult:
    """Make the examples, check them, train the model; or the model alone."""
    made = [prm_examples, leak_gates()[2]] if examples else []
    return dg.materialize(
        [*made, *reward_model_assets(pipeline.settings())],
        resources={"pipeline": pipeline},
        raise_on_error=False,
    )


def allowing(pipeline: Pipeline) -> Pipeline:
    """The same pipeline in a run with --allow-leak."""
    return Pipeline(home=pipeline.home, profile=pipeline.profile, allow_leak=True)
