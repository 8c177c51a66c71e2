"""``stepmark ui``: Dagster's UI on the workspace, on this machine only."""

import errno
import os
import socket
import sys
from pathlib import Path

import click

from stepmark.labeling.errors import InputError
from stepmark.pipeline.profile_file import BUILT_IN

from .options import home_option
from .profile_option import profile_option

# Dagster's own SupersessionWarning says to use another tool than `dagster dev`; it is the one kind of
# FutureWarning that Dagster has. A variable reaches all its processes, but cannot name a class of a package.
_SUPERSEDED = "ignore:Function `:FutureWarning"


@click.command("ui")
@profile_option
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; the UI has no password."
)
@click.option(
    "--port", default=3000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on."
)
@home_option
def ui_command(profile: str, host: str, port: int, home: Path) -> None:
    """Open the asset graph in Dagster's UI, to look at runs and to start them."""
    from stepmark.assets.resources import HOME_VARIABLE, PROFILE_VARIABLE  # noqa: PLC0415
    from stepmark.pipeline.profile_file import load_profile  # noqa: PLC0415

    from .run import dagster_home  # noqa: PLC0415 - Dagster loads slowly

    load_profile(profile)  # a wrong profile is told here, not in a traceback of the UI
    _check_port(host, port)
    known = profile if profile in BUILT_IN else str(Path(profile).resolve())
    environment = os.environ | {
        "DAGSTER_HOME": str(dagster_home(home)),
        HOME_VARIABLE: str(home.resolve()),
        PROFILE_VARIABLE: known,
        "PYTHONWARNINGS": ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), _SUPERSEDED])),
    }
    arguments = ["-m", "dagster", "dev", "-m", "stepmark.assets.definitions", "-h", host, "-p", str(port)]
    click.echo(f"http://{host}:{port}  (Ctrl-C ends it)", err=True)
    sys.stderr.flush()
    # In place of this process: whoever ends it ends Dagster, which then ends the servers it started.
    os.execve(sys.executable, [sys.executable, *arguments], environment)  # noqa: S606 - our own command


def _check_port(host: str, port: int) -> None:
    # Dagster would start, fail behind a traceback, and wait for ever.
    name_a_host = "name an address of this machine with --host, such as 127.0.0.1"
    try:
        if not host.strip():
            raise UnicodeError("the name is empty")
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError) as error:  # of a name that is no name, too
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise InputError(f"no host is called {host!r:.80} ({reason:.80}); {name_a_host}.") from error
    try:
        with socket.create_server((host, port), family=family):
            pass
    except OSError as error:
        reason = type(error).__name__ if error.errno is None else os.strerror(error.errno).lower()
        remedy = name_a_host if error.errno == errno.EADDRNOTAVAIL else "name a free port with --port"
        raise InputError(f"cannot listen on {host}:{port} ({reason}); {remedy}.") from error
