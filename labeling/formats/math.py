"""Problems from files: JSON of any layout, the published folders of MATH, and Parquet.

Every row becomes a Problem or a Reject. Of problems with the same text, outer white space aside, the first
one read stays. Leaves out: labels (the other importers), and problems that are stored already.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io.fields import RowError, shown
from stepmark.labeling.formats.io.json_values import JsonObject, reject
from stepmark.labeling.formats.io.jsonl import read_objects
from stepmark.labeling.records import Problem, Reject

from .problem_rows import problem_of
from .splits import checked_split, split_of

Problems = tuple[list[Problem], list[Reject]]
_SUFFIXES = (".json", ".jsonl", ".parquet", ".gz")


def read_problems(path: Path | str, source: str, split: str | None = None) -> Problems:
    """Read the problems of a file, or of all files of a folder and the folders in it.

    Args:
        path: JSON or JSON Lines, also gzipped; Parquet; or a folder of such files.
        source: the name the problems are stored under.
        split: "train" or "test"; None to take it from the rows, the name of file or folder, ``unique_id``.

    Returns:
        The problems in the order read, and what was refused: rows that are no problem, and duplicates, whose
        reason names the first one and says if they were to go to the other split or have another answer.

    Raises:
        InputError: if there is nothing to read, or the split of a row is not known.
    """
    root = Path(path)
    given = checked_split(split, root)
    kept: dict[str, tuple[Problem, Path, int]] = {}
    rejects: list[Reject] = []
    for file in _files_in(root):
        for line, row in _rows_of(file):
            if isinstance(row, Reject):
                rejects.append(row)
                continue
            try:
                read = problem_of(row, source, given or split_of(row, file, line))
            except RowError as error:
                rejects.append(reject(file, line, str(error), row))
                continue
            problem = replace(read, source_file=str(file), source_line=line)
            first = kept.setdefault(problem.problem_id, (problem, file, line))
            if first[0] is not problem:
                rejects.append(reject(file, line, _duplicate_reason(problem, file, first), problem.problem))
    if not kept and not rejects:
        raise InputError.at(root, None, "there is no problem in it", "check that it is the problem file")
    return [problem for problem, _, _ in kept.values()], rejects


def _duplicate_reason(problem: Problem, path: Path, first: tuple[Problem, Path, int]) -> str:
    kept, kept_path, line = first
    reason = f"duplicate of line {line}" if kept_path == path else f"duplicate of {kept_path}, line {line}"
    if kept.split != problem.split:
        reason += f", which stays in {kept.split}; this one was to go to {problem.split}"
    if kept.ground_truth_answer != problem.ground_truth_answer:
        answers = f"{shown(kept.ground_truth_answer)}, here {shown(problem.ground_truth_answer)}"
        reason += f"; the answers differ: there {answers}"
    return reason


def _files_in(root: Path) -> list[Path]:
    if not root.is_dir():
        return [root]
    files = [path for path in root.rglob("*") if path.suffix in _SUFFIXES and path.is_file()]
    if not files:
        raise InputError.at(
            root, None, "the folder holds no problem file", f"expected {', '.join(_SUFFIXES)}"
        )
    return sorted(files, key=lambda path: (path.parent, len(path.name), path.name))  # 2.json before 10.json


def _rows_of(path: Path) -> Iterator[tuple[int, JsonObject | Reject]]:
    """The rows with their lines; rows of Parquet are counted from 1."""
    if path.suffix != ".parquet":
        return read_objects(path)
    import polars as pl  # noqa: PLC0415 - a file of labels and the list of formats do without

    try:
        return enumerate(pl.read_parquet(path, glob=False).iter_rows(named=True), start=1)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError.at(path, None, f"cannot be read as Parquet ({error})", "check the file") from error
