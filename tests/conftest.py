"""Shared fixtures. Leaves out: model fixtures, which live beside the tests that need them."""

import os
from pathlib import Path

import pytest

pytest_plugins = ["tests.small_pipeline"]

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real MATH, PRM800K, ProcessBench and grader cases; the test is skipped without it."""
    folder = Path(os.environ.get("STEPMARK_REAL_DATA", _BESIDE_THE_CHECKOUT))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is absent (set STEPMARK_REAL_DATA to its folder)")
    return folder
