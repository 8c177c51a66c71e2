"""Problems and ratings into the store: minimath, files of problems, files of labels.

Leaves out: reading the formats (stepmark.labeling.importers).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from stepmark.labeling.importers.alternatives import alternative_solutions
from stepmark.labeling.importers.math import read_problems
from stepmark.labeling.importers.registry import detect_format, import_labels
from stepmark.labeling.minimath import SOURCE as MINIMATH
from stepmark.labeling.minimath import distinct_problems, rate_steps
from stepmark.labeling.records import Problem, Reject, StepLabel
from stepmark.store.frames import frame_of
from stepmark.store.label_writer import write_label_import
from stepmark.store.problem_writer import write_problems
from stepmark.store.rows import insert_missing
from stepmark.store.store import Store

from .profile import Problems
from .progress import Progress

ORACLE, HUMAN = "oracle", "human"
_UNRATED = """
    SELECT solution_id, problem, list(step ORDER BY step_index) AS steps
    FROM solutions JOIN problems USING (problem_id) JOIN steps USING (solution_id)
    WHERE problems.source = ? AND solutions.source = 'sampled' AND NOT EXISTS (
        SELECT 1 FROM step_labels
        WHERE step_labels.solution_id = solutions.solution_id AND label_source = ?
    )
    GROUP BY solution_id, problem
"""


@dataclass(slots=True)
class IngestReport:
    """What became of the rows of one file or family; a known problem was stored before.

    ``num_completed`` of the known ones got something they lacked, or the split that a label file guessed.
    """

    num_new: int = 0
    num_known: int = 0
    num_completed: int = 0
    rejects: list[Reject] = field(default_factory=list)


def ingest_problems(store: Store, wanted: Problems) -> IngestReport:
    """Store the profile's problems that are not there yet."""
    report = IngestReport()
    for split, number in (("train", wanted.num_minimath_train), ("test", wanted.num_minimath_test)):
        drawn = distinct_problems(number, wanted.minimath_seed, split)
        _add(store, [worked.problem for worked in drawn], [], report)
    for file in wanted.files:
        _add(store, *read_problems(file.path, file.source, file.split), report)
    return report


def ingest_path(store: Store, path: Path, source: str, split: str | None) -> IngestReport:
    """Store the problems of one file or folder."""
    report = IngestReport()
    _add(store, *read_problems(path, source, split), report)
    return report


def _add(store: Store, problems: Sequence[Problem], rejects: Sequence[Reject], report: IngestReport) -> None:
    with store.transaction() as con:
        written = write_problems(con, frame_of("problems", problems), know_their_split=True)
        if rejects:
            insert_missing(con, "rejects", frame_of("rejects", rejects))
    report.num_new += written.num_new
    report.num_known += len(problems) - written.num_new
    report.num_completed += written.num_completed
    report.rejects += rejects


@dataclass(slots=True)
class LabelReport:
    """What became of the lines of a label file; ``counts`` as ``LabelImport`` defines them.

    ``num_duplicates`` are lines that say what the file or an earlier import had said; ``num_accepted`` the
    lines whose labels are new.
    """

    format: str
    counts: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    rejects: list[Reject] = field(default_factory=list)
    num_accepted: int = 0
    num_duplicates: int = 0


def ingest_labels(store: Store, path: Path, format_name: str, split: str) -> LabelReport:
    """Store the labels of one file, chunk by chunk; what was stored before is counted as a duplicate."""
    report = LabelReport(detect_format(path) if format_name == "auto" else format_name)
    known = (
        store.read("SELECT problem FROM problems")["problem"].to_list() if report.format == "rlhflow" else []
    )
    for chunk in import_labels(path, report.format, split, known_problems=known):
        stored = write_label_import(store, chunk, split, str(path))
        beside = alternative_solutions(chunk, HUMAN)
        also_stored = write_label_import(store, beside, split, str(path))
        report.counts += chunk.counts + beside.counts
        report.written += Counter(stored.written) + Counter(also_stored.written)
        report.rejects += chunk.rejects
        report.num_accepted += chunk.counts["accepted"] - stored.num_duplicates
        report.num_duplicates += len(chunk.duplicates) + stored.num_duplicates
    return report


def rate_by_oracle(store: Store) -> int:
    """Rate the steps of every minimath solution the oracle has not rated; return their number."""
    unrated = store.read(_UNRATED, [MINIMATH, ORACLE])
    labels: list[StepLabel] = []
    with Progress("rating by the oracle", unrated.height, "solutions") as bar:
        for solution_id, problem, steps in unrated.iter_rows():
            ratings = rate_steps(problem, steps)
            labels += [
                StepLabel(solution_id, index, ORACLE, rating, None, code_version=version("stepmark"))
                for index, rating in enumerate(ratings)
            ]
            bar.advance(1)
    return store.insert_missing("step_labels", frame_of("step_labels", labels)) if labels else 0
