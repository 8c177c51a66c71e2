"""The leak gate: which overlaps stop a model from being trained, and how they are listed."""

from pathlib import Path

import pytest

from stepmark.assets.resources import Pipeline
from stepmark.pipeline.ingest import ingest_path
from stepmark.pipeline.label_files import ingest_labels
from stepmark.store.store import Store

from .conftest import materialize, write_bench, write_problems


@pytest.mark.slow
def test_a_problem_asked_for_in_both_splits_stops_the_training(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """Its labels are kept out of training anyway, but whoever asked for them must know."""
    test = write_problems(tmp_path / "math.jsonl", "Q one?", "Q two?")
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?", "Q three?")
    ingest_path(store, test, "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    result = materialize(prm_pipeline)

    assert not result.success
    assert trained == []
    row = store.read_published("SELECT * EXCLUDE (share, excerpt) FROM leaks").row(0, named=True)
    assert row["trained_problem_id"] == row["evaluated_problem_id"]
    assert row["kind"] == "exact"
    assert row["trained_in"] == []
    assert (row["train_asked_by"], row["test_asked_by"]) == ([str(bench)], [str(test)])
    assert not row["is_allowed"]


@pytest.mark.slow
def test_a_problem_in_other_spelling_stops_the_training_once_it_is_learned_from(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """An overlap that no example rests on is listed, and stops nothing."""
    ingest_path(store, write_problems(tmp_path / "math.jsonl", r"What is $\,1 + 1$?"), "math", "test")
    ingest_path(store, write_problems(tmp_path / "more.jsonl", "What is $1+1$"), "math", "train")
    unlearned = materialize(prm_pipeline)
    assert store.read("SELECT kind FROM problem_overlaps").rows() == [("normalised",)]
    assert store.read("FROM leaks").is_empty()
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "What is $1+1$"), "processbench", "train")
    learned = materialize(prm_pipeline)

    assert (unlearned.success, learned.success, trained) == (True, False, ["prm"])
    assert store.read("SELECT kind, trained_in FROM leaks").rows() == [("normalised", ["prm_examples"])]


@pytest.mark.slow
def test_the_check_lists_the_offenders_and_the_ways_out(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path
) -> None:
    """Ids, kind, share and excerpt as a table; files and remedy in one sentence."""
    test = write_problems(tmp_path / "math.jsonl", "Q one?")
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    ingest_path(store, test, "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    (found,) = materialize(prm_pipeline).get_asset_check_evaluations()

    assert not found.passed
    assert found.description is not None
    assert found.description.startswith("1 overlaps (1 exact) of problems asked for in both splits, first p")
    assert f"as train by {bench} and as test by {test}: 'Q one?'" in found.description
    assert found.metadata["num_leaks"].value == 1
    shown = found.metadata["leaks"].records[0].data
    assert {"trained_problem_id", "evaluated_problem_id", "kind", "share", "excerpt"} <= set(shown)


@pytest.mark.slow
def test_a_model_made_without_its_examples_is_refused_as_well(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """The check stands at the examples; in the UI a model can be made alone."""
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q one?"), "processbench", "train")
    result = materialize(prm_pipeline, examples=False)

    assert (result.success, trained) == (False, [])


@pytest.mark.slow
def test_processbench_as_training_data_stops_the_training(
    real_data: Path, prm_pipeline: Pipeline, store: Store, trained: list[str]
) -> None:
    """108 of its MATH problems are test problems; as test data it leaks nothing."""
    bench = real_data / "step_labels" / "processbench_math.json"
    ingest_path(store, real_data / "math" / "prm800k_split_test_500.jsonl", "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    stopped = materialize(prm_pipeline)
    kinds = store.read("SELECT kind, count(*) FROM leaks GROUP BY ALL").rows()
    assert (stopped.success, trained) == (False, [])
    assert ("exact", 108) in kinds
    ingest_labels(store, bench, "processbench", "test")
    went_on = materialize(prm_pipeline)

    assert (went_on.success, trained) == (True, ["prm"])
    assert store.read("FROM leaks").is_empty()


@pytest.mark.slow
@pytest.mark.parametrize("order", [("train", "test"), ("test", "train")])
def test_maths_own_repeated_problem_stops_the_training(
    real_data: Path, prm_pipeline: Pipeline, store: Store, trained: list[str], order: tuple[str, str]
) -> None:
    """The pair that differs in white space only, whichever file is read first."""
    names = {"train": "math_train_7500.jsonl", "test": "math_test_5000.jsonl"}
    for split in order:
        ingest_path(store, real_data / "math" / names[split], "math", split)
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (False, [])
    assert store.read("SELECT kind, excerpt FROM leaks WHERE starts_with(excerpt, 'The points')").height == 1
