"""``stepmark refresh``: materialize what is missing for one profile."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepmark.pipeline.profile_file import BUILT_IN

from .options import home_option
from .profile_option import profile_option

if TYPE_CHECKING:
    from stepmark.assets.resources import Pipeline


@click.command("refresh")
@profile_option
@click.option(
    "--allow-leak",
    is_flag=True,
    help=(
        "Go on although problems for training overlap with problems for testing: the decision is kept in"
        " leak_decisions, and models are trained. A problem asked for in both splits stays in the one it is"
        " stored in."
    ),
)
@home_option
@click.pass_obj
def refresh_command(resource: "type[Pipeline] | None", profile: str, allow_leak: bool, home: Path) -> None:
    """Run the whole pipeline of a profile: what is there stays, what is missing is made."""
    from stepmark.assets.resources import Pipeline  # noqa: PLC0415 - Dagster loads slowly

    from .run import refresh  # noqa: PLC0415

    refresh(home, profile, allow_leak=allow_leak, resource=resource or Pipeline)
    chosen = "" if profile == BUILT_IN[0] else f" --profile {shlex.quote(profile)}"
    click.echo(database_line(home))
    click.echo(f"Report    {home / 'report.html'}   write it: stepmark report{_home_argument(home)}{chosen}")


def database_line(home: Path) -> str:
    """Where the snapshot of a finished run is, and a command that reads it."""
    query = f"stepmark sql{_home_argument(home)} 'SELECT * FROM label_counts'"
    return f"Database  {home / 'published' / 'stepmark.duckdb'}   try: {query}"


def _home_argument(home: Path) -> str:
    """``--home`` in a command that is to be copied from the screen."""
    return f" --home {shlex.quote(str(home))}"
