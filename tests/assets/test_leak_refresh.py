"""The leak gates in a refresh: where it stops, with what sentence, and how it goes on."""

import json
from pathlib import Path

import dagster as dg
import pytest
from click.testing import CliRunner

from stepmark.app.refresh import refresh_command
from stepmark.app.run import refresh
from stepmark.assets.leak_gates import leak_gates
from stepmark.assets.problem_assets import human_labels
from stepmark.assets.resources import Pipeline
from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.minimath import distinct_problems
from stepmark.pipeline.ingest import ingest_path
from tests.small_pipeline import FakeEngine

from .conftest import allowing, materialize, write_bench, write_problems


@pytest.mark.slow
def test_refresh_stops_with_the_sentence_of_the_gate_and_goes_on_with_allow_leak(
    prm_pipeline: Pipeline, profile_path: Path, tmp_path: Path, trained: list[str]
) -> None:
    """The whole job, with a minimath training problem among the test problems of a file."""
    problem = distinct_problems(4, 0, "train")[0].problem
    file = tmp_path / "test.jsonl"
    spaced = {"problem": problem.problem.replace(" ", "  "), "answer": problem.ground_truth_answer}
    file.write_text(json.dumps(spaced) + "\n")
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    profile_path.write_text(
        profile_path.read_text()
        .replace(
            "[problems]",
            f'[problems]\nfiles = [{{ path = "{file}", split = "test" }}]\n'
            f'labels = [{{ path = "{bench}", split = "test" }}]',
        )
        .replace("num_minimath_test = 3", "num_minimath_test = 0\nmax_test = 0")
        .replace('["processbench"]', '["oracle", "processbench"]')
    )
    arguments = ["--profile", str(profile_path), "--home", prm_pipeline.home]
    stopped = CliRunner().invoke(refresh_command, arguments, obj=type(prm_pipeline))

    assert isinstance(stopped.exception, StepmarkError)
    assert "the check 'leak_gate' of the asset 'orm_examples' failed: 1 overlaps" in str(stopped.exception)
    assert "allow them with --allow-leak" in str(stopped.exception)
    assert trained == []
    went_on = CliRunner().invoke(
        refresh_command, [*arguments, "--allow-leak"], obj=type(prm_pipeline), catch_exceptions=False
    )
    assert (went_on.exit_code, trained) == (0, ["prm"])
    assert "> solutions\n  nothing new\n> " in went_on.stderr
    told = "kept out of training, as their problems are for testing: 2 labels by processbench"
    assert f"> prm_examples\n  {told}\n> " in went_on.stderr
    assert "> best_of_n\n> " in went_on.stderr  # made anew each time
    home = prm_pipeline.home
    assert went_on.stdout.splitlines() == [
        f"Database  {home}/published/stepmark.duckdb"
        f"   try: stepmark sql --home {home} 'SELECT * FROM label_counts'",
        f"Report    {home}/report.html   write it: stepmark report --home {home} --profile {profile_path}",
    ]


@pytest.mark.slow
def test_refresh_stops_for_a_problem_in_both_splits_before_it_samples(
    prm_pipeline: Pipeline, profile_path: Path, tmp_path: Path, trained: list[str], engine: FakeEngine
) -> None:
    """It is known once the files are read; allowed, it is on record, and no later gate stops for it."""
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    labels = f'labels = [{{ path = "{bench}", split = "train" }}]'
    profile_path.write_text(profile_path.read_text().replace("[problems]", f"[problems]\n{labels}"))
    ingest_path(prm_pipeline.store(), write_problems(tmp_path / "test.jsonl", "Q one?"), "math", "test")
    with pytest.raises(StepmarkError, match="the check 'leak_gate' of the asset 'human_labels' failed: 1 ov"):
        refresh(Path(prm_pipeline.home), str(profile_path), resource=type(prm_pipeline))

    assert engine.calls == []
    assert prm_pipeline.store().read_published("SELECT trained_in FROM leaks").rows() == [([],)]
    store = prm_pipeline.store()
    result = dg.materialize(
        [human_labels, leak_gates()[0]], resources={"pipeline": allowing(prm_pipeline)}, raise_on_error=False
    )
    assert result.success
    assert store.read("SELECT kind, decided_through FROM leak_decisions").rows() == [
        ("exact", "--allow-leak")
    ]
    assert materialize(prm_pipeline).success
