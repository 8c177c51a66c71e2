"""Saving and loading reward models: a plain transformers checkpoint, and the head beside it.

``backbone/`` holds what ``transformers`` loads; ``head.safetensors`` and ``reward.json`` the rest.
Leaves out: the store's row about the model. Only safetensors are read, and no code from a checkpoint runs.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from stepmark.labeling.errors import InputError
from stepmark.models.model_files import check_safetensors

from .backbone import load_backbone, refuse_non_finite
from .encoding import Encoder
from .folder import DESCRIPTION, FORMAT, REMEDY, folder_sha256, read_description
from .network import HeadConfig, RewardNetwork


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


def new_reward_model(
    base: str,
    prompt_template: str,
    max_tokens: int,
    head: HeadConfig,
    seed: int,
    kind: str = "prm",
    *,
    pools_solution: bool = False,
) -> RewardModel:
    """A fresh head on the language model ``base``; ``pools_solution`` as in ``Encoder``."""
    backbone, tokenizer = load_backbone(base)
    torch.manual_seed(seed)
    network = RewardNetwork(backbone, head).to(best_device())
    encoder = Encoder(tokenizer, prompt_template, max_tokens, pools_solution=pools_solution)
    return RewardModel(network, encoder, kind)


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
        "pools_solution": encoder.pools_solution,
    }
    (out / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n")
    return folder_sha256(out)


def load_reward_model(path: Path, trained_sha256: str | None = None) -> RewardModel:
    """Read a reward model back; ``trained_sha256`` is what ``save_reward_model`` returned, where it is known.

    Raises:
        InputError: if the folder holds none, one of another format, or a damaged file, which is named; or
            other files than those with the hash.
    """
    description = read_description(path)
    weights = path / "head.safetensors"
    check_safetensors(weights, REMEDY)
    if not (path / "backbone").is_dir():  # else the name would be looked for on a hub
        raise InputError.at(path / "backbone", None, "the folder is missing", REMEDY)
    head = load_file(weights)
    config = HeadConfig(**description.head)
    # A size out of all proportion would not even fit in memory, and so not reach the comparison below.
    if not any(config.head_size in tensor.shape for tensor in head.values()):
        problem = f"no tensor has the head_size {config.head_size} that {DESCRIPTION} names"
        raise InputError.at(weights, None, problem, REMEDY)
    backbone, tokenizer = load_backbone(str(path / "backbone"), REMEDY, is_whole=True)
    network = RewardNetwork(backbone, config)
    _check_head(weights, head, network)
    network.load_state_dict(head, strict=False)
    # Last, for whatever can name the file that is wrong tells more.
    if trained_sha256 is not None and folder_sha256(path) != trained_sha256:
        raise InputError.at(path, None, "its files are not those that training wrote", REMEDY)
    network.to(best_device()).eval()
    encoder = Encoder(
        tokenizer,
        description.prompt_template,
        description.max_tokens,
        pools_solution=description.pools_solution,
    )
    return RewardModel(network, encoder, description.kind)


def _check_head(path: Path, head: dict[str, Tensor], network: nn.Module) -> None:
    """Refuse tensors that are not exactly the head's own: a backbone's would silently replace it."""
    expected = {k: t.shape for k, t in network.state_dict().items() if not k.startswith("backbone.")}
    for name in sorted(expected.keys() | head.keys()):
        if name not in head or name not in expected:
            what = "misses" if name in expected else "holds beside the head"
            raise InputError.at(path, None, f"the head does not fit: the file {what} {name}", REMEDY)
        tensor = head[name]
        if tensor.shape != expected[name] or not tensor.is_floating_point():
            found = f"{tuple(tensor.shape)} of {tensor.dtype}"
            problem = f"the head does not fit: {name} is {found}, not {tuple(expected[name])} of floats"
            raise InputError.at(path, None, problem, REMEDY)
    refuse_non_finite(path, head.items(), REMEDY)
