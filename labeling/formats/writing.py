"""What every exporter reads: a solution with what one rater says on it; and what became of each.

Leaves out: reading the store, and writing files.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stepmark.labeling.records import HumanLabel, Problem, StepLabel

from .reading import ImportedSolution

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RatedSolution:
    """One row per solution and rater.

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
    def rater(self) -> str:
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


CUT = "solutions cut before the first step without a label"
UNLABELED = "solutions left out: their first step has no label"
UNREADABLE = "solutions left out: the format cannot tell their problem or steps apart"
NEUTRAL = "neutral ratings written as {}"


def signs_of(rated: RatedSolution, options: ExportOptions, tally: ExportTally) -> list[bool]:
    """Right or wrong for the steps up to the first one without a label; what that loses is tallied."""
    ratings = list(rated.ratings)
    known = ratings.index(None) if None in ratings else len(ratings)
    if known < len(ratings):
        tally.reasons[CUT if known else UNLABELED] += 1
    num_neutral = ratings[:known].count(0)
    if num_neutral:
        tally.reasons[NEUTRAL.format("right" if options.neutral > 0 else "wrong")] += num_neutral
    return [(rating or options.neutral) > 0 for rating in ratings[:known]]
