"""Alternatives to a step: when people's ratings of them are labels, and when they are in dispute."""

import pytest

from stepmark.app.report import write_report
from stepmark.pipeline.profile_file import load_profile
from stepmark.store.auditing import run_audits
from stepmark.store.store import Store

from .label_rows import ingest, rated

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("first", [1, -1])
def test_an_alternative_rated_differently_in_two_files_has_no_label(store: Store, first: int) -> None:
    """As within one file, whichever rating comes first, and also when a third file repeats one."""
    ingest(store, "first", "prm800k", rated("ann", ("a", 1), ("b", 1), beside=("c", first)))
    second = ingest(store, "second", "prm800k", rated("bob", ("a", 1), ("b", 1), beside=("c ", -first)))
    third = ingest(store, "third", "prm800k", rated("eve", ("a", 1), ("d", 1), beside=("c", first)))
    other = ingest(store, "other", "prm800k", rated("eve", ("x", 1), ("d", 1), beside=("c", first)))

    labeled = "FROM step_labels JOIN solutions USING (solution_id) WHERE source = 'alternative'"
    assert store.read(f"SELECT solution {labeled}").rows() == [("x\nc",)]
    assert [one.counts["alternatives_conflicting"] for one in (second, third, other)] == [1, 1, 0]
    assert [one.counts["alternatives"] for one in (second, third, other)] == [0, 0, 1]


@pytest.mark.parametrize("second", [(("a", 1), ("b", 1)), (("a\nb", 1),)])
def test_an_alternative_divided_otherwise_in_another_file_is_left_out(
    store: Store, second: tuple[tuple[str, int], ...]
) -> None:
    """One text has one set of steps: the first one's."""
    ingest(store, "first", "prm800k", rated("ann", ("a", 1), ("z", 1), beside=("b\nc", 1)))
    report = ingest(store, "second", "prm800k", rated("bob", *second, ("y", 1), beside=("c", 1)))

    assert report.counts["alternatives"] == 0
    alternative = "solution_id IN (SELECT solution_id FROM solutions WHERE source = 'alternative')"
    assert store.read(f"SELECT step_index, step FROM steps WHERE {alternative}").rows() == [(1, "b\nc")]
    assert store.read(f"SELECT step_index, rating FROM step_labels WHERE {alternative}").rows() == [(1, 1)]
    assert all(frame.is_empty() for frame in run_audits(store).values())


def test_a_dispute_does_not_depend_on_how_the_path_is_divided(store: Store) -> None:
    """In two files as in one, an alternative of one text with two ratings has no label."""
    ingest(store, "first", "prm800k", rated("ann", ("a\nb", 1), ("z", 1), beside=("c", 1)))
    ingest(store, "second", "prm800k", rated("bob", ("a", 1), ("b", 1), ("y", 1), beside=("c", -1)))

    alternative = "SELECT solution_id FROM solutions WHERE source = 'alternative'"
    assert store.read(f"SELECT * FROM step_labels WHERE solution_id IN ({alternative})").is_empty()


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("third", [("b\nc", "a"), ("c", "a", "b"), ("c", "a\nb")])
def test_a_third_opinion_ends_no_dispute_over_another_division(
    store: Store, third: tuple[str, ...], *, together: bool
) -> None:
    """One person rated two lines as the next step, another the second of them; in one file or in two."""
    rows = (
        rated("ann", ("a", 1), ("z", 1), beside=("b\nc", 1)),
        rated("bob", ("a", 1), ("b", 1), ("y", 1), beside=("c", -1)),
    )
    for number, file in enumerate([rows] if together else [rows[:1], rows[1:]]):
        ingest(store, str(number), "prm800k", *file)
    step, *path = third
    eve = rated("eve", *((text, 1) for text in path), ("x", 1), beside=(step, 1))
    report = ingest(store, "third", "prm800k", eve)

    alternative = "SELECT solution_id FROM solutions WHERE source = 'alternative'"
    assert report.num_accepted == 1
    assert store.read(f"SELECT * FROM step_labels WHERE solution_id IN ({alternative})").is_empty()


def test_the_report_shows_alternatives_apart_from_the_steps_of_solutions(store: Store) -> None:
    """Of three labels one is of another next step; without any such there is no note about them."""
    ingest(store, "a.jsonl", "prm800k", rated("ann", ("a", 1), ("b", -1)))
    store.publish()
    without = write_report(store, load_profile("minimath").reward, store.home / "a.html").read_text()
    ingest(store, "b.jsonl", "prm800k", rated("bob", ("a", 1), ("b", -1), beside=("c", 1)))
    store.publish()
    page = write_report(store, load_profile("minimath").reward, store.home / "b.html").read_text()

    cells = "".join(f"<td>{cell}</td>" for cell in ("human", 1, 2, 1, 2, 0, 1, 0))
    assert f"<tr>{cells}</tr>" in page
    assert ("Alternatives are" in without, "Alternatives are" in page) == (False, True)
