"""The elements of one JSON array, read through a moving window of text, so that its size does not matter.

Leaves out: arrays inside objects, which are part of a row.
"""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

from stepmark.labeling.records import Reject

from .json_values import MAX_CHARS, JsonObject, StrictDecoder, Unreadable, reject, syntax_reason

_WINDOW_CHARS = 2**20
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = (
    12  # a pair of \uXXXX escapes: an error so near the window's end may only mean that more follows
)
_NOT_READ = "nothing after it was read"


def read_array(path: Path, stream: io.TextIOBase) -> Iterator[tuple[int, JsonObject | Reject]]:
    """Every element with the 1-based line it starts at; what is no object comes out as a Reject.

    A damaged element is refused; reading goes on at the next line that opens an object at the same
    indentation, and where there is none, the Reject says that the rest was not read.
    """
    window = _Window(stream)
    window.skip_space()
    window.take("[")
    decoder = StrictDecoder()
    window.skip_space()
    while window.next_char not in ("]", ""):
        line = window.line
        try:
            yield line, window.take_object(decoder)
        except Unreadable as error:
            yield line, reject(path, line, f"the element {error}", window.ahead)
        except _Damaged as error:
            lost = not window.resync()
            yield (
                line,
                reject(path, line, f"the element {error}" + (f"; {_NOT_READ}" if lost else ""), error.raw),
            )
            if lost:
                return
            continue
        window.skip_space()
        if window.next_char not in (",", "]", ""):
            reason = f"a comma or ] is missing after an element; {_NOT_READ}"
            yield window.line, reject(path, window.line, reason, window.ahead)
            return
        window.take(",")
        window.skip_space()
    yield from _after_array(path, window)


def _after_array(path: Path, window: "_Window") -> Iterator[tuple[int, Reject]]:
    if not window.take("]"):
        yield window.line, reject(path, window.line, "the array is cut off: its closing ] is missing", "")
        return
    window.skip_space()
    if window.next_char:
        reason = f"there is text after the array's end; {_NOT_READ}"
        yield window.line, reject(path, window.line, reason, window.ahead)


class _Damaged(ValueError):
    """An element whose end is not known."""

    def __init__(self, reason: str, raw: str) -> None:
        super().__init__(reason)
        self.raw = raw


class _Window:
    """A stretch of the stream around the reading position, with the line number of that position."""

    def __init__(self, stream: io.TextIOBase) -> None:
        self._stream = stream
        self._text = ""
        self._pos = 0
        self._is_at_end = False
        self._indent: str | None = None
        self.line = 1

    @property
    def next_char(self) -> str:
        """The character at the reading position, "" at the end of the stream."""
        if self._pos == len(self._text):
            self._fill()
        return self._text[self._pos : self._pos + 1]

    @property
    def ahead(self) -> str:
        """Some text from the reading position on, to recognize the place by."""
        return self._text[self._pos : self._pos + 400]

    def take(self, char: str) -> bool:
        """Step over ``char`` if it is next."""
        if self.next_char != char:
            return False
        self._move_to(self._pos + 1)
        return True

    def skip_space(self) -> None:
        """Step over white space, and remember the indentation of what follows it."""
        skipped = ""
        while self.next_char and self.next_char in " \t\r\n":
            match = _SPACE.match(self._text, self._pos)
            assert match is not None  # the pattern matches the empty string
            skipped += match.group()
            self._move_to(match.end())
        self._indent = skipped.rpartition("\n")[2] if "\n" in skipped else None

    def take_object(self, decoder: StrictDecoder) -> JsonObject:
        """Step over the element at the reading position and return it.

        Raises:
            Unreadable: if it is complete but refused; the position is after it.
            _Damaged: if its end cannot be found; the position stays.
        """
        while True:
            try:
                value, end = decoder.value_at(self._text, self._pos)
            except json.JSONDecodeError as error:
                if self._may_go_on(error):
                    self._fill()
                    continue
                raise _Damaged(syntax_reason(error, self._text, self._pos), self.ahead) from error
            except Unreadable as error:
                raise _Damaged(str(error), self.ahead) from error
            if end == len(self._text) and not self._is_at_end:
                self._fill()  # a number at the window's end may have more digits
                continue
            text = self._text[self._pos : end]
            self._move_to(end)
            return decoder.checked(value, text)

    def resync(self) -> bool:
        """Move to the next line that opens an object at the damaged element's indentation, if one does."""
        if self._indent is None:
            return False
        opener = f"\n{self._indent}{{"
        self._move_to(self._pos + 1)
        while (found := self._text.find(opener, self._pos)) < 0:
            if self._is_at_end:
                return False
            self._move_to(max(self._pos, len(self._text) - len(opener)))
            self._fill()
        self._move_to(found + len(opener) - 1)
        return True

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        if self._is_at_end or len(self._text) - self._pos > MAX_CHARS:
            return False
        near_end = error.pos >= len(self._text) - _LONGEST_TOKEN
        return near_end or error.msg.startswith("Unterminated string")

    def _fill(self) -> None:
        """Drop what was read, and read as much again as is left: a long element is parsed a few times."""
        kept = self._text[self._pos :]
        more = self._stream.read(max(_WINDOW_CHARS, len(kept)))
        self._text, self._pos = kept + more, 0
        self._is_at_end = not more

    def _move_to(self, pos: int) -> None:
        self.line += self._text.count("\n", self._pos, pos)
        self._pos = pos
