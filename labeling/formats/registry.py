"""The formats of label files: which there are, which one a file has, and importing a file of any of them.

A format is a module of this folder that declares a ``FORMAT``; nothing else lists them.
Leaves out: problems without labels (``math``).
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.formats.io.jsonl import read_objects
from stepmark.labeling.formats.io.table_files import column_names, kind_of_file

from . import tables
from .chunks import Contradicted, import_chunks
from .format import Format, Writer
from .reading import LabelImport

AUTO = "auto"
_MAX_KEYS = 20  # that a refusal names


def _find_formats() -> Iterator[Format]:
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        declared = getattr(importlib.import_module(f".{module.name}", __package__), "FORMAT", None)
        if isinstance(declared, Format):
            yield declared


FORMATS: dict[str, Format] = {
    one.name: one for one in sorted(_find_formats(), key=lambda one: (one.place, one.name))
}
"""By name."""

IMPORT_CHOICES: dict[str, str] = {AUTO: AUTO} | {
    choice: one.name for one in FORMATS.values() for choice in (one.name, *one.layouts)
}
"""What ``import-labels --format`` takes, and the format each means: the content tells the kind of file."""

EXPORT_CHOICES: dict[str, Writer] = {
    choice: replace(writer, layout=layout)
    for name, writer in sorted(
        [(one.name, one.writer) for one in FORMATS.values() if one.writer is not None],
        key=lambda named: named[1].place,
    )
    for choice, layout in (FORMATS[name].layouts or {name: writer.layout}).items()
}
"""What ``export --format`` takes, and how each is written."""


def choose_format(path: Path | str, name: str) -> Format:
    """The format of this name; for "auto" the one that the file's content shows.

    Raises:
        InputError: if there is none of this name, or the content shows none.
    """
    if name == AUTO:
        name = detect_format(path)
    if name not in FORMATS:
        raise InputError(f"{path}: format {name!r} is unknown; choose auto or {', '.join(FORMATS)}.")
    return FORMATS[name]


def detect_format(path: Path | str) -> str:
    """The name of the file's format, told by the keys and types of its first object, never by its name.

    The rest of the file is not checked; each row is when it is read.

    Raises:
        InputError: if no format has the first object's keys, or the file holds no object that can be read.
    """
    path = Path(path)
    if kind_of_file(path) != "json":
        tables.check_columns(path, column_names(path))
        return tables.SOURCE
    first_refused = None
    for line, row in read_objects(path):
        if isinstance(row, dict):
            return _format_of_row(row, path, line)
        first_refused = first_refused or row
    problem, remedy = "the file holds no JSON object", "check that it is the label file"
    if first_refused is None:
        raise InputError.at(path, None, problem, remedy)
    reason = f"{problem} that can be read: {first_refused.reason}"
    raise InputError.at(path, first_refused.line, reason, remedy)


def _format_of_row(row: JsonObject, path: Path, line: int) -> str:
    for one in FORMATS.values():
        if one.matches(row):
            return one.name
    if ("problem" in row or "question" in row) and ("solution" in row or "answer" in row):
        raise InputError.at(path, line, "this is a problem, not a labeled solution", "use stepmark ingest")
    keys = ", ".join(sorted(row)[:_MAX_KEYS]) or "none"
    raise InputError.at(path, line, f"no label format has the keys {keys}", "name one with --format")


def import_labels(
    path: Path | str,
    label_format: str,
    split: str,
    *,
    chunk_lines: int = 1000,
    known_problems: Iterable[str] = (),
    stored: Contradicted | None = None,
) -> Iterator[LabelImport]:
    """Import a label file of a named format, or of the one its content shows, ``chunk_lines`` rows at a time.

    Args:
        path: the file.
        label_format: one of FORMATS, or "auto".
        split: "train" or "test", for problems that are not stored yet; stored ones keep theirs.
        chunk_lines: rows per chunk.
        stored: what is stored that rows of the file contradict, if anything is known to be.
        known_problems: texts of problems, for a format that ``needs_known_problems``.

    Raises:
        InputError: if the format or split is unknown, or the file cannot be read.
    """
    chosen = choose_format(path, label_format)
    yield from import_chunks(
        path,
        chosen.row_reader(known_problems),
        split=split,
        chunk_lines=chunk_lines,
        read_file=chosen.read_file,
        stored=stored,
    )
