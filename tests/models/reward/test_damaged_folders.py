"""Folders of reward models with one file damaged: each is refused in one sentence that names the file."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import split_steps
from stepmark.models.reward.checkpoint import (
    RewardModel,
    load_reward_model,
    new_reward_model,
    save_reward_model,
)
from stepmark.models.reward.folder import folder_sha256, holds_reward_model
from stepmark.models.reward.network import HeadConfig
from stepmark.models.reward.scoring import Scorable, likelihood_of_steps, score_solutions

HEAD, WEIGHTS, CONFIG = "head.safetensors", "backbone/model.safetensors", "backbone/config.json"
TOKENIZER, TOKENIZER_CONFIG = "backbone/tokenizer.json", "backbone/tokenizer_config.json"
JSON_FILES = ("reward.json", CONFIG, TOKENIZER, TOKENIZER_CONFIG, "backbone/generation_config.json")
SOLUTION = "First: $1 + 2 = 3$.\nSo: $3$."
TEXT = Scorable("Compute $1 + 2$.", SOLUTION, tuple(split_steps(SOLUTION)))
Tensors = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def whole(base_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reward model as training writes it."""
    out = tmp_path_factory.mktemp("whole")
    save_reward_model(new_reward_model(str(base_path), "{problem}\n", 96, HeadConfig(8), 0), out)
    return out


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(whole, tmp_path / "model"))


def refusal(folder: Path, load: Callable[[Path], object] = load_reward_model) -> str:
    """The sentence that a folder is refused with, without the path of the folder."""
    with pytest.raises(InputError) as refused:
        load(folder)
    message = str(refused.value)
    assert message.startswith(str(folder))
    assert "\n" not in message
    assert len(message) < 500
    return message.replace(str(folder), "").lstrip("/")


def scored(folder: Path) -> object:
    """What the model of the folder scores."""
    loaded = load_reward_model(folder)
    return score_solutions(loaded.network, loaded.encoder, [TEXT])


@pytest.mark.parametrize("name", [HEAD, WEIGHTS])
@pytest.mark.parametrize("content", [b"", b"\x08\0", b"\xff" * 500, None])
def test_weights_that_are_no_safetensors_are_refused(folder: Path, name: str, content: bytes | None) -> None:
    """Empty, shorter than a length, garbage, and cut off as a full disk cuts it (None)."""
    (folder / name).write_bytes((folder / name).read_bytes()[:-50] if content is None else content)

    assert refusal(folder).startswith(f"{name}: the weights cannot be read (")


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"', b'{"a": "\xff"}', b"[" * 10**5, b"9" * 5000])
def test_a_description_that_is_no_json_object_is_refused(folder: Path, name: str, content: bytes) -> None:
    """Not JSON, not an object, not UTF-8, nested deeper or longer than Python reads."""
    (folder / name).write_bytes(content)

    assert refusal(folder).startswith(f"{name}: ")
    assert not (name == "reward.json" and holds_reward_model(folder, folder_sha256(folder)))


@pytest.mark.parametrize("name", [*JSON_FILES, HEAD, WEIGHTS])
def test_what_is_no_file_is_named(folder: Path, name: str) -> None:
    """A pipe would be waited at for ever."""
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert refusal(folder).startswith(f"{name}: this is a pipe; ")
    (folder / name).unlink()
    (folder / name).mkdir()
    assert refusal(folder).startswith(f"{name}: this is a folder; ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reward.json", ": no reward model is here (reward.json is missing)"),
        (CONFIG, f"{CONFIG}: the file is missing"),
        (HEAD, f"{HEAD}: the file is missing"),
        (WEIGHTS, "backbone: cannot load a language model: the weights cannot be used"),
        (TOKENIZER, "backbone: cannot load a language model: the tokenizer cannot be used"),
    ],
)
def test_a_missing_file_is_named(folder: Path, name: str, message: str) -> None:
    """So is a backbone that is no folder."""
    (folder / name).unlink()
    assert refusal(folder).startswith(message)
    shutil.rmtree(folder / "backbone")
    assert message.startswith(":") or "is missing" in refusal(folder)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("reward.json", {"format": 99}, "reward.json: format 99 is not 2"),
        ("reward.json", {"kind": ["prm"]}, "reward.json: kind ['prm'] is neither orm nor prm"),
        ("reward.json", {"head": None}, "reward.json: head None is no object"),
        ("reward.json", {"head": {"size": 8}}, "reward.json: head.size is no part of a head"),
        ("reward.json", {"head": {"head_size": "8"}}, "reward.json: head.head_size '8' is no size"),
        ("reward.json", {"head": {"head_size": 10**9}}, f"{HEAD}: no tensor has the head_size 1000000000"),
        (
            "reward.json",
            {"head": {"reads_hidden": 1}},
            "reward.json: head.reads_hidden 1 is no true",
        ),
        (
            "reward.json",
            {"head": {"reads_hidden": False, "reads_likelihood": False}},
            "reward.json: head reads neither",
        ),
        (
            "reward.json",
            {"head": {"head_size": 8, "reads_hidden": False}},
            f"{HEAD}: the head does not fit: the file holds beside the head from_hidden",
        ),
        ("reward.json", {"prompt_template": 7}, "reward.json: prompt_template 7 is no text"),
        ("reward.json", {"prompt_template": "no"}, "reward.json: prompt_template 'no' is no text that holds"),
        ("reward.json", {"prompt_template": "{problem}\ud800"}, "reward.json: prompt_template"),
        ("reward.json", {"max_tokens": 0}, "reward.json: max_tokens 0 is no number of tokens"),
        ("reward.json", {"max_tokens": True}, "reward.json: max_tokens True is no number"),
        ("reward.json", {"pools_solution": "yes"}, "reward.json: pools_solution 'yes' is no true or false"),
        (CONFIG, {"model_type": "no-such"}, "backbone: cannot load a language model: config.json"),
        (CONFIG, {"hidden_size": "32"}, "backbone: cannot load a language model: config.json"),
        (CONFIG, {"intermediate_size": 96}, "backbone: cannot load a language model: the weights model."),
        (
            CONFIG,
            {"num_hidden_layers": 1},
            "backbone: cannot load a language model: the weights model.lay",
        ),
        (TOKENIZER, {"model": {}}, "backbone: cannot load a language model: the tokenizer cannot be used"),
        (TOKENIZER_CONFIG, {"model_max_length": []}, "backbone: cannot load a language model: the tokenizer"),
    ],
)
def test_a_wrong_value_is_named(folder: Path, name: str, change: dict[str, Any], message: str) -> None:
    """The key where the file is ours, what could not be used where it is a library's."""
    values = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(values | change))

    assert refusal(folder).startswith(message)


def _dropped(tensors: Tensors) -> None:
    del tensors[min(tensors)]


def _reshaped(tensors: Tensors) -> None:
    tensors[min(tensors)] = torch.zeros(3, 5)


def _added(tensors: Tensors) -> None:
    tensors["backbone.model.norm.weight"] = torch.zeros(32)  # would replace the backbone's own


def _with_nan(tensors: Tensors) -> None:
    tensors[min(tensors)].view(-1)[0] = torch.nan


def _with_infinity(tensors: Tensors) -> None:
    tensors[min(tensors)].view(-1)[0] = torch.inf


@pytest.mark.parametrize("name", [HEAD, WEIGHTS])
@pytest.mark.parametrize("damage", [_dropped, _reshaped, _added, _with_nan, _with_infinity])
def test_weights_that_do_not_make_the_model_are_refused(
    folder: Path, name: str, damage: Callable[[Tensors], None]
) -> None:
    """A weight that is missing would be drawn at random, and the scores would look like scores."""
    tensors = load_file(folder / name)
    damage(tensors)
    save_file(tensors, folder / name, metadata={"format": "pt"})

    assert refusal(folder).startswith(name.removesuffix("/model.safetensors"))


def test_weights_too_large_to_compute_with_give_no_score(folder: Path) -> None:
    """They are finite, the model's answer is not: NaN is refused, not handed on."""
    tensors = load_file(folder / HEAD)
    save_file({name: torch.full_like(t, 3e38) for name, t in tensors.items()}, folder / HEAD)

    assert refusal(folder, scored).startswith("backbone: the model answers NaN")


def test_a_likelihood_that_is_nan_is_refused(whole: Path) -> None:
    """The baselines' scores are stored, too."""
    model: RewardModel = load_reward_model(whole)
    torch.nn.init.constant_(model.network.backbone.get_output_embeddings().weight, torch.nan)

    with pytest.raises(InputError, match="the model answers NaN"):
        likelihood_of_steps(model.network.backbone, model.encoder, [TEXT])


def test_a_tokenizer_of_another_model_is_refused(folder: Path) -> None:
    """Its tokens lie beyond the embedding."""
    tokenizer = json.loads((folder / TOKENIZER).read_text())
    vocabulary = tokenizer["model"]["vocab"]
    for number, piece in enumerate(list(vocabulary)[3:], start=90_000):
        vocabulary[piece] = number
    (folder / TOKENIZER).write_text(json.dumps(tokenizer))

    assert refusal(folder, scored).startswith("backbone: the tokenizer gives the token 90,")
