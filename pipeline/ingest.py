"""Problems into the store: minimath and files of problems; and the oracle's ratings of minimath.

Leaves out: reading the formats (stepmark.labeling.formats); files of labels (label_files).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import why_no_file
from stepmark.labeling.formats.math import read_problems
from stepmark.labeling.minimath import SOURCE as MINIMATH
from stepmark.labeling.minimath import distinct_problems, rate_steps
from stepmark.labeling.records import Problem, Reject, StepLabel
from stepmark.labeling.vocabulary import ORACLE
from stepmark.store.frames import frame_of
from stepmark.store.problem_writer import write_problems
from stepmark.store.rows import insert_missing
from stepmark.store.store import Store

from .profile import Problems
from .progress import Progress

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

    ``num_completed`` of the known ones got something they lacked, or another split;
    ``num_in_other_split`` are stored in another split than the one they were offered for, and stay there.
    """

    num_new: int = 0
    num_known: int = 0
    num_completed: int = 0
    num_in_other_split: int = 0
    rejects: list[Reject] = field(default_factory=list)


def ingest_problems(store: Store, wanted: Problems) -> IngestReport:
    """Store the profile's problems that are not there yet."""
    report = IngestReport()
    for split, number in (("train", wanted.num_minimath_train), ("test", wanted.num_minimath_test)):
        drawn = distinct_problems(number, wanted.minimath_seed, split)
        _add(store, [worked.problem for worked in drawn], [], None, report)
    for file in wanted.files:
        _check_kind(Path(file.path))
        _add(store, *read_problems(file.path, file.source, file.split), file.path, report)
    return report


def ingest_path(store: Store, path: Path, source: str, split: str | None) -> IngestReport:
    """Store the problems of one file or folder."""
    report = IngestReport()
    _check_kind(path)
    _add(store, *read_problems(path, source, split), str(path), report)
    return report


def _check_kind(path: Path) -> None:
    # A reader of Parquet would wait at a pipe for ever.
    why = why_no_file(path)
    if why is not None and not path.is_dir():
        raise InputError.at(path, None, f"the file {why}", "name a file of problems, or a folder of them")


def _add(
    store: Store,
    problems: Sequence[Problem],
    rejects: Sequence[Reject],
    asked_by: str | None,
    report: IngestReport,
) -> None:
    with store.transaction() as con:
        frame = frame_of("problems", problems)
        written = write_problems(con, frame, know_their_split=True, asked_by=asked_by)
        if rejects:
            insert_missing(con, "rejects", frame_of("rejects", rejects))
    report.num_new += written.num_new
    report.num_known += len(problems) - written.num_new
    report.num_completed += written.num_completed
    report.num_in_other_split += written.num_in_other_split
    report.rejects += rejects


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
