"""Writing imported labels: once, whole, and never over what a problem file said."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.formats.chunks import Contradicted
from stepmark.labeling.formats.reading import (
    LabeledLine,
    LabeledSolution,
    LabelImport,
    label_problem,
    labeled,
    solution_of,
)
from stepmark.labeling.formats.registry import import_labels
from stepmark.labeling.records import HumanLabel, Reject, StepLabel
from stepmark.store.auditing import run_audits
from stepmark.store.labels.storing import LabelReport, store_labels
from stepmark.store.store import Store

_PROBLEM = label_problem("What is $1+1$?", "prm800k", "train", answer="2")
_SOLUTION = solution_of(
    _PROBLEM, "prm800k", ["1+1", "= 3"], final_answer="3", outcome="incorrect", generator="gpt"
)
_TABLES = ("problems", "solutions", "steps", "human_labels", "step_labels", "rejects")
_ALL_ROWS = Counter(dict(zip(_TABLES, (1, 1, 2, 3, 2, 1), strict=True)))
_NO_ROWS: Counter[str] = Counter()


def _store(store: Store, *solutions: LabeledSolution) -> LabelReport:
    return store_labels(store, lambda contradicted: [_chunk(*solutions)], "a.jsonl")


def _human(step_index: int, rating: int | None, labeler: str = "ann", alternative: int = 0) -> HumanLabel:
    return HumanLabel(
        _SOLUTION.solution_id, step_index, alternative, labeler, _SOLUTION.steps[step_index].step, False,
        rating, True, None, 1,
        None, False, False, "found_error", "2022-07-30T23:23:32.5", 1200,
    )  # fmt: skip


def _chunk(*solutions: LabeledSolution) -> LabelImport:
    chunk = LabelImport(rejects=[Reject("a.jsonl", 7, "no problem", "{}")])
    for line, one in enumerate(solutions, start=1):
        chunk.labeled_lines.append(LabeledLine(line, line, *one.authorship))
        chunk.problems.append(one.problem)
        chunk.solutions.append(one.solution)
        chunk.human_labels += one.human_labels
        chunk.step_labels += one.step_labels
    return chunk


def _rated(labeler: str = "ann") -> LabeledSolution:
    people = [_human(0, 1, labeler), _human(1, -1, labeler), _human(1, None, labeler, alternative=1)]
    steps = [
        StepLabel(_SOLUTION.solution_id, 0, "human", 1, None),
        StepLabel(_SOLUTION.solution_id, 1, "human", -1, None),
    ]
    return LabeledSolution(_PROBLEM, _SOLUTION, labeler, 2, people, steps)


def test_a_chunk_is_written_whole(store: Store) -> None:
    """Every table gets its rows, and the audits find nothing wrong."""
    report = _store(store, _rated())

    assert (report.written, report.num_duplicates) == (_ALL_ROWS, 0)
    shown = "source, generator_id, solution, final_answer, outcome, round, sample_index, grader_version"
    assert store.read(f"SELECT {shown} FROM solutions").rows() == [
        ("prm800k", "gpt", "1+1\n= 3", "3", "incorrect", None, None, None)
    ]
    assert store.read(
        "SELECT DISTINCT labeled_at::VARCHAR, duration_ms, source_file, source_line FROM human_labels"
    ).rows() == [("2022-07-30 23:23:32.5", 1200, "a.jsonl", None)]
    assert all(frame.is_empty() for frame in run_audits(store).values())


def test_the_same_chunk_again_writes_nothing(store: Store) -> None:
    """No row is new, and its line counts as one duplicate."""
    _store(store, _rated())
    again = _store(store, _rated())

    assert (again.written, again.num_duplicates) == (_NO_ROWS, 1)


def test_a_second_labeler_of_a_known_solution_is_no_duplicate(store: Store) -> None:
    """The ratings of both stay; the step labels are the first one's."""
    _store(store, _rated())
    second = _store(store, _rated("bob"))

    assert (second.written, second.num_duplicates) == (Counter(human_labels=3), 0)


def test_machine_labels_are_duplicates_by_their_source(store: Store) -> None:
    """The same labels of one source twice are one duplicate; another source's are new."""
    teacher = labeled(_PROBLEM, _SOLUTION, "teacher", [1, None], [0.9, None])
    oracle = labeled(_PROBLEM, _SOLUTION, "oracle", [1, -1])
    _store(store, teacher)

    assert _store(store, teacher).num_duplicates == 1
    assert _store(store, oracle).num_duplicates == 0
    assert store.read("SELECT label_source, value FROM step_labels ORDER BY ALL").rows() == [
        ("oracle", None),
        ("oracle", None),
        ("teacher", 0.9),
    ]


def test_a_problem_keeps_what_a_problem_file_said(store: Store) -> None:
    """An importer never moves a test problem into the training split."""
    with store.transaction() as con:
        con.execute(
            "INSERT INTO problems (problem_id, source, split, subject, level, problem) "
            "VALUES (?, 'math', 'test', 'Algebra', 3, 'What is $1+1$?')",
            [_PROBLEM.problem_id],
        ).fetchall()
    _store(store, _rated())

    assert store.read("SELECT source, split, subject, level FROM problems").rows() == [
        ("math", "test", "Algebra", 3)
    ]


def test_new_problems_get_the_split_asked_for(store: Store) -> None:
    """The reader was told of it, and places them."""
    _store(store, replace(_rated(), problem=replace(_PROBLEM, split="test")))

    assert store.read("SELECT split FROM problems").item() == "test"


def test_a_bad_label_leaves_nothing_of_its_chunk(store: Store) -> None:
    """The refusal names the row; problems and solutions of the chunk are not there either."""
    chunk = _chunk(_rated())
    chunk.human_labels.append(_human(1, 5, "eve"))
    with pytest.raises(
        StepmarkError, match=r"rating IN \(-1, 0, 1\) does not hold for .*labeler='eve', rating=5"
    ):
        store_labels(store, lambda contradicted: [chunk], "a.jsonl")

    assert store.read("SELECT count(*) FROM problems").item() == 0


def test_real_prm800k_lines_are_written_once(store: Store, real_data: Path) -> None:
    """All 11 published lines land, both phases, and a second import finds 11 duplicates."""
    file = real_data / "prm800k" / "raw_lines.jsonl"

    def read(contradicted: Contradicted) -> Iterator[LabelImport]:
        return import_labels(file, "prm800k", "train", stored=contradicted)

    first = store_labels(store, read, str(file))
    again = store_labels(store, read, str(file))

    assert first.written["human_labels"] == 250
    assert (again.written, again.num_duplicates) == (_NO_ROWS, 11)
    assert all(frame.is_empty() for frame in run_audits(store).values())
