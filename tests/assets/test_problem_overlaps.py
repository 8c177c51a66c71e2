"""Overlaps of problems: what the policy compares, how often, and what it finds in the demo."""

from pathlib import Path

import pytest

from stepmark.labeling.overlap import find_overlaps
from stepmark.pipeline import leaks
from stepmark.pipeline.ingest import ingest_path, ingest_problems
from stepmark.pipeline.leaks import measure_overlaps
from stepmark.pipeline.profile import Leaks
from stepmark.pipeline.profile_file import load_profile
from stepmark.store.store import Store

from .conftest import write_problems

pytestmark = pytest.mark.slow


def test_every_field_of_the_policy_has_an_effect(store: Store, tmp_path: Path) -> None:
    """The profile's numbers reach the comparison."""
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    ingest_path(store, write_problems(tmp_path / "a.jsonl", words), "math", "train")
    ingest_path(store, write_problems(tmp_path / "b.jsonl", words + " x lambda mu nu"), "math", "test")
    ingest_path(store, write_problems(tmp_path / "c.jsonl", "y " + words), "math", "train")

    assert measure_overlaps(store, Leaks()) == 2
    assert measure_overlaps(store, Leaks(num_words=11)) == 0
    assert measure_overlaps(store, Leaks(min_share=0.8)) == 1
    assert measure_overlaps(store, Leaks(max_common=1)) == 0


def test_problems_are_compared_once_while_they_stay_the_same(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every gate and every model of a refresh asks; the pairs are stored again, whoever has changed them."""
    compared = []
    monkeypatch.setattr(
        leaks, "find_overlaps", lambda *sides: compared.append(sides) or find_overlaps(*sides)
    )
    ingest_path(store, write_problems(tmp_path / "a.jsonl", "Compare $1$ once."), "math", "train")
    ingest_path(store, write_problems(tmp_path / "b.jsonl", "compare  $1$ once"), "math", "test")
    measure_overlaps(store, Leaks())
    store.delete("problem_overlaps", "true")

    assert (measure_overlaps(store, Leaks()), len(compared)) == (1, 1)
    assert store.read("SELECT count(*) FROM problem_overlaps").item() == 1
    ingest_path(store, write_problems(tmp_path / "c.jsonl", "COMPARE $1$ once"), "math", "train")
    assert (measure_overlaps(store, Leaks()), len(compared)) == (2, 2)
    measure_overlaps(store, Leaks(num_words=9))
    assert len(compared) == 3


def test_the_demos_problems_pass_the_gate(store: Store) -> None:
    """Families of problems share their wording; that is no leak."""
    profile = load_profile("minimath")
    ingest_problems(store, profile.problems)

    assert measure_overlaps(store, profile.leaks) == 0
