"""Sound rows of every format to damage, and a store to import the damaged files into."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from stepmark.app.import_labels import import_labels_command
from stepmark.labeling.errors import StepmarkError

Row = dict[str, Any]

_ROWS_FILE = Path(__file__).parents[2] / "labeling" / "formats" / "valid_rows.json"

VALID: dict[str, Any] = json.loads(_ROWS_FILE.read_text(encoding="utf-8"))

TABLE = b"problem,solution_id,step_index,step,rating\n"


def valid(name: str) -> Row:
    """A sound row of the format, of its own."""
    row: Row = json.loads(json.dumps(VALID[name]))
    return row


def changed(row: Row, path: str, value: object) -> Row:
    """The row with the value at this path of keys and indices replaced."""
    target: Any = row
    *parents, last = (int(part) if part.lstrip("-").isdigit() else part for part in path.split("/"))
    for part in parents:
        target = target[part]
    target[last] = value
    return row


def import_file(home: Path, data: bytes) -> tuple[str, Exception | None]:
    """What the command prints and raises for a file of these bytes."""
    file = home.parent / "labels"
    file.write_bytes(data)
    result = CliRunner().invoke(import_labels_command, [str(file), "--home", str(home)])
    if result.exception is not None and not isinstance(result.exception, StepmarkError):
        raise result.exception
    return result.output, result.exception


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with labels in it, made once and copied."""
    home = tmp_path_factory.mktemp("made") / "home"
    import_file(home, json.dumps(valid("trl")).encode())
    return home


@pytest.fixture
def home(tmp_path: Path, made_home: Path) -> Path:
    """A store with labels in it."""
    return shutil.copytree(made_home, tmp_path / "home")


def numbered(row: Row, number: int) -> Row:
    """The row with another problem, so that it repeats no other."""
    text = json.dumps(row, ensure_ascii=False).replace("How many?", f"How many {number}?")
    numbered_row: Row = json.loads(text)
    return numbered_row
