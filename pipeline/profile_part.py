"""What all parts of a profile share: which values they take, and the TOML file they come from.

A wrong value is refused before the first problem is read: found out later, it would cost hours of sampling.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import utf_16_or_32, why_no_file

_LARGEST = 2**31 - 1
Count = Annotated[int, Field(ge=0, le=_LARGEST)]
Size = Annotated[int, Field(ge=1, le=_LARGEST)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]  # what every library takes
_FREE_TEXTS = ("prompt_template", "stop")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SHOWN_CHARS = 80


class Part(BaseModel):
    """A part of a profile: no unknown key, no NaN, no infinity; names and paths are one line, not blank."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _is_usable(cls, value: object, info: ValidationInfo) -> object:
        name = info.field_name or ""
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, bool) and cls.model_fields[name].annotation is not bool:
                raise ValueError("true and false are no value here")
            if not isinstance(one, str):
                continue
            if not (one if name in _FREE_TEXTS else one.strip()):
                raise ValueError("an empty text is no value here")
            if name not in _FREE_TEXTS and _CONTROL.search(one):
                raise ValueError("a control character is in it")
        return value


def shown(value: object) -> str:
    """A value for a message, cut short; also one too long or too deep to be written out."""
    try:
        return f"{value!r:.{_SHOWN_CHARS}}"
    except (ValueError, RecursionError):
        return "too large to show"


def expanded(path: str) -> Path:
    """The path with ``~`` as the home folder; as it is where there is no such person."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def read_toml(name: str, path: Path, remedy: str) -> dict[str, Any]:
    """The tables of a TOML file; ``name`` is what the person called it.

    Raises:
        InputError: if there is no such file, or it is no TOML.
    """
    why = why_no_file(path)
    if why is not None:
        raise InputError(f"{name}: no profile can be read here (it {why}); {remedy}.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{name}: no profile can be read here ({error.strerror}); {remedy}.") from error
    try:
        return parse_toml(name, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        encoding = utf_16_or_32(raw)
        problem = f"byte {error.start + 1} is not UTF-8" if encoding is None else f"the file is {encoding}"
        raise InputError(f"{name}: {problem}; give a TOML file, saved as UTF-8.") from error


def parse_toml(name: str, text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ``InputError``."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: this is not TOML ({error}); mend the line.") from error
    except ValueError as error:  # Python reads no integer of more than 4,300 digits
        line = max(text.splitlines(), key=lambda line: max(map(len, re.findall(r"[0-9_]+", line)), default=0))
        problem = f"{shown(line)} holds a number too long to read"
        raise InputError.at(name, text.splitlines().index(line) + 1, problem, "give a smaller one") from error
    except RecursionError as error:
        line = max(text.splitlines(), key=lambda line: line.count("[") + line.count("{"))
        problem = f"{shown(line)} is nested too deeply"
        raise InputError.at(name, text.splitlines().index(line) + 1, problem, "write it flat") from error
