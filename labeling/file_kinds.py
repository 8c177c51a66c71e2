"""What a path is, in words: a person who named a pipe or a socket is not helped by "does not exist"."""

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
