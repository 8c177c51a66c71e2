"""Every example in a docstring runs."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("labeling", "models", "store", "pipeline", "assets", "app", "tools")
WITH_EXAMPLES = [
    file.relative_to(ROOT)
    for folder in FOLDERS
    for file in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=str)
def test_the_examples_of_a_module_hold(file: Path) -> None:
    """A module that opens an example is imported, and at least one is found in it and run."""
    name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name if file.parts[0] == "tools" else f"stepmark.{name}")

    results = doctest.testmod(module)

    assert results.failed == 0
    assert results.attempted > 0
