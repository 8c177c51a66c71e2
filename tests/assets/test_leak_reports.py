"""Leaks in the report: what figures were bought with, and what is not known."""

from pathlib import Path

import pytest

from stepmark.app.report import write_report
from stepmark.assets.resources import Pipeline
from stepmark.pipeline.ingest import ingest_path
from stepmark.pipeline.label_files import ingest_labels
from stepmark.pipeline.profile import Profile
from stepmark.store.store import Store

from .conftest import allowing, materialize, write_bench, write_problems


@pytest.mark.slow
def test_only_what_is_learned_from_is_called_trained_on(
    prm_pipeline: Pipeline, store: Store, profile: Profile, tmp_path: Path
) -> None:
    """The sentence and the report tell it from a problem that its split keeps out of the examples."""
    problems = "Q one?", r"What is $\,1 + 1$?"
    ingest_path(store, write_problems(tmp_path / "math.jsonl", *problems), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "a.jsonl", "What is $1+1$"), "processbench", "train")
    (learned,) = materialize(prm_pipeline).get_asset_check_evaluations()
    page = write_report(store, profile.reward, tmp_path / "report.html").read_text()
    ingest_labels(store, write_bench(tmp_path / "b.jsonl", "Q one?"), "processbench", "train")
    (both,) = materialize(prm_pipeline).get_asset_check_evaluations()
    page_of_both = write_report(store, profile.reward, tmp_path / "report.html").read_text()

    kinds = "of problems trained on with problems evaluated on"
    assert str(learned.description).startswith(f"1 overlaps (1 normalised) {kinds}, first p")
    assert str(both.description).startswith(
        f"2 overlaps (1 exact, 1 normalised) {kinds}, 1 of them only asked for in both splits, first p"
    )
    assert "<h2>Problems both trained on and evaluated on</h2>" in page
    assert "<h2>Problems both trained on and evaluated on, or asked for in both splits</h2>" in page_of_both


@pytest.mark.slow
def test_the_report_tells_the_leaks_and_the_decisions(
    prm_pipeline: Pipeline, store: Store, profile: Profile, tmp_path: Path, trained: list[str]
) -> None:
    """Whoever reads the figures reads what they were bought with."""
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q <one>?"), "math", "test")
    store.publish()
    before = write_report(store, profile.reward, tmp_path / "report.html").read_text()
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q <one>?"), "processbench", "train")
    materialize(allowing(prm_pipeline))
    store.publish()
    after = write_report(store, profile.reward, tmp_path / "report.html").read_text()

    assert "None: no problem trained on is, or is nearly, one evaluated on." in before
    assert "1 of them were allowed by decision" in after
    assert "<h2>Problems asked for in both splits</h2>" in after
    assert "In 1 of them the two are one problem, asked for in both splits, that nothing was trained" in after
    assert "through --allow-leak, 2" in after
    assert "Q &lt;one&gt;?" in after


def test_the_report_of_an_older_snapshot_says_that_leaks_are_not_known(
    store: Store, profile: Profile, tmp_path: Path
) -> None:
    """A snapshot without the view is no snapshot without leaks."""
    with store.transaction() as con:
        con.execute("DROP VIEW leaks")
    store.publish()

    assert (
        "the snapshot is older than the check"
        in write_report(store, profile.reward, tmp_path / "report.html").read_text()
    )
