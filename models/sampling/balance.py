"""Choosing a server for each request: the least busy one, passing over those that keep failing.

Leaves out: the requests themselves (endpoints.py). Used from one event loop, so nothing is locked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

_MAX_FAILURES = 3


@dataclass(slots=True)
class Server:
    """One server: requests it is working on now, and failures since its last success."""

    url: str
    num_outstanding: int = 0
    num_failures: int = 0

    @property
    def is_set_aside(self) -> bool:
        """Whether it failed so often in a row that others are tried first."""
        return self.num_failures >= _MAX_FAILURES

    def set_aside(self) -> None:
        """Try others first until this one answers again."""
        self.num_failures = max(self.num_failures, _MAX_FAILURES)


def pick(servers: Sequence[Server]) -> Server:
    """The server with the fewest outstanding requests, then the fewest failures, of those not set aside.

    When all are set aside, of all: a request's own limit of tries decides when to give up.
    """
    usable = [server for server in servers if not server.is_set_aside] or servers
    return min(usable, key=lambda server: (server.num_outstanding, server.num_failures))
