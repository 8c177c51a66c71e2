"""When a reward model is trained, and when the one that is there is taken."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stepmark.assets import train
from stepmark.assets.profile import Profile, RewardModel
from stepmark.assets.train import train_reward_model
from stepmark.models.reward.folder import DESCRIPTION, FORMAT
from stepmark.store.store import Store

MODEL = RewardModel(name="prm", kind="prm", label_sources=("oracle",))


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders that a training wrote, in order; the training itself is left out."""
    folders: list[Path] = []

    def fit(store: Store, reward: Any, model: Any, targets: Any, folder: Path) -> dict[str, str]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / DESCRIPTION).write_text(json.dumps({"format": FORMAT}))
        folders.append(folder)
        return {"checkpoint_sha256": "c" * 64, "metrics": "{}"}

    monkeypatch.setattr(train, "_fit", fit)
    monkeypatch.setattr(train, "_config", lambda model, reward: '{"base_sha256": "b"}')
    monkeypatch.setattr(train, "targets_of", lambda store, model: pl.DataFrame({"solution_id": ["s"]}))
    return folders


def test_what_is_trained_is_not_trained_again(store: Store, profile: Profile, trained: list[Path]) -> None:
    """The same targets and settings are the same model."""
    first = train_reward_model(store, profile, MODEL)
    second = train_reward_model(store, profile, MODEL)

    assert first == second
    assert len(trained) == 1


@pytest.mark.parametrize("damage", ['{"format": 1}', "{", None])
def test_a_checkpoint_that_cannot_be_read_any_more_is_made_again(
    store: Store, profile: Profile, trained: list[Path], damage: str | None
) -> None:
    """One of an older format, a damaged one, one that is gone: the row stays one row."""
    train_reward_model(store, profile, MODEL)
    description = trained[0] / DESCRIPTION
    description.unlink()
    if damage is not None:
        description.write_text(damage)
    train_reward_model(store, profile, MODEL)

    assert trained == [trained[0]] * 2
    assert store.read("SELECT count(*) FROM reward_models").item() == 1
