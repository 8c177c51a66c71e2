"""Files that commands read, where they are no plain files: pipes, terminals, devices and sockets.

Leaves out: their content (jsonl.py, and the readers of formats).
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from stepmark.labeling.file_kinds import kind_of


def why_not_read(path: Path, *, is_read_twice: bool) -> str | None:
    """What ``path`` is that no command reads, as the end of a sentence; None for other paths.

    A socket cannot be opened, a device may never end (a terminal is no such device), and a pipe is read once.
    """
    kind = kind_of(path)
    if kind == "a pipe" and is_read_twice:
        return "is a pipe; name a file or a folder"
    if kind == "a socket" or (kind == "a device" and not _is_terminal(path)):
        return f"is {kind}; name a file"
    return None


def _is_terminal(path: Path) -> bool:
    try:
        with path.open("rb", buffering=0) as device:
            return device.isatty()
    except OSError:
        return False


@contextlib.contextmanager
def rereadable(path: Path) -> Iterator[IO[bytes]]:
    """The file opened, or a copy of it if it is a pipe, which can be read only once."""
    with path.open("rb") as source:
        if source.seekable():
            yield source
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(source, copy)
            copy.seek(0)
            yield copy
