"""From the objects of a file to LabelImports of some thousand lines each, in bounded memory.

Leaves out: what a row of each format means; a RowReader knows that.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io.fields import RowError
from stepmark.labeling.formats.io.json_values import JsonObject, reject
from stepmark.labeling.formats.io.jsonl import read_objects
from stepmark.labeling.records import HumanLabel, Reject

from .reading import Authorship, LabeledLine, LabeledSolution, LabelImport

FileReader = Callable[[Path], Iterator[tuple[int, JsonObject | Reject, int]]]
"""Reads the objects of a file, each with its 1-based line and the number of lines it takes."""

RowReader = Callable[[JsonObject, str], Sequence[LabeledSolution]]
"""Reads one object with the split its problem goes to; raises RowError to refuse it."""


_OTHER_STEPS = (
    "this text is stored with other steps, so its labels belong to none of them; the stored steps stay"
)


@dataclass(slots=True)
class Contradicted:
    """What is stored that a file contradicts: a row of it that does so is refused.

    ``step_ends`` of solutions, by id: ``hash_of_ends``. ``labels`` by whose they are and on which solution:
    in what place they stand, and ``hash_of_labels``.
    """

    step_ends: dict[str, int] = field(default_factory=dict)
    labels: dict[Authorship, tuple[str, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.step_ends or self.labels)

    def add(self, more: "Contradicted") -> None:
        """Take in more of it; none of it may be known, for rows that contradict it were refused."""
        assert self.step_ends.keys().isdisjoint(more.step_ends)
        assert self.labels.keys().isdisjoint(more.labels)
        self.step_ends |= more.step_ends
        self.labels |= more.labels


def hash_of_ends(char_ends: Iterable[int]) -> int:
    """Stands for the places where the steps of a text end."""
    return hash(tuple(char_ends))


def hash_of_labels(labels: Iterable[tuple[Any, ...]]) -> int:
    """Stands for the labels of one author on a solution, whenever they were given and however long it took.

    ``labels`` in any order: step, alternative, text and rating where people rate; step, rating, value and
    counts (rollouts, correct, truncated, ungraded) elsewhere.
    """
    return hash(tuple(sorted(labels, key=lambda label: label[:2])))


def one_a_line(path: Path) -> Iterator[tuple[int, JsonObject | Reject, int]]:
    """The objects of a JSON file; however many lines one takes, it counts as one."""
    for line, item in read_objects(path):
        yield line, item, 1


def import_chunks(
    path: Path | str,
    read_row: RowReader,
    *,
    split: str,
    chunk_lines: int = 1000,
    read_file: FileReader = one_a_line,
    stored: Contradicted | None = None,
) -> Iterator[LabelImport]:
    """Import a label file, ``chunk_lines`` rows at a time; every row is accepted, a duplicate, or refused.

    Args:
        path: the file; any layout ``jsonl`` reads.
        read_row: the format's reader.
        split: "train" or "test", for problems that no file of problems has placed yet.
        read_file: what finds the objects in the file.
        stored: what is stored that rows contradict, if anything is known to be.
        chunk_lines: rows per chunk; what bounds the memory beside some 400 bytes for every solution.

    Raises:
        InputError: if the file cannot be read, or the split is neither.
    """
    if split not in ("train", "test"):
        raise InputError(f"{path}: split is {split!r}; give train or test.")
    maker = _ChunkMaker(Path(path), read_row, split, stored or Contradicted())
    for line, item, num_lines in read_file(Path(path)):
        maker.add(line, item, num_lines)
        if maker.chunk.counts["lines"] >= chunk_lines:
            yield maker.take_chunk()
    if maker.chunk.counts["lines"]:
        yield maker.take_chunk()


class _ChunkMaker:
    """The chunk being filled, and of everything before it only ids."""

    def __init__(self, path: Path, read_row: RowReader, split: str, stored: Contradicted) -> None:
        self.chunk = LabelImport()
        self._stored = stored
        self._path, self._read_row, self._split = path, read_row, split
        self._num_rows = 0
        self._problem_ids: set[str] = set()
        self._step_ends: dict[str, tuple[int, int]] = {}  # by solution: line, hash
        self._labels: dict[Authorship, tuple[int, int]] = {}  # line, hash

    def take_chunk(self) -> LabelImport:
        full, self.chunk = self.chunk, LabelImport()
        return full

    def add(self, line: int, row: JsonObject | Reject, num_lines: int) -> None:
        """Take in one row, or one that was refused before and is only counted."""
        counts = self.chunk.counts
        counts["lines"] += num_lines
        if not isinstance(row, dict):
            counts["rejected"] += num_lines
            self.chunk.rejects.append(row)
            return
        try:
            solutions = self._read_row(row, self._split)
            _check_itself(solutions)
            for labeled in solutions:
                self._check_steps(labeled)
            earlier = [self._earlier_place(labeled) for labeled in solutions]
        except RowError as error:
            counts["rejected"] += num_lines
            self.chunk.rejects.append(reject(self._path, error.line or line, str(error), row))
            return
        if earlier and all(earlier):
            counts["duplicates"] += num_lines
            reason = f"duplicate of {earlier[0]}: the same labels"
            self.chunk.duplicates.append(reject(self._path, line, reason, row))
            return
        counts["accepted"] += num_lines
        self._num_rows += 1
        for labeled, earlier_place in zip(solutions, earlier, strict=True):
            self.chunk.labeled_lines.append(
                LabeledLine(
                    self._num_rows, line, *labeled.authorship, num_lines, labeled.num_steps,
                    is_repeated=bool(earlier_place),
                )
            )  # fmt: skip
            if not earlier_place:
                self._accept(line, labeled)

    def _check_steps(self, labeled: LabeledSolution) -> None:
        key, ends = labeled.solution.solution_id, _hash_of_ends(labeled)
        if self._stored.step_ends.get(key, ends) != ends:
            raise RowError(_OTHER_STEPS)
        line, earlier_ends = self._step_ends.get(key, (None, ends))
        if earlier_ends != ends:
            raise RowError(f"line {line} divides the same text into other steps; the first division stays")

    def _earlier_place(self, labeled: LabeledSolution) -> str | None:
        """Where the same author gave this solution the same labels before."""
        key = labeled.authorship
        place, earlier_labels = self._stored.labels.get(key) or (None, None)
        if place is None and key in self._labels:
            line, earlier_labels = self._labels[key]
            place = f"line {line}"
        if place and earlier_labels != _hash_of_labels(labeled):
            raise RowError(
                f"{labeled.label_author} rated this solution differently in {place}; the first rating stays"
            )
        return place

    def _accept(self, line: int, labeled: LabeledSolution) -> None:
        chunk, problem, solution = self.chunk, labeled.problem, labeled.solution
        self._labels[labeled.authorship] = (line, _hash_of_labels(labeled))
        if problem.problem_id not in self._problem_ids:
            self._problem_ids.add(problem.problem_id)
            chunk.problems.append(replace(problem, source_line=line))
        if solution.solution_id not in self._step_ends:
            self._step_ends[solution.solution_id] = (line, _hash_of_ends(labeled))
            chunk.solutions.append(replace(solution, source_line=line))
        elif labeled.human_labels:
            chunk.earlier_solutions.append(solution)
        chunk.human_labels += [HumanLabel(*label[:-1], line) for label in labeled.human_labels]
        chunk.counts += _counts_of(labeled.human_labels)
        chunk.counts["steps"] += labeled.num_steps
        chunk.step_labels += [label._replace(source_line=line) for label in labeled.step_labels]
        chunk.counts["step_labels"] += len(labeled.step_labels)


def _check_itself(solutions: Sequence[LabeledSolution]) -> None:
    """Refuse a row that divides one text in two ways, or in which one author labels a solution twice."""
    if len(solutions) == 1:
        return
    step_ends: dict[str, int] = {}
    authorships: set[Authorship] = set()
    for labeled in solutions:
        key, ends = labeled.solution.solution_id, _hash_of_ends(labeled)
        if step_ends.setdefault(key, ends) != ends:
            raise RowError("the row divides one text into steps in two ways")
        if labeled.authorship in authorships:
            raise RowError(f"the row holds two words of {labeled.label_author} on one solution")
        authorships.add(labeled.authorship)


def _hash_of_labels(labeled: LabeledSolution) -> int:
    if labeled.human_labels:
        people = labeled.human_labels
        return hash_of_labels(
            (one.step_index, one.alternative_index, one.completion, one.rating) for one in people
        )
    return hash_of_labels((one.step_index, *one[3:9]) for one in labeled.step_labels)


def _hash_of_ends(labeled: LabeledSolution) -> int:
    return hash_of_ends([span.char_end for span in labeled.solution.steps])


def _counts_of(labels: Sequence[HumanLabel]) -> Counter[str]:
    if not labels:
        return Counter()
    first = labels[0]
    ratings = Counter([label.rating for label in labels])
    counts = Counter(
        {
            f"phase_{first.phase}_rating_{'null' if rating is None else rating}": number
            for rating, number in ratings.items()
        }
    )
    counts["completions"] = len(labels)
    counts["human_written"] = sum([label.is_human_written for label in labels])
    counts["quality_control"] = int(bool(first.is_quality_control))
    counts["screening"] = int(bool(first.is_screening))
    return +counts
