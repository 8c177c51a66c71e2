"""The packages that open with a map: it names what is there."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from stepmark.labeling import estimating, grading, minimath


@pytest.mark.parametrize("package", [estimating, grading, minimath], ids=lambda one: one.__name__)
def test_a_map_names_every_file_of_its_package(package: ModuleType) -> None:
    """A file that is added, renamed or removed shows here, and not as a puzzle to a reader."""
    folder = Path(str(package.__file__)).parent
    files = {file.stem for file in folder.rglob("*.py") if file.name != "__init__.py"}
    rooms = {room.parent.name for room in folder.glob("*/__init__.py")}

    named = set(re.findall(r"``(\w+)(?:/\w*)?``", package.__doc__ or ""))

    assert files | rooms <= named
