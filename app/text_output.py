"""Results in files that are either whole or not there, and are known to be writable before work is done.

Leaves out: what stands in them.
"""

import contextlib
import os
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


@contextlib.contextmanager
def output_file(out: Path) -> Iterator[IO[bytes]]:
    """A file to write; at the end of the block, unless that fails, it replaces ``out`` in one step.

    A link stays a link, and what is no regular file (a device, a pipe) is written to as it is: renaming over
    it would replace it.

    Raises:
        InputError: if ``out`` cannot be written.
    """
    with _told(out):
        target = out.resolve()
        if _is_special(target):
            with target.open("wb") as file:
                yield file
            return
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
        target = (out / "file" if is_folder else out).resolve()
        if not _is_special(target):
            partial = _partial(target)
            partial.touch()
            partial.unlink()


@contextlib.contextmanager
def _told(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = f"cannot be written ({error.strerror or type(error).__name__})"
        raise InputError.at(out, None, problem, "name a file in a writable folder with free space") from error


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _partial(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.partial")
