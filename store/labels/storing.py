"""Storing the labels of one file: all of them or, where anything fails, none.

The package's docstring tells the way they go. Leaves out: each of its stages, a module each.
"""

import contextlib
import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import duckdb

from stepmark.labeling.formats.alternatives import AlternativeSolutions
from stepmark.labeling.formats.chunks import Contradicted
from stepmark.labeling.formats.reading import LabelImport
from stepmark.labeling.records import Reject
from stepmark.store.problem_writer import count_in_other_split
from stepmark.store.store import Store

from .alternatives import leave_out_alternatives
from .contradictions import find_contradicted
from .counts import count_alternatives, count_duplicates
from .frames import frames_of
from .offered import leave_out_later_labels, make_offered_views
from .stage import Stage
from .writer import write_offered

ChunkReader = Callable[[Contradicted], Iterable[LabelImport]]
"""Reads a file from its start, and refuses the rows that contradict what it is given."""


@dataclass(slots=True)
class LabelReport:
    """What became of the lines of a label file; ``counts`` as ``LabelImport`` defines them.

    ``num_duplicates`` are lines that repeat what the file or an earlier import had said; ``num_accepted`` the
    lines whose labels are new. Together with the rejects they are all lines, in ``counts`` as well.
    ``written`` are new rows by table. ``num_in_other_split`` problems are stored in another split than the
    one they were asked for in. ``format`` is the file's, where whoever reads it says so.
    """

    counts: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    rejects: list[Reject] = field(default_factory=list)
    num_in_other_split: int = 0
    format: str | None = None

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
        """Lines that repeat an earlier one."""
        return self.counts["duplicates"]


def store_labels(
    store: Store, read_chunks: ChunkReader, source_file: str, *, keep_stored_splits: bool = False
) -> LabelReport:
    """Store what ``read_chunks`` reads in one transaction, once it is read to its end.

    It is called once, and again with what is stored that its rows contradicted, until none does. What was
    stored before is counted as a duplicate; refused rows go to the rejects. An alternative that people rate
    differently, in this file or beside an earlier one, has no label. With ``keep_stored_splits`` stored
    problems are asked for in the split they are in.
    """
    contradicted = Contradicted()
    while True:
        with Stage() as stage, _no_garbage_collection():
            report = LabelReport()
            _fill(stage, read_chunks(contradicted), source_file, report)
            if stage.is_empty:
                return report
            with store.transaction() as con:
                make_offered_views(con, stage)
                found = find_contradicted(con)
                if not found:
                    _store_offered(con, stage, source_file, report, keep_stored_splits=keep_stored_splits)
                    return report
        contradicted.add(found)


def _fill(stage: Stage, chunks: Iterable[LabelImport], source_file: str, report: LabelReport) -> None:
    alternatives = AlternativeSolutions()
    for chunk in chunks:
        stage.add(frames_of([chunk, alternatives.of_chunk(chunk)], source_file))
        report.counts += chunk.counts
        report.rejects += chunk.rejects


def _store_offered(
    con: duckdb.DuckDBPyConnection,
    stage: Stage,
    source_file: str,
    report: LabelReport,
    *,
    keep_stored_splits: bool,
) -> None:
    report.counts["step_labels"] -= leave_out_later_labels(con)
    report.counts["alternatives_conflicting"] += leave_out_alternatives(con)
    report.counts["alternatives"] += count_alternatives(con)
    num_known = count_duplicates(con)
    report.counts["accepted"] -= num_known
    report.counts["duplicates"] += num_known
    report.written += Counter(write_offered(con, stage, source_file, keep_stored_splits=keep_stored_splits))
    report.num_in_other_split = count_in_other_split(con, source_file)


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
