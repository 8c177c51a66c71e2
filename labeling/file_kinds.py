"""What a path is, and how its text is encoded, in words.

"Does not exist" helps nobody who named a pipe, nor does the place of a wrong byte in a file of UTF-16.
"""

import codecs
import stat
from pathlib import Path

_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def kind_of(path: Path) -> str | None:
    """What is at ``path``, links followed; None where nothing is, or nothing that can be looked at."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "no file")


def why_no_file(path: Path) -> str | None:
    """Why ``path`` is no file to read again and again, as the end of a sentence; None where it is one."""
    kind = kind_of(path)
    if kind == "a file":
        return None
    return "does not exist" if kind is None else f"is {kind}"


def utf_16_or_32(head: bytes) -> str | None:
    """UTF-16 or UTF-32, by the byte-order mark that a text begins with; None for any other text."""
    # UTF-32's mark for little endian begins with UTF-16's.
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    return "UTF-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None
