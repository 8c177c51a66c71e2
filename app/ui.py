"""``stepmark ui``: Dagster's UI on the workspace, on this machine only."""

import os
import socket
import sys
from pathlib import Path

import click

from stepmark.assets.profile import BUILT_IN
from stepmark.labeling.errors import InputError

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
    _check_port(host, port)
    known = profile if profile in BUILT_IN else str(Path(profile).resolve())
    environment = os.environ | {
        "DAGSTER_HOME": str(dagster_home(home)),
        HOME_VARIABLE: str(home.resolve()),
        PROFILE_VARIABLE: known,
    }
    arguments = ["-m", "dagster", "dev", "-m", "stepmark.assets.definitions", "-h", host, "-p", str(port)]
    click.echo(f"http://{host}:{port}  (Ctrl-C ends it)", err=True)
    sys.stderr.flush()
    # In place of this process: whoever ends it ends Dagster, which then ends the servers it started.
    os.execve(sys.executable, [sys.executable, *arguments], environment)  # noqa: S606 - our own command


def _check_port(host: str, port: int) -> None:
    # Dagster would start, fail behind a traceback, and wait for ever.
    try:
        with socket.create_server((host, port), family=_family(host, port)):
            pass
    except OSError as error:
        reason = type(error).__name__ if error.errno is None else os.strerror(error.errno).lower()
        raise InputError(
            f"cannot listen on {host}:{port} ({reason}); name a free port with --port."
        ) from error


def _family(host: str, port: int) -> socket.AddressFamily:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
