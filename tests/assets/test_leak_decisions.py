"""Decisions on leaks: who allows a model to be trained, how, and for which pairs."""

from pathlib import Path

import pytest

from stepmark.assets.resources import Pipeline
from stepmark.pipeline import leaks
from stepmark.pipeline.ingest import ingest_path
from stepmark.pipeline.label_files import ingest_labels
from stepmark.store.store import Store

from .conftest import allowing, materialize, write_bench, write_problems


@pytest.mark.slow
def test_a_recorded_decision_lets_the_training_run(
    prm_pipeline: Pipeline,
    store: Store,
    tmp_path: Path,
    trained: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who, when, how and which pairs; it holds in later runs for these pairs and for no others."""
    monkeypatch.setattr(leaks.getpass, "getuser", lambda: "ann")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?", "Q two?"), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q one?", "Q 3?"), "processbench", "train")

    allowed, later = materialize(allowing(prm_pipeline)), materialize(prm_pipeline)
    ingest_labels(store, write_bench(tmp_path / "more.jsonl", "Q two?"), "processbench", "train")
    refused = materialize(prm_pipeline)

    assert (allowed.success, later.success, refused.success) == (True, True, False)
    assert trained == ["prm", "prm"]
    decision = store.read("FROM leak_decisions").row(0, named=True)
    assert (decision["decided_by"], decision["decided_through"], decision["kind"]) == (
        "ann",
        "--allow-leak",
        "exact",
    )
    assert decision["decided_at"] is not None
    (check,) = refused.get_asset_check_evaluations()
    assert (check.metadata["num_leaks"].value, check.metadata["num_allowed"].value) == (1, 1)


@pytest.mark.slow
def test_the_profile_can_hold_the_decision(
    prm_pipeline: Pipeline, store: Store, profile_path: Path, tmp_path: Path, trained: list[str]
) -> None:
    """The record says that it came from there."""
    text = profile_path.read_text()
    allowing_profile = tmp_path / "allowing.toml"
    allowing_profile.write_text(text + "\n[leaks]\nallow_leak = true\n")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q one?"), "processbench", "train")
    result = materialize(Pipeline(home=prm_pipeline.home, profile=str(allowing_profile)))

    assert (result.success, trained) == (True, ["prm"])
    assert store.read("SELECT decided_through FROM leak_decisions").item() == "profile"
