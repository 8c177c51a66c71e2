"""Text results: to the screen, or to a file that is either whole or not there."""

import os
from pathlib import Path

import click

from stepmark.labeling.errors import InputError


def write_text(out: Path | None, text: str) -> None:
    """Write ``text`` to ``out`` in one step, or to the screen where ``out`` is None.

    A link stays a link, and what is no regular file (a device, a pipe) is written to as it is: renaming over
    it would replace it.

    Raises:
        InputError: if ``out`` cannot be written.
    """
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        target = out.resolve()
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
        else:
            _replace(target, text)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or type(error).__name__})"
        raise InputError.at(out, None, problem, "name a file in a writable folder") from error


def _replace(target: Path, text: str) -> None:
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
