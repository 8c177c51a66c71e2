"""Arguments and options that commands share: the home, and the files they read and write."""

import contextlib
import errno
import functools
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from .io.inputs import why_not_read
from .io.outputs import check_writable, is_standard_output, why_not_replaced

DEFAULT_HOME = Path("stepmark-home")
_Function = TypeVar("_Function", bound=Callable[..., Any])


class _Input(click.Path):
    """A path to read; one that names a folder as well is read twice."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        why = why_not_read(path, is_read_twice=self.dir_okay)
        if why is not None:
            self.fail(f"{str(path)!r} {why}.", param, ctx)
        return path


INPUT_FILE = _Input(exists=True, dir_okay=False, path_type=Path)  # or a pipe
INPUT_PATH = _Input(exists=True, path_type=Path)  # a file or a folder


def output_option(
    flag: str, name: str, help_text: str, *, is_folder: bool = False, required: bool = False
) -> Callable[[_Function], _Function]:
    """Give a command an option for a file (or folder) to write, as its parameter ``name``.

    Before the command starts, what cannot be written is refused, and so is a file that the command reads, any
    DuckDB database, and what belongs to a store.
    """
    kind = click.Path(file_okay=not is_folder, dir_okay=is_folder, path_type=Path)
    option = click.option(flag, name, type=kind, required=required, help=help_text)

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def checked(**values: Any) -> object:  # noqa: ANN401 - the values of the command's own parameters
            out = values[name]
            if out is None:
                return function(**values)
            others = {key: value for key, value in values.items() if key != name}
            _refuse_replacing(flag, out / "file" if is_folder else out, others)
            check_writable(out, is_folder=is_folder)
            # On standard output the result stands alone, for others read it.
            elsewhere = contextlib.redirect_stdout(sys.stderr)
            with elsewhere if is_standard_output(out) else contextlib.nullcontext():
                return function(**values)

        return cast(_Function, option(checked))

    return decorate


def _refuse_replacing(flag: str, out: Path, others: Mapping[str, object]) -> None:
    home = others.get("home")
    if any(_is_same_file(out, value) for value in others.values()):
        why: str | None = "is read by this command"
    else:
        why = why_not_replaced(out, home if isinstance(home, Path) else None)
    if why is not None:
        raise click.BadParameter(f"{out} {why}; name another file.", param_hint=flag)


def _is_same_file(out: Path, other: object) -> bool:
    try:
        return isinstance(other, Path | str) and out.is_file() and out.samefile(other)
    except (OSError, ValueError):  # the other value is no path, or nothing is there
        return False


def as_text(ctx: click.Context, param: click.Parameter, value: Any) -> Any:  # noqa: ANN401 - click's own types
    """Callback of a parameter that is kept as text, in the store or by Dagster: its bytes must be UTF-8."""
    try:
        str(value).encode()
    except UnicodeEncodeError as error:
        message = f"{str(value)!r} holds a byte that is not UTF-8; rename it, or write it in UTF-8."
        raise click.BadParameter(message, ctx, param) from error
    return value


def home_option(function: _Function) -> _Function:
    """Give a command ``--home DIR`` as its parameter ``home``."""
    return cast(_Function, _home_option(expose_value=True)(function))


def with_home(command: click.Command) -> click.Command:
    """The command with ``--home``, unless it has one: scripts may give it to every command."""
    if not any(parameter.name == "home" for parameter in command.params):
        _home_option(expose_value=False)(command)
    return command


def _home_option(*, expose_value: bool) -> Callable[[Any], Any]:
    return click.option(
        "--home",
        type=click.Path(path_type=Path, file_okay=False),
        default=DEFAULT_HOME,
        show_default=True,
        expose_value=expose_value,
        callback=_home,
        help="Folder of the store.",
    )


def _home(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    try:
        value.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            message = f"{str(value)!r} is reached by links in a circle; name another folder."
            raise click.BadParameter(message, ctx, param) from error
    return cast(Path, as_text(ctx, param, value))
