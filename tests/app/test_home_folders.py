"""Homes that cannot hold a store: the folder itself, and what stands at the places of the store's files."""

import json
import os
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from stepmark.app.main import cli
from stepmark.labeling.errors import StepmarkError


@pytest.mark.parametrize("home", ["a", "a/home"])
@pytest.mark.parametrize("command", [["sql", "FROM leaks"], ["refresh"], ["report", "--out", "out.html"]])
def test_a_home_behind_links_in_a_circle_is_bad_usage(command: list[str], home: str, tmp_path: Path) -> None:
    """It is not said to be absent, and what resolves its path does not fail in its own way."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    result = CliRunner().invoke(cli, [*command, "--home", str(tmp_path / home)])

    assert result.exit_code == 2
    assert f"'{tmp_path / home}' is reached by links in a circle; name another folder." in result.stderr


@pytest.mark.parametrize("command", ["demo", "refresh", "ui", "report", "sql SHOW"])
def test_a_home_with_a_question_mark_is_refused(command: str, tmp_path: Path) -> None:
    """By the store, and where Dagster comes before it; nothing is made."""
    result = CliRunner().invoke(cli, [*command.split(), "--home", str(tmp_path / "x?y")])

    assert isinstance(result.exception, StepmarkError)
    assert "holds a question mark; give another --home" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


_PLACES = {
    "stepmark.duckdb": (
        "demo",
        "refresh",
        "ui",
        "ingest in.jsonl --split train",
        "import-labels in.jsonl",
        "score prm in.jsonl",
    ),
    "stepmark.duckdb.wal": ("refresh", "ingest in.jsonl --split train"),
    "stepmark.lock": ("ingest in.jsonl --split train", "import-labels in.jsonl"),
    "published/stepmark.duckdb": (
        "sql SHOW",
        "report",
        "export --format trl --out out",
        "ingest in.jsonl --split train",
    ),
    "published/stepmark.duckdb.wal": ("sql SHOW", "ingest in.jsonl --split train"),
}


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a device", "a folder"])
@pytest.mark.parametrize(
    ("place", "command"), [(place, command) for place, them in _PLACES.items() for command in them]
)
def test_what_is_no_file_in_the_store_is_named(
    kind: str, place: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB would wait at a pipe for ever; the others it tells as damage of a file."""
    if command.startswith("score"):
        pytest.importorskip("torch")  # without it the command stops before it looks for a home
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    row = {"problem": "1+1?", "steps": ["2"], "solution": r"\boxed{2}", "level": "Level 1", "type": "Algebra"}
    rated = {"prompt": "1+1?", "completions": ["2"], "labels": [True]}
    Path("in.jsonl").write_text(json.dumps(row | rated) + "\n")
    there = Path("home") / place
    there.parent.mkdir(parents=True)
    _make(kind, there)
    result = CliRunner().invoke(cli, [*command.split(), "--home", "home"])

    assert isinstance(result.exception, StepmarkError), result.output
    assert str(result.exception) == (
        f"{there}: this is {kind}, and the store has a file there; move it away, or give another --home."
    )


def _make(kind: str, path: Path) -> None:
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
        case "a device":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
