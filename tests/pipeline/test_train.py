"""When a reward model is trained, and when the one that is there is taken."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.reward.folder import DESCRIPTION, FORMAT, folder_sha256
from stepmark.pipeline import train
from stepmark.pipeline.profile import Profile, Reward, RewardModelSettings
from stepmark.pipeline.train import train_reward_model
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

HEAD = "head.safetensors"
MODEL = RewardModelSettings(name="prm", kind="prm", label_sources=("oracle",))


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders that a training wrote, in order; the training itself is left out."""
    folders: list[Path] = []

    def fit(store: Store, reward: Any, model: Any, targets: Any, folder: Path, *rest: Any) -> dict[str, str]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / DESCRIPTION).write_text(json.dumps({"format": FORMAT}))
        (folder / HEAD).write_text("weights")
        folders.append(folder)
        return {"checkpoint_sha256": folder_sha256(folder), "metrics": "{}"}

    monkeypatch.setattr(train, "_fit", fit)
    monkeypatch.setattr(train, "_config", lambda model, reward: '{"base_sha256": "b"}')
    monkeypatch.setattr(train, "targets_of", lambda store, model: pl.DataFrame({"solution_id": ["s"]}))
    return folders


def test_what_is_trained_is_not_trained_again(store: Store, profile: Profile, trained: list[Path]) -> None:
    """The same targets and settings are the same model."""
    first = train_reward_model(store, profile.reward, MODEL)
    second = train_reward_model(store, profile.reward, MODEL)

    assert first == second
    assert len(trained) == 1


def test_an_option_that_is_not_used_changes_no_models_id(profile: Profile) -> None:
    """The id hashes these settings: all models would be trained and would score again."""
    reward = profile.reward.model_copy(update={"base": "hub/name"})
    orm = RewardModelSettings(name="orm", kind="orm")
    pooling = orm.model_copy(update={"pools_solution": True})
    settings = [json.loads(train._config(model, reward))["model"] for model in (orm, pooling)]

    assert settings[0].keys() == {"name", "kind", "label_sources", "max_problems"}
    assert settings[1] == settings[0] | {"pools_solution": True}


def test_a_new_setting_at_its_default_changes_no_models_id(profile: Profile) -> None:
    """All models would be trained and would score again; another value is another model."""

    class LaterReward(Reward):
        warm_up: int = 0

    reward = profile.reward.model_copy(update={"base": "hub/name"})
    later = LaterReward(**reward.model_dump())
    warm = later.model_copy(update={"warm_up": 5})

    assert train._config(MODEL, later) == train._config(MODEL, reward)
    assert json.loads(train._config(MODEL, warm)) == json.loads(train._config(MODEL, reward)) | {"warm_up": 5}


@pytest.mark.parametrize("damage", ['{"format": 1}', "{", None])
def test_a_checkpoint_that_cannot_be_read_any_more_is_made_again(
    store: Store, profile: Profile, trained: list[Path], damage: str | None
) -> None:
    """One of an older format, a damaged one, one that is gone: the row stays one row."""
    train_reward_model(store, profile.reward, MODEL)
    description = trained[0] / DESCRIPTION
    description.unlink()
    if damage is not None:
        description.write_text(damage)
    train_reward_model(store, profile.reward, MODEL)

    assert trained == [trained[0]] * 2
    assert store.read("SELECT count(*) FROM reward_models").item() == 1


@pytest.mark.parametrize("name", [HEAD, "backbone/added.json"])
def test_files_that_training_did_not_write_are_replaced(
    store: Store, profile: Profile, trained: list[Path], name: str
) -> None:
    """Another head of the same shape, a file too many: the rerun ends with what training wrote, and stays."""
    first = train_reward_model(store, profile.reward, MODEL)
    (trained[0] / name).parent.mkdir(exist_ok=True)
    (trained[0] / name).write_text("another's")
    again = train_reward_model(store, profile.reward, MODEL)
    train_reward_model(store, profile.reward, MODEL)

    assert trained == [trained[0]] * 2
    assert again["checkpoint_sha256"] == first["checkpoint_sha256"]
    assert sorted(path.name for path in trained[0].iterdir()) == [HEAD, DESCRIPTION]


def test_where_no_folder_can_be_nothing_is_trained(
    store: Store, profile: Profile, trained: list[Path]
) -> None:
    """The sentence names the folder; a file in the place of one model's folder is replaced."""
    models = store.home / "reward_models"
    store.home.mkdir(exist_ok=True)
    models.write_text("")
    with pytest.raises(InputError, match=r"prm-\w+: the model cannot be written there \(Not a directory\)"):
        train_reward_model(store, profile.reward, MODEL)
    assert not trained

    models.unlink()
    folder = store.home / train_reward_model(store, profile.reward, MODEL)["checkpoint"]
    shutil.rmtree(folder)
    folder.write_text("")
    train_reward_model(store, profile.reward, MODEL)
    assert (folder / HEAD).is_file()


@pytest.mark.parametrize(("stored_sha256", "num_kept"), [(None, 1), ("a" * 64, 0)])
def test_scores_go_with_the_model_that_gave_them(
    store: Store, profile: Profile, trained: list[Path], stored_sha256: str | None, num_kept: int
) -> None:
    """A model trained again that comes out the same keeps its scores; one that differs does not."""
    key = train_reward_model(store, profile.reward, MODEL)["reward_model_id"]
    with store.transaction() as con:
        con.execute("INSERT INTO scores VALUES (?, 's', 0, 0.1, 0.1, 0.8)", [key])
        con.execute(
            "UPDATE reward_models SET checkpoint_sha256 = coalesce(?, checkpoint_sha256)", [stored_sha256]
        )
    (trained[0] / HEAD).unlink()
    train_reward_model(store, profile.reward, MODEL)

    assert len(trained) == 2
    assert store.read("SELECT count(*) FROM scores").item() == num_kept
