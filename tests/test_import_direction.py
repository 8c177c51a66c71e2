"""Imports point one way: app -> assets -> pipeline -> {store, models} -> labeling."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "labeling": set(),
    "store": {"labeling"},
    "models": {"labeling"},
    "pipeline": {"labeling", "store", "models"},
    "assets": {"labeling", "store", "models", "pipeline"},
    "app": {"labeling", "store", "models", "pipeline", "assets"},
}
FOREIGN_TO_LABELING = {"torch", "transformers", "duckdb", "dagster", "vllm"}


def imports_of(file: Path) -> set[str]:
    """Every absolute module name a file imports, at any depth of its code."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_what_lies_below_it(folder: str) -> None:
    """An import against the direction is named with its file."""
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in sorted((ROOT / folder).rglob("*.py"))
        for name in imports_of(file)
        if name.startswith("stepmark.") and name.split(".")[1] not in MAY_IMPORT[folder] | {folder}
    ]

    assert wrong == []


def test_labeling_imports_nothing_heavy() -> None:
    """The domain works without torch, DuckDB, Dagster and vLLM."""
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in sorted((ROOT / "labeling").rglob("*.py"))
        for name in imports_of(file)
        if name.split(".")[0] in FOREIGN_TO_LABELING
    ]

    assert wrong == []


# What each library is for has one home; the command line's start of Dagster is the one exception.
HOMES = {"dagster": {"assets"}, "click": {"app"}, "duckdb": {"store", "app"}}
STARTS_DAGSTER = {"app/run.py"}


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_in_its_home_alone(library: str) -> None:
    """Dagster stays in assets/, click in app/, DuckDB behind the store: a use case knows none of them."""
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for folder in MAY_IMPORT
        if folder not in HOMES[library]
        for file in sorted((ROOT / folder).rglob("*.py"))
        for name in imports_of(file)
        if name.split(".")[0] == library and str(file.relative_to(ROOT)) not in STARTS_DAGSTER
    ]

    assert wrong == []


def test_no_relative_import_leaves_its_folder() -> None:
    """Across folders imports are absolute, so that a file can be read without counting dots."""
    wrong = [
        str(file.relative_to(ROOT))
        for folder in MAY_IMPORT
        for file in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level > 1
    ]

    assert wrong == []
