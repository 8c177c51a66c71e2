"""Results in files that are either whole or not there, and are known to be writable before work is done.

click's atomic file is not used: it takes the place of the old file when the work on it fails, too.
Leaves out: what stands in them.
"""

import contextlib
import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click

from stepmark.labeling.errors import InputError

_STANDARD_OUTPUT = 1
_MAX_DESCRIPTOR = 2**31 - 1  # never open; what is larger the system calls do not take
# The names are those of ``store.Store``, which is not imported here: it loads DuckDB.
_LIVE, _PUBLISHED = "stepmark.duckdb", "published"


def write_text(out: Path | None, text: str) -> None:
    """Write ``text`` to ``out`` as ``output_file`` does."""
    with output_file(out) as file:
        file.write(text.encode())


def write_json(out: Path, value: object) -> None:
    """Write ``value`` as indented JSON to ``out``; ``ValueError`` for NaN and infinity."""
    write_text(out, json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def output_file(out: Path | None) -> Iterator[IO[bytes]]:
    """A file to write; at the end of the block, unless that fails, it replaces ``out`` in one step.

    Where ``out`` is None, it is standard output, whose text is UTF-8, whatever the terminal is set to.

    A link stays a link, and what is no regular file (a device, a pipe), or is open already (/dev/stdout), is
    written to as it is: renaming over it would replace it.

    Raises:
        InputError: if ``out`` cannot be written, or is a DuckDB database.
    """
    if out is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    with _errors_as_input(out):
        target = _without_links(out)
        if (descriptor := _open_in_place(out)) is not None:
            with os.fdopen(descriptor, "wb") as file:
                yield file
        elif _is_database(target):
            raise InputError.at(out, None, "is a DuckDB database", "name another file")
        else:
            partial = _partial(target)
            try:
                with partial.open("wb") as file:
                    yield file
                os.replace(partial, target)
            finally:
                partial.unlink(missing_ok=True)


def check_writable(out: Path, *, is_folder: bool = False) -> None:
    """Raise the ``InputError`` of ``output_file`` now, not after the work; a folder is made when absent."""
    with _errors_as_input(out):
        if is_folder:
            out.mkdir(parents=True, exist_ok=True)
        target = _without_links(out / "file" if is_folder else out)
        if (descriptor := _descriptor(out)) is not None:
            os.write(descriptor, b"")  # fails where it is closed, or open for reading alone
        elif not _is_special(target):
            _partial(target).touch()
            _partial(target).unlink()


def why_not_replaced(out: Path, home: Path | None) -> str | None:
    """What ``out`` is that no result may take the place of, as the end of a sentence; None for other files.

    That is any DuckDB database, and what a store has beside it in its home: ``home``, or wherever one is.
    """
    with _errors_as_input(out):
        target = _without_links(out)
    if target.is_file() and _is_database(target):
        return "is a DuckDB database"
    for folder in target.parents:
        name = target.relative_to(folder).parts[0]
        is_home = (home is not None and folder == home.resolve()) or (folder / _LIVE).is_file()
        if is_home and (name == _PUBLISHED or _LIVE in name or name.endswith(".lock")):
            return f"belongs to the store in {folder}"
    return None


def is_standard_output(out: Path) -> bool:
    """Whether a result for ``out`` goes where commands also say what they did."""
    return _descriptor(out) == _STANDARD_OUTPUT


@contextlib.contextmanager
def _errors_as_input(out: Path) -> Iterator[None]:
    """Make the system's errors an ``InputError`` that names ``out``."""
    try:
        yield
    except BrokenPipeError:  # its reader has gone: no failure, as where no file is named
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror or type(error).__name__})"
        raise InputError.at(out, None, problem, "name a file in a writable folder with free space") from error


def _without_links(path: Path) -> Path:
    """The file that ``path`` leads to; OSError for links in a circle, of which Path.resolve makes another."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        path.stat()
    return Path(os.path.realpath(path))


def _descriptor(out: Path) -> int | None:
    """The open file that /dev/stdout, /dev/fd/3 or a link to one stands for; None for any other path."""
    folder = Path(os.path.realpath(out.parent))
    if folder == Path("/proc/self/fd").resolve() and out.name.isdecimal():
        return min(int(out.name), _MAX_DESCRIPTOR)
    return _descriptor(folder / out.readlink()) if out.is_symlink() else None


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _open_in_place(out: Path) -> int | None:
    """A descriptor of what is open already, or is a device or pipe; None for what a new file may replace.

    Where nobody reads a pipe yet, it says so, for opening it waits for somebody.
    """
    if (own := _descriptor(out)) is not None:
        return os.dup(own)
    if not _is_special(out):
        return None
    try:
        # Closed and opened again, a pipe would be at its end for whoever reads it.
        descriptor = os.open(out, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO or not out.is_fifo():
            raise
        click.echo(f"{out} is a pipe that nobody reads yet; waiting for a reader.", err=True)
        return os.open(out, os.O_WRONLY)
    os.set_blocking(descriptor, True)
    return descriptor


def _is_database(target: Path) -> bool:
    try:
        with target.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:  # nothing is there, or nothing that can be read
        return False


def _partial(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.partial")
