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

from .reading import LabeledSolution, LabelImport, RatedLine, Speaker

FileReader = Callable[[Path], Iterator[tuple[int, JsonObject | Reject, int]]]
"""Reads the objects of a file, each with its 1-based line and the number of lines it takes."""

RowReader = Callable[[JsonObject, str], Sequence[LabeledSolution]]
"""Reads one object with the split its problem goes to; raises RowError to refuse it."""


_MISFIT = "this text is stored with other steps, so its labels belong to none of them; the stored steps stay"


@dataclass(slots=True)
class StoredWords:
    """What was stored before the file: a row that says otherwise is refused.

    ``ends`` by solution: ``ends_hash`` of its steps. ``said`` by speaker: in what place, and
    ``word_hash`` of it.
    """

    ends: dict[str, int] = field(default_factory=dict)
    said: dict[Speaker, tuple[str, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.ends or self.said)

    def learn(self, more: "StoredWords") -> None:
        """Take in more of it; none of it may be known, for rows that contradict it were refused."""
        assert self.ends.keys().isdisjoint(more.ends)
        assert self.said.keys().isdisjoint(more.said)
        self.ends |= more.ends
        self.said |= more.said


def ends_hash(ends: Iterable[int]) -> int:
    """Stands for the places where the steps of a text end."""
    return hash(tuple(ends))


def word_hash(word: Iterable[tuple[Any, ...]]) -> int:
    """Stands for what a rater says on a solution, whenever and however long it took.

    ``word`` has one entry a label, in any order: step, alternative, text and rating where people rate; step,
    rating, value and counts (rollouts, correct, truncated, ungraded) elsewhere.
    """
    return hash(tuple(sorted(word, key=lambda label: label[:2])))


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
    stored: StoredWords | None = None,
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
    gatherer = _Gatherer(Path(path), read_row, split, stored or StoredWords())
    for line, item, num_lines in read_file(Path(path)):
        gatherer.add(line, item, num_lines)
        if gatherer.chunk.counts["lines"] >= chunk_lines:
            yield gatherer.take_chunk()
    if gatherer.chunk.counts["lines"]:
        yield gatherer.take_chunk()


class _Gatherer:
    """The chunk being filled, and of everything before it only ids."""

    def __init__(self, path: Path, read_row: RowReader, split: str, stored: StoredWords) -> None:
        self.chunk = LabelImport()
        self._stored = stored
        self._path, self._read_row, self._split = path, read_row, split
        self._num_rows = 0
        self._problem_ids: set[str] = set()
        self._ends: dict[str, tuple[int, int]] = {}  # solution: line, hash of where its steps end
        self._said: dict[Speaker, tuple[int, int]] = {}  # line, hash of the labels

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
            self.chunk.raters.append(
                RatedLine(
                    self._num_rows, line, *labeled.said_by, num_lines, labeled.num_steps,
                    is_repeated=bool(earlier_place),
                )
            )  # fmt: skip
            if not earlier_place:
                self._accept(line, labeled)

    def _check_steps(self, labeled: LabeledSolution) -> None:
        key = labeled.solution.solution_id
        if key in self._stored.ends and self._stored.ends[key] != _ends(labeled):
            raise RowError(_MISFIT)
        line, ends = self._ends.get(key, (None, None))
        if line and ends != _ends(labeled):
            raise RowError(f"line {line} divides the same text into other steps; the first division stays")

    def _earlier_place(self, labeled: LabeledSolution) -> str | None:
        """Where the rater said the same on this solution before."""
        key = labeled.said_by
        place, word = self._stored.said.get(key) or (None, None)
        if place is None:
            line, word = self._said.get(key, (None, None))
            place = f"line {line}" if line else None
        if place and word != _word(labeled):
            raise RowError(
                f"{labeled.rater} rated this solution differently in {place}; the first rating stays"
            )
        return place

    def _accept(self, line: int, labeled: LabeledSolution) -> None:
        chunk, problem, solution = self.chunk, labeled.problem, labeled.solution
        self._said[labeled.said_by] = (line, _word(labeled))
        if problem.problem_id not in self._problem_ids:
            self._problem_ids.add(problem.problem_id)
            chunk.problems.append(replace(problem, source_line=line))
        if solution.solution_id not in self._ends:
            self._ends[solution.solution_id] = (line, _ends(labeled))
            chunk.solutions.append(replace(solution, source_line=line))
        elif labeled.human_labels:
            chunk.earlier_solutions.append(solution)
        chunk.human_labels += [HumanLabel(*label[:-1], line) for label in labeled.human_labels]
        chunk.counts += _counts_of(labeled.human_labels)
        chunk.counts["steps"] += labeled.num_steps
        chunk.step_labels += [label._replace(source_line=line) for label in labeled.step_labels]
        chunk.counts["step_labels"] += len(labeled.step_labels)


def _check_itself(solutions: Sequence[LabeledSolution]) -> None:
    """Refuse a row that divides one text twice otherwise, or gives two words of one rater on it."""
    if len(solutions) == 1:
        return
    ends: dict[str, int] = {}
    speakers: set[Speaker] = set()
    for labeled in solutions:
        key = labeled.solution.solution_id
        if ends.setdefault(key, _ends(labeled)) != _ends(labeled):
            raise RowError("the row divides one text into steps in two ways")
        if labeled.said_by in speakers:
            raise RowError(f"the row holds two words of {labeled.rater} on one solution")
        speakers.add(labeled.said_by)


def _word(labeled: LabeledSolution) -> int:
    if labeled.is_person:
        people = labeled.human_labels
        return word_hash(
            (one.step_index, one.alternative_index, one.completion, one.rating) for one in people
        )
    return word_hash((one.step_index, *one[3:9]) for one in labeled.step_labels)


def _ends(labeled: LabeledSolution) -> int:
    return ends_hash([span.char_end for span in labeled.solution.steps])


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
