"""What every label importer returns: one shape for all formats, so that one writer stores them.

One row of a file gives one or more LabeledSolutions; a LabelImport gathers those of many rows (``chunks``).
Leaves out: reading files, and the database.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stepmark.labeling.ids import imported_solution_id, problem_id
from stepmark.labeling.records import HumanLabel, Problem, Reject, StepLabel
from stepmark.labeling.steps import StepSpan, join_steps

from .estimates import StepEstimate


@dataclass(frozen=True, slots=True)
class ImportedSolution:
    """One row per solution of a label file, at its 1-based line; ``generator`` is a model's name if given.

    ``steps`` begin with the one at ``first_step_index``: 0, but for an alternative, which is its only one.
    """

    solution_id: str
    problem_id: str
    source: str
    solution: str
    steps: tuple[StepSpan, ...]
    finish_reason: str | None = None
    final_answer: str | None = None
    outcome: str | None = None
    generator: str | None = None
    source_line: int | None = None
    first_step_index: int = 0


class Authorship(NamedTuple):
    """Whose labels on which solution: one row per solution and author of labels on it.

    ``label_author`` is the labeler where people rate (``is_labeler``), and the label source elsewhere: a
    labeler and a label source may have one name.
    """

    solution_id: str
    label_author: str
    is_labeler: bool


@dataclass(frozen=True, slots=True)
class LabeledSolution:
    """The labels that a row of a file gives one solution, by one author (Authorship).

    An author labels a solution once. ``num_steps`` counts the steps the row goes through, rated or not.
    """

    problem: Problem
    solution: ImportedSolution
    label_author: str
    num_steps: int
    human_labels: Sequence[HumanLabel]
    step_labels: Sequence[StepLabel]

    @property
    def authorship(self) -> Authorship:
        """Whose labels these are, and on which solution; only people give human labels."""
        return Authorship(self.solution.solution_id, self.label_author, bool(self.human_labels))


class LabeledLine(NamedTuple):
    """One row per accepted row of the file and solution it labels; with the fields of Authorship.

    ``row`` numbers the accepted rows: several may stand on one ``line``, in an array. In tables, where the
    labels of a solution take several lines, it is the first of ``num_lines``. ``num_steps`` is as in
    LabeledSolution; ``is_repeated`` where an earlier row of the file says the same and brings the labels.
    """

    row: int
    line: int
    solution_id: str
    label_author: str
    is_labeler: bool
    num_lines: int = 1
    num_steps: int = 0
    is_repeated: bool = False


class RatedAlternative(NamedTuple):
    """One row per accepted row of a file (``row`` as in LabeledLine) and alternative that it rates."""

    row: int
    source_line: int
    solution_id: str
    step_index: int
    rating: int


@dataclass(slots=True)
class LabelImport:
    """The rows of a stretch of a label file, ready to be stored, and what became of each line.

    A problem or solution is here once per file; ``earlier_solutions`` are those that came with an earlier
    stretch and got labels of people in this one, too. ``labeled_lines`` says who labeled which solution in
    which accepted line, ``rated_alternatives`` which of them rates which alternative. ``duplicates`` are
    lines that repeat an earlier one: nothing of them is stored. Keys that were stored before (by another
    file, or another labeler of the same solution in ``step_labels``) are left as they are: the first label
    stays. The ``counts`` are: lines = accepted + rejected + duplicates; and of the accepted lines: steps
    (gone through by the file), completions (rated or rateable texts), human_written, quality_control,
    screening (lines), step_labels, and ``phase_P_rating_R`` for the completions of people's ratings (R: -1,
    0, 1, null).
    """

    problems: list[Problem] = field(default_factory=list)
    solutions: list[ImportedSolution] = field(default_factory=list)
    earlier_solutions: list[ImportedSolution] = field(default_factory=list)
    human_labels: list[HumanLabel] = field(default_factory=list)
    step_labels: list[StepLabel] = field(default_factory=list)
    labeled_lines: list[LabeledLine] = field(default_factory=list)
    rated_alternatives: list[RatedAlternative] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    duplicates: list[Reject] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def extend(self, other: "LabelImport") -> None:
        """Append the rows and add the counts of a later stretch of the same file."""
        self.problems += other.problems
        self.solutions += other.solutions
        self.human_labels += other.human_labels
        self.step_labels += other.step_labels
        self.labeled_lines += other.labeled_lines
        self.rejects += other.rejects
        self.duplicates += other.duplicates
        self.counts += other.counts


def merged(chunks: Iterable[LabelImport]) -> LabelImport:
    """All chunks of a file as one; for files that fit into memory."""
    whole = LabelImport()
    for chunk in chunks:
        whole.extend(chunk)
    return whole


def label_problem(
    text: str, source: str, split: str, answer: str | None = None, solution: str | None = None
) -> Problem:
    """A problem as a label file knows it: subject and level are unknown, the split is the caller's word."""
    stripped = text.strip()
    return Problem(problem_id(stripped), source, split, None, None, stripped, solution, answer)


def solution_of(
    problem: Problem,
    source: str,
    steps: Sequence[str],
    *,
    final_answer: str | None = None,
    outcome: str | None = None,
    generator: str | None = None,
) -> ImportedSolution:
    """The solution that consists of ``steps``, joined by newlines; why its writer stopped is not known."""
    text, spans = join_steps(list(steps))
    return ImportedSolution(
        solution_id=imported_solution_id(problem.problem_id, source, text),
        problem_id=problem.problem_id,
        source=source,
        solution=text,
        steps=tuple(spans),
        final_answer=final_answer,
        outcome=outcome,
        generator=generator,
    )


def labeled(
    problem: Problem,
    solution: ImportedSolution,
    label_source: str,
    ratings: Sequence[int | None],
    values: Sequence[float | None] | None = None,
    estimates: Sequence[StepEstimate | None] | None = None,
) -> LabeledSolution:
    """A solution with a machine's labels: a rating, a value, an estimate. A step with none gets none."""
    nothing = [None] * len(ratings)
    labels = [
        StepLabel(
            solution.solution_id, index, label_source, rating, value, **(estimate or StepEstimate())._asdict()
        )
        for index, (rating, value, estimate) in enumerate(
            zip(ratings, values or nothing, estimates or nothing, strict=True)
        )
        if rating is not None or value is not None or (estimate and estimate.labels_step)
    ]
    return LabeledSolution(problem, solution, label_source, len(ratings), (), labels)
