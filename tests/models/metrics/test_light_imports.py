"""What is written in plain numbers and rows starts without torch, vLLM and Dagster."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

_SCRIPT = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print([name for name in ("torch", "transformers", "vllm", "dagster") if name in sys.modules])
"""


@pytest.mark.parametrize("package", ["stepmark.models.metrics", "stepmark.labeling", "stepmark.store"])
def test_every_module_is_imported_without_what_loads_slowly(package: str) -> None:
    """Each one, and what it imports in turn, in a process of its own."""
    arguments = [sys.executable, "-c", _SCRIPT, package]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
