"""Saving and loading reward models: a plain transformers checkpoint, and the head beside it.

``backbone/`` holds what ``transformers`` loads; ``head.safetensors`` and ``reward.json`` the rest.
Leaves out: the store's row about the model. Only safetensors are read, and no code from a checkpoint runs.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from stepmark.labeling.errors import InputError

from .encoding import Encoder
from .folder import DESCRIPTION, FORMAT
from .network import HeadConfig, RewardNetwork

KINDS = ("orm", "prm")

# Its bars for single files would stand between our own lines of progress.
transformers_logging.disable_progress_bar()


@dataclass(frozen=True, slots=True)
class RewardModel:
    """A network with the encoder it was trained with.

    ``kind``: prm, which judges every step, or orm, which was trained at the last step and judges that alone.
    """

    network: RewardNetwork
    encoder: Encoder
    kind: str


def best_device() -> torch.device:
    """The GPU where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_backbone(
    path: str, dtype: torch.dtype = torch.float32
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """Load a causal language model and its tokenizer from a folder or a hub name (safetensors only).

    Raises:
        InputError: if there is no such model, or it has no safetensors.
    """
    try:
        model = AutoModelForCausalLM.from_pretrained(
            path, dtype=dtype, use_safetensors=True, trust_remote_code=False
        )
        tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(
            f"{path}: cannot load a language model ({reason}); give a folder with safetensors."
        ) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise InputError(
            f"{path}: the tokenizer gives no character offsets; use a model with a fast tokenizer."
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return cast("PreTrainedModel", model), tokenizer


def new_reward_model(
    base: str, prompt_template: str, max_tokens: int, head: HeadConfig, seed: int, kind: str = "prm"
) -> RewardModel:
    """A fresh head on the language model ``base``."""
    backbone, tokenizer = load_backbone(base)
    torch.manual_seed(seed)
    network = RewardNetwork(backbone, head).to(best_device())
    return RewardModel(network, Encoder(tokenizer, prompt_template, max_tokens), kind)


def save_reward_model(model: RewardModel, out: Path) -> str:
    """Write a reward model to the folder ``out`` and return its SHA-256."""
    network, encoder = model.network, model.encoder
    network.backbone.save_pretrained(out / "backbone", safe_serialization=True)
    encoder.tokenizer.save_pretrained(out / "backbone")
    head = {
        name: t.contiguous() for name, t in network.state_dict().items() if not name.startswith("backbone.")
    }
    save_file(head, out / "head.safetensors")
    description = {
        "format": FORMAT,
        "kind": model.kind,
        "head": asdict(network.config),
        "prompt_template": encoder.prompt_template,
        "max_tokens": encoder.max_tokens,
    }
    (out / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")
    return folder_sha256(out)


def load_reward_model(path: Path) -> RewardModel:
    """Read a reward model back.

    Raises:
        InputError: if the folder holds none, or one of another format.
    """
    try:
        description = json.loads((path / DESCRIPTION).read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(
            f"{path}: no reward model is here ({error}); name a folder that training wrote."
        ) from error
    if description.get("format") != FORMAT:
        raise InputError(
            f"{path / 'reward.json'}: format {description.get('format')!r} is not {FORMAT};"
            " train the model again."
        )
    if description.get("kind") not in KINDS:
        raise InputError(
            f"{path / 'reward.json'}: kind {description.get('kind')!r} is neither orm nor prm;"
            " train the model again."
        )
    if not (path / "backbone").is_dir():  # else the name would be looked for on a hub
        raise InputError(f"{path / 'backbone'}: the folder is missing; train the model again.")
    backbone, tokenizer = load_backbone(str(path / "backbone"))
    network = RewardNetwork(backbone, HeadConfig(**description["head"]))
    missing, unexpected = network.load_state_dict(load_file(path / "head.safetensors"), strict=False)
    lost = [name for name in missing if not name.startswith("backbone.")] + list(unexpected)
    if lost:
        raise InputError(
            f"{path / 'head.safetensors'}: the head does not fit ({lost[0]}); train the model again."
        )
    network.to(best_device()).eval()
    encoder = Encoder(tokenizer, description["prompt_template"], description["max_tokens"])
    return RewardModel(network, encoder, description["kind"])


def folder_sha256(path: Path) -> str:
    """SHA-256 over the names and contents of all files below a folder, but for texts about it (.md)."""
    hasher = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file() and p.suffix != ".md"):
        hasher.update(str(file.relative_to(path)).encode() + b"\0")
        hasher.update(hashlib.sha256(file.read_bytes()).digest())
    return hasher.hexdigest()


def source_sha256(path: str) -> str:
    """SHA-256 of a local model folder; of the name itself for a model on a hub."""
    folder = Path(path)
    return folder_sha256(folder) if folder.is_dir() else hashlib.sha256(path.encode()).hexdigest()
