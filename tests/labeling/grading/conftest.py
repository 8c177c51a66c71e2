"""A grader for the tests of equivalent answers."""

from collections.abc import Iterator

import pytest

from stepmark.labeling.grading import Grader


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """One grader for the module: its workers take a second or more to start."""
    with Grader(time_limit_s=5.0, num_workers=2) as shared:
        yield shared
