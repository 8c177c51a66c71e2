"""What a format's file declares, as its ``FORMAT``: how its rows are known, read and written.

Leaves out: what a row means, which each format's own file says; finding those files (``registry``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Literal

from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.formats.io.rows import WRITERS, Layout

from .chunks import FileReader, RowReader, one_a_line
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

RowMaker = Callable[[Iterable[ExportedSolution], ExportOptions, ExportTally], Iterator[Row]]

LAST = 1000  # the place of a format that asks for none


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """How a format is written: the rows of solutions, the file they go into, and what an export reads for it.

    ``labelers`` says what becomes of labelers' own ratings: "alone" (a line a labeler, with alternatives),
    "beside" (each labeler, and other label sources beside them), or "merged" (as the label source human).
    ``holds_sources`` is True where one file can hold several label sources, ``is_by_problem`` where all
    solutions of a problem come together. ``columns`` and their types are needed for CSV and Parquet.
    ``place`` orders the choices of ``export --format``, as ``Format.place`` those of ``import-labels``.
    """

    rows: RowMaker
    layout: Layout = "lines"
    labelers: Literal["alone", "beside", "merged"] = "merged"
    holds_sources: bool = False
    is_by_problem: bool = False
    columns: Mapping[str, type] = field(default_factory=dict)
    place: int = LAST

    def write(
        self,
        file: IO[bytes],
        solutions: Iterable[ExportedSolution],
        options: ExportOptions,
        tally: ExportTally,
    ) -> int:
        """Write the rows of the solutions; returns how many there are."""
        return WRITERS[self.layout](file, self.rows(solutions, options, tally), self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of label files.

    ``name`` is its choice of ``--format`` and, in the store, the source of what such a file brings.
    ``matches`` says whether a file's first object is a row of this format and of no other.
    ``read_row`` makes labeled solutions of a row; ``read_file`` parts the file into rows.
    ``read_row_knowing``, where a row may not show where its problem ends, makes another ``read_row`` from the
    texts of known problems.
    ``writer`` is None for a format that only comes in.
    ``layouts`` are the kinds of file that its rows may stand in, where it is several, by what ``--format``
    calls each.
    ``place`` orders the choices, and decides on a row that has the keys of two formats: the first has it.
    """

    name: str
    matches: Callable[[JsonObject], bool]
    read_row: RowReader
    read_file: FileReader = one_a_line
    read_row_knowing: Callable[[Iterable[str]], RowReader] | None = None
    writer: Writer | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    place: int = LAST

    @property
    def needs_known_problems(self) -> bool:
        """Whether some rows can only be read by who knows the problems."""
        return self.read_row_knowing is not None

    def row_reader(self, known_problems: Iterable[str]) -> RowReader:
        """What reads the rows of one file."""
        return self.read_row_knowing(known_problems) if self.read_row_knowing else self.read_row
