"""Values, counts and bounds of a step: they come back with their labels, or the row is refused."""

import json
from pathlib import Path

import pytest

from stepmark.app.import_labels import import_labels_command
from stepmark.store.store import Store

from .conftest import exported, run, there_and_back
from .rows import Row

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["stepmark", "csv", "parquet"])
def test_an_estimate_keeps_its_hard_label(tmp_path: Path, name: str) -> None:
    """It may be another one than the value's side of a half: what is believed goes out with it."""
    file = tmp_path / "labels.jsonl"
    estimates = [{"p_wrong_low": 0.8, "p_wrong_high": 0.9}, {"p_wrong_low": 0.4, "p_wrong_high": 0.6}]
    row = {"problem": "P", "steps": ["a", "b"], "label_source": "mc", "values": [0.9, 0.9]}
    file.write_text(json.dumps(row | {"estimates": estimates}))

    homes = there_and_back(tmp_path, file, name)

    labels = "SELECT step_index, rating FROM hard_labels ORDER BY ALL"
    assert [Store(home).read(labels).rows() for home in homes] == [[(0, -1), (1, None)]] * 2


@pytest.mark.parametrize(
    ("estimate", "reason"),
    [
        ({"num_rollouts": 2, "num_correct": 3}, "num_rollouts is 2, fewer than the 3 that are counted"),
        ({"num_rollouts": -1}, "num_rollouts is -1, not a whole number from 0 on"),
        ({"p_wrong_low": 0.6, "p_wrong_high": 0.5}, "p_wrong_low is 0.6, above p_wrong_high, which is 0.5"),
        ({"num_rollouts": 4}, "num_rollouts is 4, but num_correct is not given"),
        ({"value_low": 1.5}, "value_low is 1.5, not a number from 0 to 1 or null"),
        ({"has_signal": 2}, "has_signal is 2, not true, false or null"),
        ({"estimator": 7}, "estimator is 7, not text"),
    ],
)
def test_an_estimate_that_cannot_be_is_refused(tmp_path: Path, estimate: Row, reason: str) -> None:
    """The reason names the field by its place."""
    file, home = tmp_path / "labels.jsonl", tmp_path / "home"
    row = {"problem": "P", "steps": ["a"], "label_source": "mc", "values": [0.5], "estimates": [estimate]}
    sound = {"problem": "P", "steps": ["b"], "label_source": "mc", "values": [0.5]}
    file.write_text(f"{json.dumps(sound)}\n{json.dumps(row)}")
    run(import_labels_command, str(file), "--home", str(home))

    assert Store(home).read("SELECT line, reason FROM rejects").rows() == [(2, f"estimates[0].{reason}")]


def test_values_and_counts_beside_people_s_ratings_are_not_lost(tmp_path: Path) -> None:
    """A table holds them, for the person with whose ratings they came; Label Studio's export counts them."""
    shared = {"problem": "P", "solution_id": "x", "step_index": 0, "step": "a", "rating": 1}
    rows = [
        shared | {"labeler": "ann", "value": 0.75, "num_rollouts": 4, "num_correct": 3},
        shared | {"labeler": "bob"},
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    run(import_labels_command, str(file), "--home", str(tmp_path / "home"))
    _, table = exported(tmp_path / "home", "jsonl")
    told, _ = exported(tmp_path / "home", "label-studio")

    assert [(row["labeler"], row["value"], row["num_rollouts"], row["num_correct"]) for row in table] == [
        ("ann", 0.75, 4, 3),
        ("bob", None, None, None),
    ]
    assert "1 values and counts beside people's ratings left out" in told
