"""Finding a model's checkpoint and telling checkpoints apart.

Leaves out: weights other than safetensors and code that comes with a model; neither is fetched or read.
"""

import hashlib
import json
import re
from pathlib import Path

from stepmark.labeling.errors import InputError, StepmarkError

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
# What decides which text a model samples. A chat template does not: prompts are plain text.
_PATTERNS = (
    "*.safetensors",
    "*.safetensors.index.json",
    "config.json",
    "generation_config.json",
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
)


def local_checkpoint(model: str) -> Path:
    """The folder of ``model``: a local one as it is; a hub name ("owner/name") is fetched or cached.

    Raises:
        InputError: if there is no such folder, or it holds no config.json or no safetensors.
        StepmarkError: if the hub does not give the model.
    """
    folder = Path(model)
    if not folder.is_dir():
        if not _HUB_NAME.fullmatch(model):
            raise InputError.at(model, None, "there is no such model folder", "name a checkpoint folder")
        folder = _from_hub(model)
    if not (folder / "config.json").is_file():
        raise InputError.at(folder, None, "config.json is missing", "name a folder saved by transformers")
    if not any(folder.glob("*.safetensors")):
        raise InputError.at(folder, None, "no *.safetensors is there", "save the weights as safetensors")
    return folder


def checkpoint_sha256(model: str | Path) -> str:
    """SHA-256 over names and contents of a checkpoint's weights, configuration and tokenizer files.

    Equal files give equal hashes wherever the folder lies. Raises what ``local_checkpoint`` raises.
    """
    folder = local_checkpoint(str(model))
    files = sorted({file for pattern in _PATTERNS for file in folder.glob(pattern) if file.is_file()})
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        whole.update(f"{file.name}\0{digest}\n".encode())
    return whole.hexdigest()


def num_weight_bytes(folder: Path) -> int:
    """Size of a checkpoint's weights on disk."""
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def saved_dtype(folder: Path) -> str | None:
    """The precision config.json says the weights were saved in; None where it does not say."""
    try:
        config = json.loads((folder / "config.json").read_text())
        dtype = config.get("dtype") or config.get("torch_dtype")
    except (ValueError, AttributeError) as error:
        raise InputError.at(
            folder / "config.json", None, f"it is no JSON object ({error})", "save it again"
        ) from error
    return None if dtype is None else str(dtype)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415  (slow to import, needed for hub names only)

    try:
        return Path(snapshot_download(name, allow_patterns=list(_PATTERNS)))
    except Exception as error:  # the hub's errors have no common base
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise StepmarkError(
            f"{name}: no such folder here, and the hub does not give it ({reason});"
            " download it or name a checkpoint folder."
        ) from error
