"""A store to export from, and the commands on the way there and back."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepmark.app.export import export_command
from stepmark.app.import_labels import import_labels_command

from .rows import Row


def run(command: Any, *arguments: str) -> Result:
    """The command, which must not fail."""
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def there_and_back(tmp_path: Path, file: Path, name: str, *options: str) -> tuple[Path, Path]:
    """Two homes: one that imported the file, and one that imported what the first one exported."""
    first, second, out = tmp_path / "first", tmp_path / "second", tmp_path / "out"
    run(import_labels_command, str(file), "--home", str(first))
    run(export_command, "--format", name, "--out", str(out), "--home", str(first), *options)
    run(import_labels_command, str(out), "--format", "auto", "--home", str(second))
    return first, second


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of ``home``, made once and copied."""
    folder = tmp_path_factory.mktemp("made")
    rows = [
        {"problem": "P", "steps": ["a", "b", "c"], "label_source": "one", "ratings": [1, 0, None]},
        {"problem": "P", "steps": ["d", "e"], "label_source": "one", "ratings": [None, 1]},
        {"problem": "P", "steps": ["a", "b", "c"], "label_source": "two", "values": [0.9, 0.2, 0.1]},
        {"problem": "P", "steps": ["ки"], "label_source": "two", "values": [1.0]},
    ]
    file = folder / "labels.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    run(import_labels_command, str(file), "--home", str(folder / "home"))
    return folder / "home"


@pytest.fixture
def home(tmp_path: Path, made_home: Path) -> Path:
    """A published store with labels of two sources on solutions that no format but a table holds whole."""
    return shutil.copytree(made_home, tmp_path / "home")


def exported(home: Path, name: str, *options: str) -> tuple[str, list[Row]]:
    """What the command prints, and the objects of the file."""
    out = home.parent / "out"
    told = run(export_command, "--format", name, "--out", str(out), "--home", str(home), *options).output
    text = out.read_text()
    return told, json.loads(text) if text.startswith("[") else [
        json.loads(line) for line in text.splitlines()
    ]
