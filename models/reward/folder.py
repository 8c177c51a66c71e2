"""What the folder of a reward model says of itself, and its hash; readable without torch.

Leaves out: the weights (checkpoint.py).
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepmark.labeling.errors import InputError
from stepmark.models.model_files import read_json_object

DESCRIPTION = "reward.json"
FORMAT = 2
KINDS = ("orm", "prm")
REMEDY = "train the model again, or copy its folder anew"


@dataclass(frozen=True, slots=True)
class Description:
    """What ``reward.json`` says: the kind, what ``HeadConfig`` is made of, and what ``Encoder`` is."""

    kind: str
    head: dict[str, Any]
    prompt_template: str
    max_tokens: int
    pools_solution: bool


def folder_sha256(path: Path) -> str:
    """SHA-256 over the names and contents of all files below a folder, but for texts about it (.md)."""
    hasher = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file() and p.suffix != ".md"):
        hasher.update(str(file.relative_to(path)).encode() + b"\0")
        with file.open("rb") as stream:
            hasher.update(hashlib.file_digest(stream, "sha256").digest())
    return hasher.hexdigest()


def source_sha256(path: str) -> str:
    """SHA-256 of a local model folder; of the name itself for a model on a hub."""
    folder = Path(path)
    return folder_sha256(folder) if folder.is_dir() else hashlib.sha256(path.encode()).hexdigest()


def holds_reward_model(folder: Path, trained_sha256: str) -> bool:
    """Whether ``folder`` holds a reward model of today's format, and with the hash it had after training."""
    try:
        description = read_json_object(folder / DESCRIPTION, REMEDY)
        return description.get("format") == FORMAT and folder_sha256(folder) == trained_sha256
    except (InputError, OSError):
        return False


def read_description(folder: Path) -> Description:
    """What a folder says of its model.

    Raises:
        InputError: if no model is described there, or not as training would; it names the file and the key.
    """
    path = folder / DESCRIPTION
    if not path.exists():
        problem = f"no reward model is here ({DESCRIPTION} is missing)"
        raise InputError.at(folder, None, problem, "name a folder that training wrote")
    values = read_json_object(path, REMEDY)

    def refuse(problem: str) -> InputError:
        return InputError.at(path, None, problem, REMEDY)

    if values.get("format") != FORMAT:
        raise refuse(f"format {values.get('format')!r:.80} is not {FORMAT}")
    if values.get("kind") not in KINDS:
        raise refuse(f"kind {values.get('kind')!r:.80} is neither orm nor prm")
    template, max_tokens, head = (values.get(key) for key in ("prompt_template", "max_tokens", "head"))
    if not _is_template(template):
        raise refuse(f"prompt_template {template!r:.80} is no text that holds {{problem}}")
    if not _is_count(max_tokens):
        raise refuse(f"max_tokens {max_tokens!r:.80} is no number of tokens")
    if not isinstance(head, dict):
        raise refuse(f"head {head!r:.80} is no object")
    for key, value in head.items():
        if key not in ("head_size", "reads_hidden", "reads_likelihood"):
            raise refuse(f"head.{key:.80} is no part of a head")
        if not (_is_count(value) if key == "head_size" else isinstance(value, bool)):
            raise refuse(
                f"head.{key} {value!r:.80} is no {'size' if key == 'head_size' else 'true or false'}"
            )
    if not (head.get("reads_hidden", True) or head.get("reads_likelihood", True)):
        raise refuse("head reads neither hidden states nor likelihoods")
    pools_solution = values.get("pools_solution", False)  # models of before 0.1.0 do not say
    if not isinstance(pools_solution, bool):
        raise refuse(f"pools_solution {pools_solution!r:.80} is no true or false")
    return Description(values["kind"], head, str(template), int(str(max_tokens)), pools_solution)


def _is_template(value: object) -> bool:
    if not isinstance(value, str) or "{problem}" not in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return True


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 2**31
