"""``stepmark refresh``: materialize what is missing for one profile."""

from pathlib import Path

import click

from stepmark.assets.profile import BUILT_IN

from .options import as_text, home_option


@click.command("refresh")
@click.option(
    "--profile",
    default=BUILT_IN[0],
    show_default=True,
    callback=as_text,
    help="A built-in profile, or a TOML file.",
)
@click.option(
    "--allow-leak",
    is_flag=True,
    help="Train although problems trained on are evaluated on too; the decision is kept in leak_decisions.",
)
@home_option
def refresh_command(profile: str, allow_leak: bool, home: Path) -> None:
    """Run the whole pipeline of a profile: what is there stays, what is missing is made."""
    from .run import refresh  # noqa: PLC0415 - Dagster loads slowly

    refresh(home, profile, allow_leak=allow_leak)
    click.echo(f"Published snapshot: {home / 'published' / 'stepmark.duckdb'}")
