"""The rows of a label file on disk until it is read to its end; then they are stored in one transaction.

So a file that turns out to be damaged, or a kill in the middle, leaves nothing behind, memory stays bounded,
and the store's lock is held while rows are written, not while text is parsed. Leaves out: what the rows mean.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import polars as pl

from stepmark.labeling.errors import StepmarkError

Frames = dict[str, pl.DataFrame]


class LabelStage:
    """Frames by table, in the order they were added, in a temporary folder that goes when the block ends."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="stepmark-import-")
        self._added: list[dict[str, Path]] = []

    def __enter__(self) -> "LabelStage":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    def add(self, frames: Frames) -> None:
        """Keep the frames of some rows; StepmarkError where the temporary folder is full."""
        names = {name: Path(self._folder.name) / f"{len(self._added):06}-{name}.arrow" for name in frames}
        try:
            for name, frame in frames.items():
                frame.write_ipc(names[name])
        except (OSError, pl.exceptions.PolarsError) as error:
            raise StepmarkError(
                f"Cannot write to the temporary folder {self._folder.name}: {error}; free some space, or set "
                "TMPDIR to a folder that has some."
            ) from error
        self._added.append(names)

    def __iter__(self) -> Iterator[Frames]:
        """What was added, as it was added."""
        for names in self._added:
            yield {name: pl.read_ipc(path) for name, path in names.items()}
