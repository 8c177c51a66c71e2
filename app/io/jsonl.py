"""JSON Lines read one line at a time; whatever is wrong is refused with its file, line, value and remedy.

Leaves out: what the fields mean. Blank lines are skipped; CRLF, a byte-order mark and a missing final
newline are read as they are meant.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import utf_16_or_32
from stepmark.labeling.formats.io.json_values import first_repeated_key, is_text

_SHOWN_CHARS = 80  # of a refused value in a message


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One object of a file; ``line`` is 1-based."""

    path: Path
    line: int
    fields: dict[str, object]

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        """Raise the ``InputError`` that names this line."""
        raise InputError.at(self.path, self.line, problem, remedy)

    def required(self, key: str, remedy: str) -> object:
        """The value of ``key``, null included. Raises ``InputError`` where the key is missing."""
        if key not in self.fields:
            self.refuse(f'"{key}" is missing', remedy)
        return self.fields[key]


def read_jsonl(path: Path) -> Iterator[JsonLine]:
    """Yield the objects of ``path`` in bounded memory.

    Raises ``InputError`` for a file that cannot be read or holds no object, and for a line that is not one
    JSON object in UTF-8 or names a key twice.
    """
    num_objects = 0
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                text = decoded(path, number, raw)
                if text.strip():
                    num_objects += 1
                    yield JsonLine(path, number, _parse(path, number, text))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError.at(
            path, None, f"cannot be read ({reason})", "give a readable JSON Lines file"
        ) from error
    if num_objects == 0:
        raise no_line(path)


def no_line(path: Path) -> InputError:
    """The error of a file that holds nothing: as good as a wrong path, so no command makes a result of it."""
    return InputError.at(path, None, "holds no line", "give at least one JSON object, one a line")


def shown(value: object) -> str:
    """A value as JSON, cut short for a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."


def decoded(path: Path, number: int, raw: bytes) -> str:
    """The text of line ``number``. Raises ``InputError`` for what is not UTF-8."""
    encoding = utf_16_or_32(raw) if number == 1 else None
    if encoding is not None:
        raise InputError.at(path, None, f"the file is {encoding}", "save it as UTF-8")
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of the line is not UTF-8"
        raise InputError.at(path, number, problem, "save the file as UTF-8") from error


def _parse(path: Path, number: int, text: str) -> dict[str, object]:
    try:
        value = json.loads(text, object_pairs_hook=without_duplicates)
    except DuplicateKeyError as error:
        problem = f"the key {shown(error.key)} occurs twice"
        raise InputError.at(path, number, problem, "keep one of the two") from error
    except (ValueError, RecursionError) as error:
        problem = f"{shown(text.strip())} is not JSON"
        raise InputError.at(path, number, problem, "write one whole JSON object on each line") from error
    # An escape such as \\ud800 alone passes the parser but can never be written again as UTF-8.
    if not is_text(json.dumps(value, ensure_ascii=False)):
        problem = f"{shown(text.strip())} holds half a surrogate pair, which is no character"
        raise InputError.at(path, number, problem, "write the whole character")
    if not isinstance(value, dict):
        problem = f"{shown(value)} is not an object"
        raise InputError.at(path, number, problem, "write one whole JSON object on each line")
    return value


class DuplicateKeyError(ValueError):
    """An object names ``key`` twice, and which of the two values is meant is not known."""

    def __init__(self, key: str) -> None:
        super().__init__("a key occurs twice")
        self.key = key


def without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these keys and values, for ``json.loads``. Raises ``DuplicateKeyError``."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise DuplicateKeyError(first_repeated_key(pairs))
    return fields
