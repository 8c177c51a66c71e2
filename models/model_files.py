"""Damaged files of a model's folder, named before a library loads them.

Libraries answer them with errors of many kinds, some without the file's name, and wait at a pipe for ever.
Leaves out: whether the files fit each other, which only loading finds out.
"""

import json
from pathlib import Path
from typing import Any

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import why_no_file

_JSON_FILES = (
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "model.safetensors.index.json",
)
_REASON_CHARS = 200


def check_model_files(folder: Path, remedy: str) -> None:
    """Raise ``InputError`` for a missing or unreadable configuration, and for any other damaged file."""
    for name in _JSON_FILES:
        if name == "config.json" or (folder / name).exists():
            read_json_object(folder / name, remedy)
    for path in sorted(folder.glob("*.safetensors")):
        check_safetensors(path, remedy)


def read_json_object(path: Path, remedy: str) -> dict[str, Any]:
    """The one object of a JSON file. Raises ``InputError`` where it is none."""
    _check_file(path, remedy)
    try:
        value = json.loads(path.read_bytes().decode())
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"this is not JSON ({reason_of(error)})", remedy) from error
    if not isinstance(value, dict):
        raise InputError.at(path, None, f"{value!r:.80} is no JSON object", remedy)
    return value


def check_safetensors(path: Path, remedy: str) -> None:
    """Raise ``InputError`` for weights that are cut short or have no readable header."""
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - a description needs no weights

    _check_file(path, remedy)
    try:
        with safe_open(path, framework="numpy"):
            pass
    except (SafetensorError, OSError) as error:
        raise InputError.at(path, None, f"the weights cannot be read ({reason_of(error)})", remedy) from error


def reason_of(error: BaseException) -> str:
    """An error of a library on one line, cut short."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= _REASON_CHARS else words[: _REASON_CHARS - 3] + "..."


def _check_file(path: Path, remedy: str) -> None:
    why = why_no_file(path)
    if why is not None:
        raise InputError.at(path, None, "the file is missing" if "exist" in why else f"this {why}", remedy)
