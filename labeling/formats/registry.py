"""The label formats by name, and the one function that imports a file of any of them.

Leaves out: problems without labels (``math``).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from stepmark.labeling.errors import InputError

from . import (
    label_studio,
    math_shepherd,
    mr_gsm8k,
    omegaprm,
    prm800k,
    prmbench,
    processbench,
    rlhflow,
    stepmark,
    tables,
    trl,
)
from .chunks import Contradicted, RowReader, import_chunks, one_a_line
from .detect import detect_format
from .reading import LabelImport

__all__ = ["FORMATS", "detect_format", "import_labels"]

_READERS: dict[str, RowReader] = {
    "prm800k": prm800k.read_row,
    "math-shepherd": math_shepherd.read_row,
    "trl": trl.read_row,
    "processbench": processbench.read_row,
    "rlhflow": rlhflow.row_reader(),
    "omegaprm": omegaprm.read_row,
    "prmbench": prmbench.read_row,
    "mr-gsm8k": mr_gsm8k.read_row,
    "label-studio": label_studio.read_row,
    "stepmark": stepmark.read_row,
    "table": tables.read_row,
}
FORMATS = tuple(_READERS)


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
        known_problems: texts of problems, which "rlhflow" needs to part a problem from its first step.

    Raises:
        InputError: if the format or split is unknown, or the file cannot be read.
    """
    if label_format == "auto":
        label_format = detect_format(path)
    if label_format not in _READERS:
        raise InputError(f"{path}: format {label_format!r} is unknown; choose auto or {', '.join(FORMATS)}.")
    reader = rlhflow.row_reader(known_problems) if label_format == "rlhflow" else _READERS[label_format]
    read_file = tables.read_solutions if label_format == "table" else one_a_line
    yield from import_chunks(
        path, reader, split=split, chunk_lines=chunk_lines, read_file=read_file, stored=stored
    )
