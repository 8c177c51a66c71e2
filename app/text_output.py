"""Text results: to the screen, or to a file that is either whole or not there."""

import os
from pathlib import Path

import click

from stepmark.labeling.errors import InputError


def write_text(out: Path | None, text: str) -> None:
    """Write ``text`` to ``out`` in one step, or to the screen where ``out`` is None."""
    if out is None:
        click.echo(text, nl=False)
        return
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        try:
            partial.write_text(text, encoding="utf-8")
            os.replace(partial, out)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or type(error).__name__})"
        raise InputError.at(out, None, problem, "name a file in a writable folder") from error
