"""A file that no command can read, shared by the tests of the files that commands read and write."""

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that every command would fail on, had it started to read it; and a folder to leave as it is."""
    path = tmp_path / "in.jsonl"
    path.write_text("neither lines nor a profile")
    monkeypatch.chdir(tmp_path)
    return path
