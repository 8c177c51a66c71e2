"""A fake server for the tests of endpoints."""

from collections.abc import Iterator

import pytest

from .fake_server import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """One fake server that answers everything."""
    with FakeServer() as fake:
        yield fake
