"""Results in files that are either whole or not there, and are known to be writable before work is done.

Leaves out: what stands in them.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click

from stepmark.labeling.errors import InputError


def write_text(out: Path | None, text: str) -> None:
    """Write ``text`` to ``out`` as ``output_file`` does, or to the screen where ``out`` is None."""
    if out is None:
        click.echo(text, nl=False)
        return
    with output_file(out) as file:
        file.write(text.encode())


_MAX_LINKS = 40  # as Linux has it
_STANDARD_OUTPUT = 1
_MAX_DESCRIPTOR = 2**31 - 1  # never open; what is larger the system calls do not take


@contextlib.contextmanager
def output_file(out: Path) -> Iterator[IO[bytes]]:
    """A file to write; at the end of the block, unless that fails, it replaces ``out`` in one step.

    A link stays a link, and what is no regular file (a device, a pipe), or is open already (/dev/stdout), is
    written to as it is: renaming over it would replace it.

    Raises:
        InputError: if ``out`` cannot be written, or is a DuckDB database.
    """
    with _told(out):
        if (descriptor := _descriptor(out)) is not None:
            with os.fdopen(os.dup(descriptor), "wb") as file:
                yield file
            return
        if _is_special(out):
            with _open_special(out) as file:
                yield file
            return
        target = _real(out)
        if _is_database(target):
            raise InputError.at(out, None, "is a DuckDB database", "name another file")
        partial = _partial(target)
        try:
            with partial.open("wb") as file:
                yield file
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)


def check_writable(out: Path, *, is_folder: bool = False) -> None:
    """Raise the ``InputError`` of ``output_file`` now, not after the work; a folder is made when absent."""
    with _told(out):
        if is_folder:
            out.mkdir(parents=True, exist_ok=True)
        target = out / "file" if is_folder else out
        if (descriptor := _descriptor(target)) is not None:
            os.write(descriptor, b"")  # fails where it is closed, or open for reading alone
        elif not _is_special(target):
            partial = _partial(_real(target))
            partial.touch()
            partial.unlink()


def why_kept(out: Path, home: Path | None) -> str | None:
    """What ``out`` is that no result may take the place of, as the end of a sentence; None for other files.

    That is any DuckDB database, and what a store has beside it in its home: ``home``, or wherever one is.
    """
    with _told(out):
        target = _real(out)
    if target.is_file() and _is_database(target):
        return "is a DuckDB database"
    for folder in target.parents:
        name = target.relative_to(folder).parts[0]
        is_home = (home is not None and folder == home.resolve()) or (folder / _LIVE).is_file()
        if is_home and (name == _PUBLISHED or _LIVE in name or name.endswith(".lock")):
            return f"belongs to the store in {folder}"
    return None


# The names are those of ``store.Store``, which is not imported here: it loads DuckDB.
_LIVE, _PUBLISHED = "stepmark.duckdb", "published"


def _is_database(target: Path) -> bool:
    try:
        with target.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:  # nothing is there, or nothing that can be read
        return False


@contextlib.contextmanager
def _told(out: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # its reader has gone: no failure, as where no file is named
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror or type(error).__name__})"
        raise InputError.at(out, None, problem, "name a file in a writable folder with free space") from error


def _descriptor(out: Path) -> int | None:
    """The open file that /dev/stdout, /dev/fd/3 or a link to one stands for; None for any other path."""
    own = Path("/proc/self/fd").resolve()
    for _ in range(_MAX_LINKS):
        folder = _real(out.parent)
        if folder == own and out.name.isdecimal():
            return min(int(out.name), _MAX_DESCRIPTOR)
        if not out.is_symlink():
            return None
        out = folder / out.readlink()
    return None


def _real(path: Path) -> Path:
    """The path without links; OSError for links in a circle, at which Path.resolve raises something else."""
    try:
        return path.resolve()
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


def is_standard_output(out: Path) -> bool:
    """Whether a result for ``out`` goes where commands also say what they did."""
    return _descriptor(out) == _STANDARD_OUTPUT


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _open_special(out: Path) -> IO[bytes]:
    """Open a device or pipe; where nobody reads a pipe yet, say so, for opening it waits for somebody."""
    if not stat.S_ISFIFO(out.stat().st_mode):
        return out.open("wb")
    try:
        # Closed and opened again, it would be at its end for whoever reads it.
        descriptor = os.open(out, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        click.echo(f"{out} is a pipe that nobody reads yet; waiting for a reader.", err=True)
        return out.open("wb")
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _partial(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.partial")
