"""Reading one JSON value strictly: what JSON forbids, or leaves open, is refused, not guessed at.

Python's own reader takes NaN, Infinity and lone surrogates; databases and other languages do not, so a value
that holds one is refused here. So is an object that gives one key two values.
Leaves out: finding where values start in a file (``jsonl``, ``json_arrays``).
"""

import json
from pathlib import Path
from typing import Any

from stepmark.labeling.records import Reject

JsonObject = dict[str, Any]

MAX_CHARS = 64 * 2**20  # of one value: what is longer is a missing quote or bracket, not a row
_RAW_CHARS = 200  # of a refused row that are kept to recognize it by


class Unreadable(ValueError):
    """Text that is no JSON object; the message is the reason a person reads."""


class StrictDecoder:
    """A JSON decoder that remembers the constants JSON does not know, so that the value's end stays known."""

    def __init__(self) -> None:
        self._constants: list[str] = []
        self._repeated: list[str] = []
        self._decoder = json.JSONDecoder(
            parse_constant=self._constants.append, object_pairs_hook=self._object_of
        )

    def _object_of(self, pairs: list[tuple[str, Any]]) -> JsonObject:
        value = dict(pairs)
        if len(value) < len(pairs):
            self._repeated.append(first_repeated_key(pairs))
        return value

    def value_at(self, text: str, start: int) -> tuple[Any, int]:
        """The value that starts at ``text[start]``, and the index after its end.

        Raises:
            json.JSONDecodeError: where the text is no JSON.
            Unreadable: where it is, but cannot be held (nested too deeply, a number of thousands of digits).
        """
        self._constants.clear()
        self._repeated.clear()
        try:
            return self._decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            raise Unreadable("holds an integer of thousands of digits") from error
        except RecursionError as error:
            raise Unreadable("is nested too deeply") from error

    def checked(self, value: Any, text: str) -> JsonObject:  # noqa: ANN401 - any JSON value
        """The last decoded ``value`` as an object whose strings are text; ``text`` is where it was read.

        Raises:
            Unreadable: if it is no object, or holds NaN, a key twice, bytes that are not UTF-8, or a lone
                surrogate.
        """
        if self._constants:
            raise Unreadable(f"holds {self._constants[0]}, which is not JSON")
        if self._repeated:
            raise Unreadable(f"gives the key {_shown(self._repeated[0])} twice in one object")
        if not isinstance(value, dict):
            raise Unreadable(f"is a JSON {_JSON_NAMES[type(value)]}, not an object")
        if not is_text(text):
            raise Unreadable("holds bytes that are not UTF-8")
        if ("\\ud" in text or "\\uD" in text) and not is_text(json.dumps(value, ensure_ascii=False)):
            raise Unreadable("holds a lone surrogate, half of a character")
        return value

    def object_in(self, text: str) -> JsonObject:
        """The one object that ``text`` consists of, white space aside.

        Raises:
            Unreadable: with the reason, if it is anything else.
        """
        if len(text) > MAX_CHARS:
            raise Unreadable(f"is longer than {MAX_CHARS} characters")
        try:
            value, end = self.value_at(text, len(text) - len(text.lstrip()))
        except json.JSONDecodeError as error:
            raise Unreadable(syntax_reason(error, text)) from error
        if text[end:].strip():
            raise Unreadable(f"has more text after its JSON value, from character {end + 1} on")
        return self.checked(value, text)


def first_repeated_key(pairs: list[tuple[str, Any]]) -> str:
    """The first key of an object's pairs that stands there again; one must."""
    keys = [key for key, _ in pairs]
    return next(key for key in keys if keys.count(key) > 1)


def _shown(key: str) -> str:
    shown = ascii(key)
    return shown if len(shown) <= _KEY_CHARS else shown[:_KEY_CHARS] + "..."


_KEY_CHARS = 40
_JSON_NAMES = {
    list: "array",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def is_text(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8; bytes that were no UTF-8 were read as lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def syntax_reason(error: json.JSONDecodeError, text: str, start: int = 0) -> str:
    """The reason for a person: what is wrong with the value at ``text[start]``, and where in it."""
    if not is_text(text[start : error.pos + 1]):
        return "holds bytes that are not UTF-8"
    is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    return f"{'is cut off' if is_cut else 'is not JSON'}: {error.msg} (its character {error.pos - start + 1})"


def reject(path: Path, line: int | None, reason: str, raw: str | JsonObject) -> Reject:
    """A refused row; ``raw``, its text, is cut to 200 characters, and what UTF-8 cannot write is escaped."""
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
    kept = text.strip()[:_RAW_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")
    return Reject(file=str(path), line=line, reason=reason, raw=kept)
