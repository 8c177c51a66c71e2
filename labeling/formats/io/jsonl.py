"""Objects of a JSON file, whatever its layout, in bounded memory: one object at a time.

Reads JSON Lines, one array (see ``json_arrays``), and pretty-printed objects one after another; with CRLF, a
byte-order mark, no final newline, or gzip. The content decides, not the file's name. All text comes out as an
object or as a Reject with its 1-based line; after a damaged line reading goes on at the next one that starts
an object. Leaves out: what the objects mean.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import utf_16_or_32, why_no_file
from stepmark.labeling.records import Reject

from .json_arrays import read_array
from .json_values import MAX_CHARS, JsonObject, StrictDecoder, Unreadable, reject

# A string to its end, or the line's; possessive, so that no quote inside it is tried as another's start.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+("?)')
DAMAGED_GZIP = (EOFError, zlib.error, gzip.BadGzipFile)
_CONTINUES = ("[", ",", ":")  # a line that ends so is followed by a value of the same object


def read_objects(path: Path | str) -> Iterator[tuple[int, JsonObject | Reject]]:
    """Every object of the file with the 1-based line it starts at, or the Reject of what is none.

    Raises:
        InputError: if the file is no file to read again, UTF-16 or UTF-32, or damaged where it is compressed.
    """
    path = Path(path)
    line = 0
    try:
        with open_unpacked(path) as stream:
            for line, item in _read_stream(path, stream):
                yield line, item
    except DAMAGED_GZIP as error:
        raise damaged_gzip(path, line, error) from error


def damaged_gzip(path: Path, line: int, error: BaseException) -> InputError:
    """The refusal of a file after ``line`` lines: its checksum, which stands at its end, vouches for none."""
    return InputError.at(
        path, line + 1, f"the compressed data is damaged from here on: {error}", "fetch the file again"
    )


def open_unpacked(path: Path) -> io.BufferedReader:
    """The file's bytes, unpacked if they are gzip, for the caller to close.

    Raises:
        InputError: if the file is no file to read again, or UTF-16 or UTF-32.
    """
    why = why_no_file(path)
    if why is not None:
        raise InputError.at(path, None, f"the file {why}", "name a JSON or JSON Lines file")
    stream: io.BufferedReader = io.BufferedReader(_NamedFile(path))
    try:
        if stream.peek(2)[:2] == b"\x1f\x8b":
            stream = io.BufferedReader(gzip.GzipFile(fileobj=stream))
        encoding = utf_16_or_32(stream.peek(4))
        if encoding is not None:
            raise InputError.at(path, None, f"the file is {encoding}", "save it as UTF-8")
    except BaseException:
        stream.close()
        raise
    return stream


class _NamedFile(io.FileIO):
    """A file whose read errors name it, as those of opening it do."""

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401 - any writable buffer
        try:
            return super().readinto(buffer)
        except OSError as error:
            error.filename = str(self.name)
            raise


def _read_stream(path: Path, stream: io.BufferedReader) -> Iterator[tuple[int, JsonObject | Reject]]:
    head = stream.peek(4096)
    # Undecodable bytes become lone surrogates, so that only the objects that hold them are refused.
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="\n")
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
        return read_array(path, text)
    return _read_lines(path, text)


def _read_lines(path: Path, stream: io.TextIOBase) -> Iterator[tuple[int, JsonObject | Reject]]:
    decoder = StrictDecoder()
    block: _Block | None = None
    for number, line in _numbered_lines(stream):
        if block and block.is_left_at(line, decoder):
            yield block.start, reject(path, block.start, _NO_END, block.text)
            block = None
        if block is None:
            if not line.strip():
                continue
            block = _Block(number)
        block.add(line)
        if block.is_open:
            continue
        try:
            yield block.start, decoder.object_in(block.text)
        except Unreadable as error:
            yield block.start, reject(path, block.start, f"the text {error}", block.text)
        block = None
    if block:
        yield block.start, reject(path, block.start, f"{_NO_END}; the file is cut off", block.text)


_NO_END = "the object that starts here does not end"


def _numbered_lines(stream: io.TextIOBase) -> Iterator[tuple[int, str]]:
    number = 0
    while line := stream.readline(MAX_CHARS + 1):
        number += 1
        yield number, line
        while len(line) > MAX_CHARS and not line.endswith("\n"):
            line = stream.readline(MAX_CHARS + 1)  # the rest of a line that is refused for its length


class _Block:
    """The lines of one object. ``is_open`` says that it needs more of them."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.is_open = False
        self._is_damaged = False
        self._lines: list[str] = []
        self._last_line = ""
        self._depth = 0
        self._num_chars = 0

    @property
    def text(self) -> str:
        return "".join(self._lines)

    def add(self, line: str) -> None:
        self._last_line = line
        if self._is_damaged:
            return  # only waits for the line that begins another object
        self._lines.append(line)
        self._num_chars += len(line)
        text = line.strip()
        if not self.is_open and (not text.startswith("{") or text.endswith("}")):
            return  # the usual line, an object in itself, is not searched for brackets
        depth = _depth(line)
        if depth is None or self._num_chars > MAX_CHARS:
            self._is_damaged = self.is_open
            return
        self._depth += depth
        self.is_open = self._depth > 0

    def is_left_at(self, line: str, decoder: StrictDecoder) -> bool:
        """Whether ``line`` begins another object although this one has not ended, as after a crash."""
        if not line.startswith("{"):
            return False
        if self._is_damaged or not self._last_line.rstrip().endswith(_CONTINUES):
            return True
        try:
            return bool(decoder.object_in(line))
        except Unreadable:
            return False


def _depth(line: str) -> int | None:
    """How many more brackets open than close outside strings; None if a string does not end on the line."""
    if not all(string[1] for string in _STRING.finditer(line)):
        return None
    rest = _STRING.sub("", line)
    return rest.count("{") + rest.count("[") - rest.count("}") - rest.count("]")
