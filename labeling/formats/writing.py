"""What every writer reads: a solution with what one labeler or label source says on it.

Also what an export lost, and reading back what is to be written. Leaves out: reading the store, and
writing files.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stepmark.labeling.formats.io.fields import RowError
from stepmark.labeling.records import HumanLabel, Problem, StepLabel

from .chunks import RowReader
from .reading import ImportedSolution, LabeledSolution

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportedSolution:
    """One row per solution and labeler, or label source other than people.

    ``labels``, ``ratings`` and ``values`` have one entry a step: the stored label, the hard label (-1, 0, 1)
    and the soft one (0 to 1), each None where it is not known. ``human_labels`` are all ratings of one
    ``labeler``, alternatives included; both are None or empty for other label sources. ``place`` orders
    solutions as they were stored.
    """

    problem: Problem
    solution: ImportedSolution
    label_source: str
    labels: Sequence[StepLabel | None]
    ratings: Sequence[int | None]
    values: Sequence[float | None]
    labeler: str | None = None
    human_labels: Sequence[HumanLabel] = ()
    place: int = 0

    @property
    def labeler_or_source(self) -> str:
        """Who says it: the labeler where people rate, the label source elsewhere."""
        return self.labeler or self.label_source

    @property
    def pieces(self) -> list[str]:
        """The steps' exact texts, which joined by newlines are the solution."""
        spans, text = self.solution.steps, self.solution.solution
        pieces = [text[span.char_start : span.char_end] for span in spans]
        return [piece.removesuffix("\n") for piece in pieces[:-1]] + pieces[-1:]

    @property
    def steps(self) -> list[str]:
        """The steps without outer white space."""
        return [span.step for span in self.solution.steps]


@dataclass(slots=True)
class ExportTally:
    """What export lost or changed: ``reasons`` in words, with how many solutions or ratings each befell."""

    reasons: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """``neutral`` is what a neutral rating becomes where a format knows right and wrong only: 1 or -1."""

    neutral: int = 1


UNREADABLE = "solutions left out: the format cannot tell their problem or steps apart"


def read_back(row: Row, read_row: RowReader, split: str) -> Sequence[LabeledSolution]:
    """What the format's reader makes of a row that is to be written; nothing where it refuses the row."""
    try:
        return read_row(row, split)
    except RowError:
        return ()
