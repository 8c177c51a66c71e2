"""The rows of a label file on disk until it is read to its end; then they are stored in one transaction.

So a file that turns out to be damaged, or a kill in the middle, leaves nothing behind, memory stays bounded,
and the store's lock is held while rows are written, not while text is parsed. Leaves out: what the rows mean.
"""

import contextlib
import fcntl
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from types import TracebackType

import polars as pl

from stepmark.labeling.errors import StepmarkError
from stepmark.store.snapshot import quoted

Frames = dict[str, pl.DataFrame]

PLACE = "parquet_file, parquet_row"
"""Columns of all that a stage holds: ordered by them, rows come as they stand in the file."""

_PREFIX = "stepmark-import-"
_LOCK = "stepmark-stage.lock"
_YOUNG_S = 60  # a lock file of this age may have been made and not locked yet


class Stage:
    """Frames by table, in a temporary folder that goes when the block ends, or else with the next stage."""

    def __init__(self) -> None:
        _remove_abandoned()
        self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
        self._lock = os.open(Path(self._folder.name) / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # the kernel gives it back however this process ends
        self._files: dict[str, list[Path]] = {}
        self._columns: dict[str, list[str]] = {}
        self._num_rows: Counter[str] = Counter()

    def __enter__(self) -> "Stage":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._folder.cleanup()
        os.close(self._lock)

    def add(self, frames: Frames) -> None:
        """Keep the frames of some rows; StepmarkError where the temporary folder is full, or no UTF-8."""
        try:
            self._folder.name.encode()
            for name, frame in frames.items():
                files = self._files.setdefault(name, [])
                path = Path(self._folder.name) / f"{name}-{len(files):06}.parquet"
                frame.write_parquet(path, compression="lz4", statistics=False)
                files.append(path)
                self._columns[name] = frame.columns
                self._num_rows[name] += frame.height
        except UnicodeEncodeError as error:  # neither Polars nor DuckDB takes such a path
            raise StepmarkError(
                f"The temporary folder {self._folder.name!r} holds a byte that is not UTF-8; "
                "set TMPDIR to a folder without one."
            ) from error
        except (OSError, pl.exceptions.PolarsError) as error:
            raise StepmarkError(
                f"Cannot write to the temporary folder {self._folder.name}: {error}; free some space, or set "
                "TMPDIR to a folder that has some."
            ) from error

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added, not even frames without rows."""
        return not self._files

    @property
    def names(self) -> Collection[str]:
        """The tables of which something was added."""
        return self._files.keys()

    def columns(self, name: str) -> list[str]:
        """The columns of what was added for a table."""
        return self._columns[name]

    def num_rows(self, name: str) -> int:
        """How many rows were added for a table."""
        return self._num_rows[name]

    def frame(self, name: str) -> pl.DataFrame:
        """All that was added for a table, in memory."""
        return pl.read_parquet(self._files[name], glob=False)

    def sql(self, name: str) -> str:
        """A query of all that was added for a table, with PLACE; good while the block lasts."""
        files = ", ".join(_quoted(path) for path in self._files[name])
        return (
            "SELECT * RENAME (filename AS parquet_file, file_row_number AS parquet_row) "
            f"FROM read_parquet([{files}], filename = true, file_row_number = true)"
        )


def _quoted(path: Path) -> str:
    """A path as DuckDB's readers take it: as itself, not as a pattern of several."""
    literal = re.sub(r"[*?[]", r"[\g<0>]", str(path))
    return f"'{quoted(literal)}'"


def _remove_abandoned() -> None:
    """Remove what imports that were killed have left: folders with their lock, and nothing else in them."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError):  # locked: in use; or somebody else's, or more in it
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - os.stat(lock).st_mtime > _YOUNG_S:
                    for staged in path.parent.glob("*-??????.parquet"):
                        staged.unlink()
                    path.unlink()
                    path.parent.rmdir()
            finally:
                os.close(lock)
