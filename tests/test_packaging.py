"""What a wheel holds: every folder with code, and the files that code reads."""

import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("app", "assets", "labeling", "models", "pipeline", "store")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def test_every_folder_with_code_is_packaged() -> None:
    """A package that is not listed works from a checkout and is missing from a wheel."""
    found = {
        "stepmark." + ".".join(file.parent.relative_to(ROOT).parts)
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("__init__.py")
    }

    assert set(SETTINGS["packages"]) == found


def test_every_file_beside_the_code_is_packaged() -> None:
    """SQL, profiles, templates and checkpoints travel with the code that reads them."""
    data = SETTINGS["package-data"]
    patterns = {package.removeprefix("stepmark.").replace(".", "/"): globs for package, globs in data.items()}
    packaged = {
        file
        for folder, globs in patterns.items()
        for pattern in globs
        for file in (ROOT / folder).glob(pattern)
    }
    present = {
        file
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"}
    }

    assert packaged == present


def test_the_wheel_holds_what_the_checkout_does(wheel: Path) -> None:
    """File by file, code and data, under the package's name; and the command that starts it."""
    present = {
        f"stepmark/{file.relative_to(ROOT)}"
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        [entry_points] = [name for name in names if name.endswith("entry_points.txt")]
        commands = opened.read(entry_points).decode()

    assert {name for name in names if name.startswith("stepmark/")} == present
    assert "stepmark = stepmark.app.main:main" in commands


def test_every_package_is_marked_as_typed() -> None:
    """Type checkers of those who import it read its annotations."""
    assert [folder for folder in FOLDERS if not (ROOT / folder / "py.typed").is_file()] == []
