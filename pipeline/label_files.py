"""A file of labels into the store: all of it or, where anything fails, none of it.

Leaves out: reading the formats (stepmark.labeling.formats).
"""

import contextlib
import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.alternatives import AlternativeSolutions
from stepmark.labeling.formats.chunks import StoredWords
from stepmark.labeling.formats.reading import LabelImport
from stepmark.labeling.formats.registry import choose_format, import_labels
from stepmark.labeling.records import Reject
from stepmark.store.alternative_disputes import disputed_alternatives, drop_labels_of
from stepmark.store.label_counts import count_alternatives, count_duplicates, count_superseded
from stepmark.store.label_frames import label_frames
from stepmark.store.label_kept import conflicting_alternatives, drop_kept_views, leave_out, make_kept_views
from stepmark.store.label_refusals import find_contradicted
from stepmark.store.label_stage import LabelStage
from stepmark.store.label_writer import write_kept_labels
from stepmark.store.problem_writer import count_in_other_split
from stepmark.store.store import Store

_CHUNK_LINES = 2000
_NEW = "train"  # the split of problems nobody told anything of


@dataclass(slots=True)
class LabelReport:
    """What became of the lines of a label file; ``counts`` as ``LabelImport`` defines them.

    ``num_duplicates`` are lines that say what the file or an earlier import had said; ``num_accepted`` the
    lines whose labels are new. Together with the rejects they are all lines, in ``counts`` as well.
    ``num_in_other_split`` problems are stored in another split than the one they were asked for in.
    """

    format: str
    counts: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    rejects: list[Reject] = field(default_factory=list)
    num_in_other_split: int = 0

    @property
    def num_accepted(self) -> int:
        """Lines whose labels are new."""
        return self.counts["accepted"]

    @property
    def num_rejected(self) -> int:
        """Lines that were refused; in a table one reject may stand for all rows of a solution."""
        return self.counts["rejected"]

    @property
    def num_duplicates(self) -> int:
        """Lines that say what was said before."""
        return self.counts["duplicates"]


def ingest_labels(store: Store, path: Path, format_name: str, split: str | None) -> LabelReport:
    """Store the labels of one file in one transaction, once it is read to its end.

    What was stored before is counted as a duplicate; refused rows go to the rejects. An alternative that
    people rate differently, in this file or beside an earlier one, has no label. Where ``split`` is None,
    stored problems are asked for in their split, and new ones in train.

    Raises:
        InputError: if the file as a whole is refused; nothing is stored then.
    """
    chosen = choose_format(path, format_name)
    needs_known = chosen.needs_known_problems
    known = store.read("SELECT problem FROM problems")["problem"].to_list() if needs_known else []
    contradicted = StoredWords()
    while True:
        with LabelStage() as stage, _no_garbage_collection():
            report = LabelReport(chosen.name)
            chunks = import_labels(
                path,
                chosen.name,
                split or _NEW,
                known_problems=known,
                chunk_lines=_CHUNK_LINES,
                stored=contradicted,
            )
            _read(chunks, stage, split or _NEW, path, report)
            with store.transaction() as con, stage.views(con):
                found = find_contradicted(con)
                if not found:
                    _store(con, stage, path, report, keep_stored_splits=split is None)
                    return report
        # Rows that contradict what is stored are refused as they are read again: a row that was compared with
        # one of them may be sound, and rows that were not compared with the store are now.
        contradicted.learn(found)


def _read(
    chunks: Iterable[LabelImport], stage: LabelStage, split: str, path: Path, report: LabelReport
) -> None:
    alternatives = AlternativeSolutions()
    for chunk in chunks:
        stage.add(label_frames([chunk, alternatives.of_chunk(chunk)], split, str(path)))
        report.counts += chunk.counts
        report.rejects += chunk.rejects
    if not report.counts["lines"]:
        raise InputError.at(path, None, "the file holds no row", "check that it is the label file")


def _store(
    con: duckdb.DuckDBPyConnection,
    stage: LabelStage,
    path: Path,
    report: LabelReport,
    *,
    keep_stored_splits: bool,
) -> None:
    make_kept_views(con)
    without_label = disputed_alternatives(con) | conflicting_alternatives(con)
    drop_labels_of(con, without_label)
    leave_out(con, without_label)
    report.counts["step_labels"] -= count_superseded(con)
    report.counts["alternatives"] += count_alternatives(con)
    report.counts["alternatives_conflicting"] += len(without_label)
    num_known = count_duplicates(con)
    report.counts["accepted"] -= num_known
    report.counts["duplicates"] += num_known
    report.written += Counter(write_kept_labels(con, stage, str(path), keep_stored_splits=keep_stored_splits))
    report.num_in_other_split = count_in_other_split(con, str(path))
    drop_kept_views(con)


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Rows hold no cycles; Python would walk over hundreds of thousands of them again and again in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
