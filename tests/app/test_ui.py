"""``stepmark ui`` before Dagster starts, and a run that is interrupted."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from click.testing import CliRunner

from stepmark.app.run import dagster_home, refresh
from stepmark.app.ui import ui_command
from stepmark.assets import problem_assets
from stepmark.labeling.errors import InputError, StepmarkError

pytestmark = pytest.mark.slow


def test_a_taken_port_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with the port, and nothing is started."""
    monkeypatch.setattr(os, "execve", lambda *command: pytest.fail(f"started {command}"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port} .address already in use.;"):
            CliRunner().invoke(
                ui_command, ["--port", str(port), "--home", str(tmp_path)], catch_exceptions=False
            )


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("a" * 70 + ".example", "no host is called 'aaaa.*; name an address of this machine with --host"),
        (
            "no-such-host.invalid",
            "no host is called 'no-such-host.invalid' .*; name an address of this machine",
        ),
        ("", "no host is called '' .the name is empty.; name an address of this machine with --host"),
        ("\udcff", "no host is called '.udcff' .*; name an address of this machine with --host"),
        ("192.0.2.1", "cannot listen on 192.0.2.1:.*; name an address of this machine with --host"),
    ],
)
def test_a_host_that_is_not_this_machine_is_told_at_once(
    host: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is none, one that nobody knows, and an address of another machine."""
    look_up = socket.getaddrinfo

    def look_up_here(name: str, *rest: Any, **options: Any) -> Any:
        if name.endswith(".invalid"):  # without asking a server
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(name, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)
    monkeypatch.setattr(os, "execve", lambda *command: pytest.fail(f"started {command}"))
    with pytest.raises(InputError, match=message) as refused:
        CliRunner().invoke(ui_command, ["--host", host, "--home", str(tmp_path)], catch_exceptions=False)

    assert "\n" not in str(refused.value)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment that the command, on a free port, hands to Dagster."""
    commands = []
    monkeypatch.setenv("PYTHONWARNINGS", "default")
    monkeypatch.setattr(os, "execve", lambda *command: commands.append(command))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    CliRunner().invoke(ui_command, ["--port", str(port), "--home", str(tmp_path)], catch_exceptions=False)
    [(_, arguments, environment)] = commands
    return arguments, environment


def test_a_free_port_is_handed_to_dagster(started: tuple[list[str], dict[str, str]], tmp_path: Path) -> None:
    """Dagster takes the place of the command, with the home in its environment."""
    arguments, environment = started

    assert arguments[-4:-1] == ["-h", "127.0.0.1", "-p"]
    assert environment["DAGSTER_HOME"] == str(tmp_path / "dagster")


def test_dagster_does_not_warn_of_its_own_command(started: tuple[list[str], dict[str, str]]) -> None:
    """Other warnings are told as the user wishes."""
    code = (
        "import warnings\nfrom dagster._cli.dev import dev_command\n"
        "warnings.warn('of another kind', FutureWarning)\ndev_command.callback()"  # it warns, then fails
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env=started[1], capture_output=True, text=True, check=False
    )

    assert started[1]["PYTHONWARNINGS"].startswith("default,")
    assert "required positional argument" in run.stderr
    assert "of another kind" in run.stderr
    assert "superseded" not in run.stderr


@pytest.mark.parametrize(
    "error",
    [dg.DagsterExecutionInterruptedError(), RuntimeError("Query interrupted")],
    ids=["own", "DuckDB's"],
)
def test_an_interrupted_run_is_no_failure_of_an_asset(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C reaches the command line as what it is, whatever a query makes of it."""

    def interrupted(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(problem_assets, "ingest_problems", interrupted)
    with pytest.raises(KeyboardInterrupt):
        refresh(tmp_path, "minimath")


def test_records_of_dagster_that_cannot_be_read_are_told_in_one_sentence(tmp_path: Path) -> None:
    """What is wrong is SQLite's to say, and as little can be kept on a full disk."""
    records = dagster_home(tmp_path) / "history" / "runs.db"
    records.parent.mkdir()
    records.write_text("no database" * 100)

    with pytest.raises(StepmarkError, match=r"records of runs in .*dagster cannot .*: file is not a data"):
        refresh(tmp_path, "minimath")
