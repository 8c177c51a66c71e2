"""Splits that files ask for: importing one again mends a leak, and a path names one file."""

from pathlib import Path

import pytest

from stepmark.assets.resources import Pipeline
from stepmark.pipeline import leaks
from stepmark.pipeline.ingest import ingest_path
from stepmark.pipeline.label_files import ingest_labels
from stepmark.store.store import Store

from .conftest import materialize, write_bench, write_problems

pytestmark = pytest.mark.slow


def test_importing_a_file_again_with_the_right_split_mends_a_leak(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """What a file says last counts, also for its problems that nobody else asked for."""
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?", "Q three?")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    ingest_labels(store, bench, "processbench", "test")
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (True, ["prm"])
    assert store.read("SELECT DISTINCT split FROM problems").rows() == [("test",)]


@pytest.mark.parametrize("is_learned", [False, True])
def test_a_file_of_problems_mends_its_split_while_no_model_learned_from_it(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str], is_learned: bool
) -> None:
    """Once all who asked agree, training goes on; a problem learned from stops it with another way out."""
    mistaken, test = (write_problems(tmp_path / name, "Q one?") for name in ("a.jsonl", "b.jsonl"))
    ingest_path(store, mistaken, "math", "train")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q two?"), "processbench", "train")
    ingest_path(store, test, "math", "test")
    with store.transaction() as con:
        con.execute(
            "INSERT INTO solutions (solution_id, problem_id, source, solution)"
            " SELECT 's', problem_id, 'labeled', 'x' FROM problems WHERE problem = 'Q one?';"
            "INSERT INTO prm_examples VALUES ('s', 0, 'human', 'train', 0, 0, 1)"
        )
        if is_learned:
            con.execute(
                "INSERT INTO reward_models (reward_model_id, kind, base_model, label_sources, config,"
                " checkpoint, checkpoint_sha256, metrics, created_at)"
                " VALUES ('old', 'prm', 'tiny', [], '{}', 'old', 'abc', '{}', '2026-01-01')"
            )
    settings = prm_pipeline.settings().leaks
    stopped = leaks.find_leaks(store, settings, "prm_examples")
    ingest_path(store, mistaken, "math", "test")
    left = leaks.find_leaks(store, settings, "prm_examples")

    assert leaks.sentence(stopped).count("import a file whose split is wrong again") == 1
    assert left.height == is_learned
    if is_learned:
        assert "as train by nobody known" in leaks.sentence(left)
        assert "keeps its split, so import its files again with that one" in leaks.sentence(left)
        ingest_path(store, mistaken, "math", "train")
        ingest_path(store, test, "math", "train")
        assert leaks.find_leaks(
            prm_pipeline.store(), prm_pipeline.settings().leaks, "prm_examples"
        ).is_empty()


def test_two_files_of_one_name_are_two(
    prm_pipeline: Pipeline,
    store: Store,
    tmp_path: Path,
    trained: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bare name is another file in another folder: what the first asked for still counts."""
    for split in ("test", "train"):
        folder = tmp_path / split
        folder.mkdir()
        write_bench(folder / "l.jsonl", "Q one?")
        monkeypatch.chdir(folder)
        ingest_labels(store, Path("l.jsonl"), "processbench", split)
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (False, [])
    assert store.read("SELECT split FROM problems").rows() == [("test",)]
    assert store.read("SELECT train_asked_by, test_asked_by FROM leaks").rows() == [
        ([str(tmp_path / "train" / "l.jsonl")], [str(tmp_path / "test" / "l.jsonl")])
    ]


def test_one_file_is_one_however_its_path_is_typed(
    prm_pipeline: Pipeline,
    store: Store,
    tmp_path: Path,
    trained: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The remedy works from any folder, and where a row came from stays as it was typed."""
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    monkeypatch.chdir(tmp_path)
    ingest_labels(store, Path("bench.jsonl"), "processbench", "test")
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (True, ["prm"])
    assert store.read("SELECT DISTINCT split FROM problem_roles").rows() == [("test",)]
    assert store.read("SELECT source_file FROM problems").rows() == [(str(tmp_path / "math.jsonl"),)]
