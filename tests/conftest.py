"""Shared fixtures. Leaves out: model fixtures, which live beside the tests that need them."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Where torch is not installed (make test-light), what is about models that run cannot be tried.
if importlib.util.find_spec("torch") is None:
    collect_ignore = [
        "models/reward", "models/tiny", "models/sampling", "models/test_threads.py", "test_whole_job.py",
        "pipeline/test_score.py", "pipeline/test_lineage.py", "app/test_score.py",
    ]  # fmt: skip

pytest_plugins = ["tests.small_pipeline"]

_ROOT = Path(__file__).resolve().parents[1]
_BESIDE_THE_CHECKOUT = _ROOT.parent / "shared" / "data"
_OF_THE_STORE = Path(__file__).parent / "store"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real MATH, PRM800K, ProcessBench and grader cases; the test is skipped without it."""
    folder = Path(os.environ.get("STEPMARK_REAL_DATA", _BESIDE_THE_CHECKOUT))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is absent (set STEPMARK_REAL_DATA to its folder)")
    return folder


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built from a copy: in the checkout an older build would leak into it."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("app", "assets", "labeling", "models", "pipeline", "store"):
        shutil.copytree(_ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(_ROOT / name, source)
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(out), str(source)]
    subprocess.run([sys.executable, "-m", "pip", *build], check=True)
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with every table and no row."""
    from stepmark.store.create import create_file

    file = tmp_path_factory.mktemp("database") / "stepmark.duckdb"
    create_file(file)
    return file


@pytest.fixture(autouse=True)
def _new_homes_copy_the_empty_database(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, empty_database: Path
) -> None:
    """A store that makes its file copies one: making the tables takes longer than most tests.

    The store's own tests make theirs, and so does every process that a test starts.
    """
    if _OF_THE_STORE not in request.path.parents:
        monkeypatch.setattr(
            "stepmark.store.store.create_file", lambda path: shutil.copyfile(empty_database, path)
        )
