"""Options that every command has."""

from pathlib import Path

import click

DEFAULT_HOME = Path("stepmark-home")


def home_option(*, expose_value: bool = True) -> click.Option:
    """``--home DIR``; with ``expose_value`` False a command takes it and does not need it."""
    return click.Option(
        ["--home"],
        type=click.Path(path_type=Path, file_okay=False),
        default=DEFAULT_HOME,
        show_default=True,
        expose_value=expose_value,
        help="Folder of the store.",
    )


def with_home(command: click.Command) -> click.Command:
    """The command with ``--home``, unless it has one."""
    if not any(parameter.name == "home" for parameter in command.params):
        command.params.append(home_option(expose_value=False))
    return command
