"""Three-valued opinions on equality: True, False, and None for "cannot tell"; and who is asked last."""

from collections.abc import Iterable
from typing import Protocol


class Algebra(Protocol):
    """What decides about expressions that exact comparison cannot tell apart. None means: cannot tell."""

    def equal(self, left: str, right: str) -> bool | None:
        """Whether two expressions are equal."""

    def ratio(self, left: str, right: str) -> float | None:
        """The constant that one expression divided by the other is, or None."""

    def can_read(self, text: str) -> bool:
        """Whether a text is an expression."""


def all_of(opinions: Iterable[bool | None]) -> bool | None:
    """True if all are, False if any is False, else None.

    >>> all_of([True, None]), all_of([None, False])
    (None, False)
    """
    unsure = False
    for opinion in opinions:
        if opinion is False:
            return False
        unsure = unsure or opinion is None
    return None if unsure else True


def any_of(opinions: Iterable[bool | None]) -> bool | None:
    """True if any is, False if all are False, else None.

    >>> any_of([False, None]), any_of([None, True])
    (None, True)
    """
    unsure = False
    for opinion in opinions:
        if opinion:
            return True
        unsure = unsure or opinion is None
    return None if unsure else False
