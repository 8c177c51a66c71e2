"""Files that docs and docstrings mention are there: one that a move left behind sends a reader astray."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = "labeling|models|store|pipeline|assets|app|tools|benchmarks|tests|docs"
PATH = re.compile(rf"`{{1,2}}((?:{FOLDERS})/[\w./-]+)`{{1,2}}")
SIBLING = re.compile(r"[(,] ?([a-z_]+\.py)\)")


def tracked() -> list[Path]:
    """The files of the project, relative to its folder."""
    found = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return [Path(name) for name in found.stdout.split()]
    return [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]


def test_every_path_in_docs_and_docstrings_exists() -> None:
    """A path from the project's folder, in backticks."""
    wrong = [
        f"{file}: {path}"
        for file in tracked()
        if file.suffix in {".md", ".py", ".sql"} and (ROOT / file).is_file()
        for path in PATH.findall((ROOT / file).read_text(encoding="utf-8"))
        if not (ROOT / path.rstrip("/")).exists()
    ]

    assert wrong == []


def test_every_file_that_a_docstring_leaves_something_to_exists() -> None:
    """``Leaves out: grading (grade.py)`` names a file of the same folder, or of one beside or below it."""
    names = {file.name for file in tracked() if file.suffix == ".py"}
    wrong = [
        f"{file}: {name}"
        for file in tracked()
        if file.suffix == ".py" and file.parts[0] in FOLDERS.split("|") and (ROOT / file).is_file()
        for name in SIBLING.findall((ROOT / file).read_text(encoding="utf-8"))
        if name not in names
    ]

    assert wrong == []
