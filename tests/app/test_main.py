"""The command line as a script sees it: exit codes, one sentence on errors, --home everywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from stepmark.app.main import _COMMANDS, cli

pytestmark = pytest.mark.slow


def stepmark(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "stepmark.app.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_bad_usage_ends_with_2(tmp_path: Path) -> None:
    """An unknown command, and a file that is not there."""
    assert stepmark("no-such-command", cwd=tmp_path).returncode == 2
    assert stepmark("grade", "nowhere.jsonl", cwd=tmp_path).returncode == 2


def test_a_failure_ends_with_1_and_one_sentence(tmp_path: Path) -> None:
    """No traceback reaches a person for bad input."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"label": 1, "prediction": 1}\n{"label": "x", "prediction": 1}\n')
    done = stepmark("first-error", str(bad), cwd=tmp_path)

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "line 2" in done.stderr


HOME_COMMANDS = {
    "ingest": ["ingest", "problems.jsonl", "--split", "train"],
    "import-labels": ["import-labels", "labels.jsonl"],
    "sql": ["sql", "SELECT 1"],
    "refresh": ["refresh"],
}


@pytest.mark.parametrize("command", HOME_COMMANDS)
@pytest.mark.parametrize("home", ["below-a-file", "read-only"])
def test_a_home_that_cannot_be_written_is_told_in_one_sentence(
    command: str, home: str, tmp_path: Path
) -> None:
    """Exit code 1, and the sentence names the home; no traceback."""
    label = {"problem": "Q?", "steps": ["a"], "label_source": "t", "ratings": [1]}
    (tmp_path / "problems.jsonl").write_text('{"problem": "Q?", "answer": "7"}\n')
    (tmp_path / "labels.jsonl").write_text(json.dumps(label) + "\n")
    folder = tmp_path / home
    if home == "below-a-file":
        folder.write_text("")
    else:
        folder.mkdir(mode=0o555)
        if os.access(folder, os.W_OK):
            pytest.skip("this user (root) may write everywhere")
    done = stepmark(*HOME_COMMANDS[command], "--home", str(folder / "home"), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: ")
    assert str(folder) in done.stderr


def test_success_ends_with_0_and_writes_json(tmp_path: Path) -> None:
    """The contract's shape of first-error."""
    good = tmp_path / "good.jsonl"
    good.write_text('{"label": 1, "prediction": 1}\n{"label": -1, "prediction": -1}\n')
    done = stepmark("first-error", str(good), "--json", "out.json", "--home", "h", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["f1"] == 1.0


@pytest.mark.parametrize("command", [name for name in _COMMANDS if name != "tiny-generator"])
def test_every_command_loads_and_takes_a_home(command: str) -> None:
    """Its help names --home."""
    done = CliRunner().invoke(cli, [command, "--help"], catch_exceptions=False)

    assert done.exit_code == 0, done.stderr
    assert "--home" in done.stdout
