"""A file of labels into the store: all of it or, where anything fails, none of it.

Leaves out: reading the formats (stepmark.labeling.importers).
"""

import contextlib
import gc
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import polars as pl

from stepmark.labeling.errors import InputError
from stepmark.labeling.importers.alternatives import SOURCE as ALTERNATIVE
from stepmark.labeling.importers.alternatives import AlternativeSolutions
from stepmark.labeling.importers.json_values import reject
from stepmark.labeling.importers.registry import detect_format, import_labels
from stepmark.labeling.records import Reject
from stepmark.store.alternative_disputes import disputed_alternatives, drop_labels_of
from stepmark.store.frames import frame_of
from stepmark.store.label_refusals import Refusals, find_refusals
from stepmark.store.label_stage import Frames, LabelStage
from stepmark.store.label_writer import label_frames, write_label_frames
from stepmark.store.problem_writer import count_in_other_split, with_stored_splits
from stepmark.store.rows import insert_missing
from stepmark.store.store import Store

HUMAN = "human"
_CHUNK_LINES = 4000
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
    report = LabelReport(detect_format(path) if format_name == "auto" else format_name)
    known = (
        store.read("SELECT problem FROM problems")["problem"].to_list() if report.format == "rlhflow" else []
    )
    alternatives = AlternativeSolutions(HUMAN)
    with LabelStage() as stage, _no_garbage_collection():
        for chunk in import_labels(
            path, report.format, split or _NEW, known_problems=known, chunk_lines=_CHUNK_LINES
        ):
            stage.add(label_frames([chunk, alternatives.of_chunk(chunk)], split or _NEW, str(path)))
            report.counts += chunk.counts
            report.rejects += chunk.rejects
        if not report.counts["lines"]:
            raise InputError.at(path, None, "the file holds no row", "check that it is the label file")
        with store.transaction() as con:
            refusals = find_refusals(con, stage)
            disputed = (disputed_alternatives(con, refusals.without(frames)) for frames in stage)
            dropped = alternatives.conflicting.union(*disputed) - refusals.solution_ids
            drop_labels_of(con, dropped)
            for frames in stage:
                kept = refusals.without(frames)
                if refusals.rows:
                    report.counts.subtract(_said(frames))
                    report.counts.update(_said(kept))
                    _report_refused(con, path, frames, refusals, report)
                kept = _without(kept, dropped)
                if split is None:
                    kept = {**kept, "problems": with_stored_splits(con, kept["problems"])}
                stored = write_label_frames(con, kept, str(path))
                report.written += Counter(stored.written)
                report.counts["alternatives"] += _num_alternatives(kept)
                _recount(report, "accepted", "duplicates", stored.num_duplicates)
            report.num_in_other_split = count_in_other_split(con, str(path))
    report.counts["alternatives_conflicting"] += len(dropped)
    return report


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


def _without(frames: Frames, solution_ids: Collection[str]) -> Frames:
    if not solution_ids:
        return frames
    is_kept = ~pl.col("solution_id").is_in(list(solution_ids))
    return {
        name: frame.filter(is_kept) if "solution_id" in frame.columns else frame
        for name, frame in frames.items()
    }


def _num_alternatives(frames: Frames) -> int:
    return frames["solutions"].filter(pl.col("source") == ALTERNATIVE).height


def _said(frames: Frames) -> Counter[str]:
    """What the counts of LabelImport say of these rows, lines aside."""
    people = frames["human_labels"]
    alternatives = frames["solutions"].filter(pl.col("source") == ALTERNATIVE)
    counts = Counter(
        {
            f"phase_{phase}_rating_{'null' if rating is None else rating}": number
            for phase, rating, number in people.group_by("phase", "rating").len().iter_rows()
        }
    )
    counts["steps"] = int(frames["raters"].filter(~pl.col("is_repeated"))["num_steps"].sum())
    counts["step_labels"] = frames["step_labels"].join(alternatives, on="solution_id", how="anti").height
    counts["completions"] = people.height
    counts["human_written"] = int(people["is_human_written"].sum())
    for name in ("quality_control", "screening"):
        counts[name] = people.filter(f"is_{name}").select("solution_id", "labeler").n_unique()
    return counts


def _report_refused(
    con: duckdb.DuckDBPyConnection, path: Path, frames: Frames, refusals: Refusals, report: LabelReport
) -> None:
    texts = dict(frames["solutions"].select("solution_id", "solution").iter_rows())
    here = frames["raters"]["row"].unique(maintain_order=True)
    refused = [refusals.rows[row] for row in here if row in refusals.rows]
    rejects = [reject(path, one.line, one.reason, texts.get(one.solution_id, "")) for one in refused]
    if rejects:
        report.written["rejects"] += insert_missing(con, "rejects", frame_of("rejects", rejects))
    report.rejects += rejects
    _recount(report, "accepted", "rejected", sum(one.num_lines for one in refused))


def _recount(report: LabelReport, before: str, now: str, num_lines: int) -> None:
    report.counts[before] -= num_lines
    report.counts[now] += num_lines
