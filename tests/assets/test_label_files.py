"""A second label file beside what is stored: what of it is new, known, or refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from stepmark.assets.label_files import LabelReport, ingest_labels
from stepmark.store.store import Store

Row = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "home")


def ingest(store: Store, name: str, label_format: str, *rows: Row) -> LabelReport:
    """Import a file of these rows."""
    path = store.home.parent / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return ingest_labels(store, path, label_format, "train")


def lines(report: LabelReport) -> tuple[int, int, int]:
    """How many lines were accepted, rejected, and duplicates."""
    return report.num_accepted, report.num_rejected, report.num_duplicates


def tree(*prefixes: str) -> Row:
    """An OmegaPRM row; a prefix goes on from the one that it begins with."""
    steps = [{"solution_prefix": f"Q?\n\n{prefix}", "mc_value": 0.5} for prefix in prefixes]
    return {"question": "Q?", "final_answer": "1", "reasoning_steps": steps}


def rated(
    labeler: str, *steps: tuple[str, int | None], beside: tuple[str, int] | None = None, problem: str = "Q?"
) -> Row:
    """A PRM800K row: the path with its ratings, and perhaps an alternative to its last step."""
    completions: list[list[Row]] = [[{"text": text, "rating": rating}] for text, rating in steps]
    if beside:
        completions[-1].append({"text": beside[0], "rating": beside[1]})
    return {
        "labeler": labeler,
        "question": {"problem": problem},
        "label": {"steps": [{"completions": step, "chosen_completion": 0} for step in completions]},
    }


def count(store: Store, table: str) -> int:
    """How many rows the table has."""
    number: int = store.read(f"SELECT count(*) FROM {table}").item()
    return number


def test_of_a_row_whose_steps_are_not_those_stored_nothing_stays(store: Store) -> None:
    """Neither its alternatives, nor the role of its problem, nor what it says in the counts."""
    ingest(store, "first", "prm800k", rated("ann", ("a", 1), ("b", 1)))
    before = {table: count(store, table) for table in ("solutions", "steps", "problem_roles", "step_labels")}
    report = ingest(store, "second", "prm800k", rated("bob", ("a\nb", 1), beside=("c", -1)))

    assert lines(report) == (0, 1, 0)
    assert {table: count(store, table) for table in before} == before
    assert +report.counts == {"lines": 1, "rejected": 1}


def test_rows_beside_a_refused_one_keep_what_they_share_with_it(store: Store) -> None:
    """An alternative that a sound row rates too stays, and so do that row's problem and counts."""
    ingest(store, "first", "prm800k", rated("ann", ("x", 1), ("b", 1)))
    refused = rated("bob", ("x\nb", 1), beside=("c", -1))
    sound = rated("bob", ("y", 1), beside=("c", -1))
    report = ingest(store, "second", "prm800k", refused, sound)

    assert lines(report) == (1, 1, 0)
    assert store.read("SELECT solution FROM solutions WHERE source = 'alternative'").rows() == [("c",)]
    assert store.read("SELECT asked_by FROM problem_roles ORDER BY 1").height == 2
    assert (report.counts["steps"], report.counts["completions"], report.counts["alternatives"]) == (1, 2, 1)


def test_a_row_that_is_refused_is_no_duplicate_besides(store: Store) -> None:
    """One of its solutions is stored with other steps, the other is known: it counts once, as refused."""
    ingest(store, "first", "omegaprm", tree("a\nb", "z"))
    report = ingest(store, "second", "omegaprm", tree("a", "a\nb", "z"))

    assert lines(report) == (0, 1, 0)
