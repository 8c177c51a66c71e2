"""A file of labels into the store: its format, and what reading it takes.

Leaves out: reading the formats (stepmark.labeling.formats), and storing what they read
(stepmark.store.labels).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.chunks import Contradicted
from stepmark.labeling.formats.reading import LabelImport
from stepmark.labeling.formats.registry import choose_format, import_labels
from stepmark.labeling.vocabulary import TRAIN
from stepmark.store.labels.storing import LabelReport, store_labels
from stepmark.store.store import Store


def ingest_labels(
    store: Store, path: Path, format_name: str, split: str | None, *, chunk_lines: int = 2000
) -> LabelReport:
    """Store the labels of one file in one transaction, once it is read to its end.

    What was stored before is counted as a duplicate; refused rows go to the rejects. Where ``split`` is None,
    stored problems are asked for in their split, and new ones in train. ``chunk_lines`` bounds the memory.

    Raises:
        InputError: if the file as a whole is refused; nothing is stored then.
    """
    chosen = choose_format(path, format_name)
    needs_known = chosen.needs_known_problems
    known = store.read("SELECT problem FROM problems")["problem"].to_list() if needs_known else []

    def read(contradicted: Contradicted) -> Iterator[LabelImport]:
        chunks = import_labels(
            path,
            chosen.name,
            split or TRAIN,
            known_problems=known,
            chunk_lines=chunk_lines,
            stored=contradicted,
        )
        yield from _not_empty(chunks, path)

    report = store_labels(store, read, str(path), keep_stored_splits=split is None)
    report.format = chosen.name
    return report


def _not_empty(chunks: Iterable[LabelImport], path: Path) -> Iterator[LabelImport]:
    """The chunks; InputError after the last one where none holds a line."""
    num_lines = 0
    for chunk in chunks:
        num_lines += chunk.counts["lines"]
        yield chunk
    if not num_lines:
        raise InputError.at(path, None, "the file holds no row", "check that it is the label file")
