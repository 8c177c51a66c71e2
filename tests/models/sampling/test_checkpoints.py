"""Finding checkpoints and telling them apart."""

import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.models.sampling import checkpoint_sha256, local_checkpoint


def _checkpoint(folder: Path, weights: bytes = b"w") -> Path:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_the_hash_does_not_depend_on_where_the_folder_lies(tmp_path: Path) -> None:
    """A copy is the same model."""
    one = _checkpoint(tmp_path / "one")
    two = shutil.copytree(one, tmp_path / "two")

    assert checkpoint_sha256(one) == checkpoint_sha256(two)


@pytest.mark.parametrize(
    "name", ["model.safetensors", "config.json", "tokenizer.json", "generation_config.json"]
)
def test_a_change_in_any_file_that_decides_samples_changes_the_hash(tmp_path: Path, name: str) -> None:
    """Weights, configuration, tokenizer and end tokens are all part of the model."""
    folder = _checkpoint(tmp_path / "model")
    before = checkpoint_sha256(folder)

    (folder / name).write_bytes(b"changed")

    assert checkpoint_sha256(folder) != before


def test_other_files_do_not_change_the_hash(tmp_path: Path) -> None:
    """A README or an optimizer state is not the model."""
    folder = _checkpoint(tmp_path / "model")
    before = checkpoint_sha256(folder)

    (folder / "README.md").write_text("about")

    assert checkpoint_sha256(folder) == before


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    """The message says which folder is missing."""
    with pytest.raises(InputError, match="nowhere: there is no such model folder"):
        local_checkpoint(str(tmp_path / "nowhere"))


def test_pickled_weights_alone_are_refused(tmp_path: Path) -> None:
    """Only safetensors are read."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")

    with pytest.raises(InputError, match=r"no \*\.safetensors"):
        local_checkpoint(str(tmp_path))


def test_a_hub_name_that_cannot_be_fetched_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline and not in the cache: one sentence, not a traceback of the hub's."""
    import huggingface_hub

    def offline(name: str, allow_patterns: list[str]) -> str:
        raise OSError("cannot reach the hub")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)

    with pytest.raises(StepmarkError, match=r"nobody/nothing: .*cannot reach the hub"):
        local_checkpoint("nobody/nothing")


def test_a_hub_name_fetches_no_pickles_and_no_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is asked for matches neither pickled weights nor a model's own Python."""
    import huggingface_hub

    folder = _checkpoint(tmp_path / "snapshot")
    asked: list[str] = []

    def download(name: str, allow_patterns: list[str]) -> str:
        asked.extend(allow_patterns)
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)

    assert local_checkpoint("somebody/model") == folder
    assert not [p for p in asked for name in ("pytorch_model.bin", "modeling.py") if fnmatch(name, p)]
