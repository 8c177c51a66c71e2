"""Shared fixtures. Leaves out: model fixtures, which live beside the tests that need them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["tests.small_pipeline"]

_ROOT = Path(__file__).resolve().parents[1]
_BESIDE_THE_CHECKOUT = _ROOT.parent / "shared" / "data"


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
