"""Arguments and options that commands share: the home folder and the files they read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

DEFAULT_HOME = Path("stepmark-home")
INPUT_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def home_option(function: _Function) -> _Function:
    """Give a command ``--home DIR`` as its parameter ``home``."""
    decorated: _Function = _home_option(expose_value=True)(function)
    return decorated


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
        help="Folder of the store.",
    )
