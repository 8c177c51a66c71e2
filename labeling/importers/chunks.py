"""From the objects of a file to LabelImports of some thousand lines each, in bounded memory.

Leaves out: what a row of each format means; a RowReader knows that.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.records import HumanLabel

from .common import LabeledSolution, LabelImport
from .fields import RowError
from .json_values import JsonObject, reject
from .jsonl import read_objects

RowReader = Callable[[JsonObject, str], Sequence[LabeledSolution]]
"""Reads one object with the split its problem goes to; raises RowError to refuse it."""


def import_chunks(
    path: Path | str, read_row: RowReader, *, split: str, chunk_lines: int = 1000
) -> Iterator[LabelImport]:
    """Import a label file, ``chunk_lines`` rows at a time; every row is accepted, a duplicate, or refused.

    Args:
        path: the file; any layout ``jsonl`` reads.
        read_row: the format's reader.
        split: "train" or "test", for problems that no file of problems has placed yet.
        chunk_lines: rows per chunk; what bounds the memory beside 100 bytes for every solution.

    Raises:
        InputError: if the file cannot be read, or the split is neither.
    """
    if split not in ("train", "test"):
        raise InputError(f"{path}: split is {split!r}; give train or test.")
    gatherer = _Gatherer(Path(path), read_row, split)
    for line, item in read_objects(path):
        gatherer.add(line, item if isinstance(item, dict) else None)
        if not isinstance(item, dict):
            gatherer.chunk.rejects.append(item)
        if gatherer.chunk.counts["lines"] == chunk_lines:
            yield gatherer.take_chunk()
    if gatherer.chunk.counts["lines"]:
        yield gatherer.take_chunk()


class _Gatherer:
    """The chunk being filled, and of everything before it only ids."""

    def __init__(self, path: Path, read_row: RowReader, split: str) -> None:
        self.chunk = LabelImport()
        self._path, self._read_row, self._split = path, read_row, split
        self._problem_ids: set[str] = set()
        self._solution_ids: set[str] = set()
        self._said: dict[tuple[str, str], tuple[int, int]] = {}  # (solution, rater): line, hash of the labels
        self._label_keys: set[tuple[str, int, str]] = set()

    def take_chunk(self) -> LabelImport:
        full, self.chunk = self.chunk, LabelImport()
        self._label_keys.clear()
        return full

    def add(self, line: int, row: JsonObject | None) -> None:
        """Take one row in; None is one that was refused before, and is only counted."""
        counts = self.chunk.counts
        counts["lines"] += 1
        if row is None:
            counts["rejected"] += 1
            return
        try:
            solutions = self._read_row(row, self._split)
            earlier = [self._earlier_line(labeled) for labeled in solutions]
        except RowError as error:
            counts["rejected"] += 1
            self.chunk.rejects.append(reject(self._path, line, str(error), row))
            return
        if earlier and all(earlier):
            counts["duplicates"] += 1
            reason = f"duplicate of line {earlier[0]}: the same labels"
            self.chunk.duplicates.append(reject(self._path, line, reason, row))
            return
        counts["accepted"] += 1
        for labeled, earlier_line in zip(solutions, earlier, strict=True):
            if not earlier_line:
                self._accept(line, labeled)

    def _earlier_line(self, labeled: LabeledSolution) -> int | None:
        key = (labeled.solution.solution_id, labeled.rater)
        line, digest = self._said.get(key, (None, None))
        if line and digest != _digest(labeled):
            raise RowError(
                f"{labeled.rater} rated this solution differently in line {line}; the first rating stays"
            )
        return line

    def _accept(self, line: int, labeled: LabeledSolution) -> None:
        chunk, problem, solution = self.chunk, labeled.problem, labeled.solution
        self._said[solution.solution_id, labeled.rater] = (line, _digest(labeled))
        if problem.problem_id not in self._problem_ids:
            self._problem_ids.add(problem.problem_id)
            chunk.problems.append(replace(problem, source_line=line))
        if solution.solution_id not in self._solution_ids:
            self._solution_ids.add(solution.solution_id)
            chunk.solutions.append(replace(solution, source_line=line))
        chunk.human_labels += [replace(label, source_line=line) for label in labeled.human_labels]
        chunk.counts += _counts_of(labeled.human_labels)
        chunk.counts["steps"] += labeled.num_steps
        for label in labeled.step_labels:
            key = (label.solution_id, label.step_index, label.label_source)
            if key not in self._label_keys:
                self._label_keys.add(key)
                chunk.step_labels.append(replace(label, source_line=line))
                chunk.counts["step_labels"] += 1


def _digest(labeled: LabeledSolution) -> int:
    return hash((tuple(labeled.human_labels), tuple(labeled.step_labels)))


def _counts_of(labels: Sequence[HumanLabel]) -> Counter[str]:
    if not labels:
        return Counter()
    counts = Counter(
        f"phase_{label.phase}_rating_{'null' if label.rating is None else label.rating}" for label in labels
    )
    counts["completions"] = len(labels)
    counts["human_written"] = sum(label.is_human_written for label in labels)
    counts["quality_control"] = int(bool(labels[0].is_quality_control))
    counts["screening"] = int(bool(labels[0].is_screening))
    return +counts
