"""The README's tree: one line a folder, and the folders are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_tree_names_the_folders_that_there_are() -> None:
    """Every folder of code, tests and docs at the top, and of those below it the ones that are named."""
    tree = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .rpartition("## Limits")[0]
        .rpartition("```\nlabeling/")[2]
    )
    lines = re.findall(r"^( *)([a-z]+)/ +\S", "labeling/" + tree, re.MULTILINE)
    top = {name for indent, name in lines if not indent}
    below, parent = [], ""
    for indent, name in lines:
        parent = parent if indent else name
        below += [f"{parent}/{name}"] if indent else []
    code = {folder.name for folder in ROOT.iterdir() if any(folder.glob("*.py")) and folder.name[0] != "."}

    assert top == code | {"docs", "tests"}
    assert len(below) >= 5
    assert all((ROOT / folder).is_dir() for folder in below)
