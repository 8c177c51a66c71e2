"""Where the shipped checkpoints are, and what a model's name in a profile stands for.

Leaves out: loading them; they are plain transformers folders.
"""

from pathlib import Path

PREFIX = "tiny:"
NAMES = ("generator", "base")


def resolve_model(name: str) -> str:
    """``tiny:generator`` and ``tiny:base`` name a shipped folder; other names stay as they are.

    Raises:
        ValueError: for another ``tiny:`` name.
    """
    if not name.startswith(PREFIX):
        return name
    short = name.removeprefix(PREFIX)
    if short not in NAMES:
        raise ValueError(
            f"{name!r} is no shipped model; the shipped ones are {', '.join(PREFIX + n for n in NAMES)}"
        )
    return str(Path(__file__).parent / "checkpoints" / short)
