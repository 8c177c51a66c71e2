"""``stepmark ui``: Dagster's UI on the workspace, on this machine only."""

import os
import subprocess
import sys
from pathlib import Path

import click

from stepmark.assets.profile import BUILT_IN

from .options import home_option


@click.command("ui")
@click.option("--profile", default=BUILT_IN[0], show_default=True, help="A built-in profile, or a TOML file.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; the UI has no password."
)
@click.option("--port", default=3000, show_default=True, type=click.IntRange(1, 65535))
@home_option
def ui_command(profile: str, host: str, port: int, home: Path) -> None:
    """Open the asset graph in Dagster's UI, to look at runs and to start them."""
    from stepmark.assets.pipeline import HOME_VARIABLE, PROFILE_VARIABLE  # noqa: PLC0415
    from stepmark.assets.profile import load_profile  # noqa: PLC0415

    from .run import dagster_home  # noqa: PLC0415 - Dagster loads slowly

    load_profile(profile)  # a wrong profile is told here, not in a traceback of the UI
    known = profile if profile in BUILT_IN else str(Path(profile).resolve())
    environment = os.environ | {
        "DAGSTER_HOME": str(dagster_home(home)),
        HOME_VARIABLE: str(home.resolve()),
        PROFILE_VARIABLE: known,
    }
    command = [
        sys.executable,
        "-m",
        "dagster",
        "dev",
        "-m",
        "stepmark.assets.definitions",
        "-h",
        host,
        "-p",
        str(port),
    ]
    click.echo(f"http://{host}:{port}  (Ctrl-C ends it)", err=True)
    sys.exit(subprocess.call(command, env=environment))  # noqa: S603 - our own command
