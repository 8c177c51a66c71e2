"""What computer algebra is asked where exact arithmetic cannot tell.

Leaves out: the answers (``sympy_algebra``).
"""

from typing import Protocol


class Algebra(Protocol):
    """Compares expressions written in LaTeX. None means: cannot tell."""

    def equal(self, left: str, right: str) -> bool | None:
        """Whether two expressions (or matrices) are equal."""

    def ratio(self, left: str, right: str) -> float | None:
        """The constant that ``left / right`` is everywhere, or None if it is none or cannot be told."""

    def can_read(self, text: str) -> bool:
        """Whether a text is an expression at all."""
