"""The option that names a profile. Leaves out: reading the profile, which the commands do when they run."""

from collections.abc import Callable
from typing import Any

import click

from stepmark.pipeline.profile_file import BUILT_IN

from .options import as_text


def profile_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --profile, as its parameter ``profile``."""
    option = click.option(
        "--profile",
        default=BUILT_IN[0],
        show_default=True,
        callback=as_text,
        help="A built-in profile, or a TOML file.",
    )
    decorated: Callable[..., Any] = option(command)
    return decorated
