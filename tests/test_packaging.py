"""What a wheel holds: every folder with code, and the files that code reads."""

import tomllib
from pathlib import Path

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
