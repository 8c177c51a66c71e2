"""A second label file beside what is stored: what of it is new, known, or refused."""

import pytest

from stepmark.store.store import Store

from .label_rows import Row, count, ingest, lines, rated, tree

pytestmark = pytest.mark.slow


def test_of_a_row_whose_steps_are_not_those_stored_nothing_stays(store: Store) -> None:
    """Neither its alternatives, nor the role of its problem, nor what it says in the counts."""
    ingest(store, "first", "prm800k", rated("ann", ("a", 1), ("b", 1)))
    before = {table: count(store, table) for table in ("solutions", "steps", "problem_roles", "step_labels")}
    report = ingest(store, "second", "prm800k", rated("bob", ("a\nb", 1), beside=("c", -1)))

    assert lines(report) == (0, 1, 0)
    assert {table: count(store, table) for table in before} == before
    assert +report.counts == {"lines": 1, "rejected": 1}


def test_rows_beside_a_refused_one_keep_what_they_share_with_it(store: Store) -> None:
    """An alternative that a sound row rates too stays, and so do that row's problem and counts."""
    ingest(store, "first", "prm800k", rated("ann", ("x", 1), ("b", 1)))
    refused = rated("bob", ("x\nb", 1), beside=("c", -1))
    sound = rated("bob", ("y", 1), beside=("c", -1))
    report = ingest(store, "second", "prm800k", refused, sound)

    assert lines(report) == (1, 1, 0)
    assert store.read("SELECT solution FROM solutions WHERE source = 'alternative'").rows() == [("c",)]
    assert store.read("SELECT asked_by FROM problem_roles ORDER BY 1").height == 2
    assert (report.counts["steps"], report.counts["completions"], report.counts["alternatives"]) == (1, 2, 1)


def test_a_row_that_is_refused_is_no_duplicate_besides(store: Store) -> None:
    """One of its solutions is stored with other steps, the other is known: it counts once, as refused."""
    ingest(store, "first", "omegaprm", tree("a\nb", "z"))
    report = ingest(store, "second", "omegaprm", tree("a", "a\nb", "z"))

    assert lines(report) == (0, 1, 0)


def test_a_corrected_file_is_refused_by_its_line(store: Store) -> None:
    """A label source that says something else than it did is told so, as within one file."""
    row = {"prompt": "Q?", "completions": ["a", "b"], "labels": [True, True]}
    ingest(store, "first", "trl", row)
    new = {"prompt": "P?", "completions": ["a"], "labels": [True]}
    report = ingest(store, "second", "trl", new, row | {"labels": [True, False]})

    assert lines(report) == (1, 1, 0)
    assert [(one.line, one.reason) for one in report.rejects] == [
        (
            2,
            f"trl rated this solution differently in line 1 of {store.home.parent / 'first'}; "
            "the first rating stays",
        )
    ]
    assert store.read("SELECT rating FROM step_labels ORDER BY ALL").rows() == [(1,), (1,), (1,)]


def test_a_corrected_rating_of_a_person_is_refused_by_its_line(store: Store) -> None:
    """Another labeler may say so; the same one's first rating stays, and the refused line brings nothing."""
    ingest(store, "first", "prm800k", rated("ann", ("a", 1), ("b", 1)))
    other = rated("ann", ("a", 1), ("b", -1), beside=("c", 1))
    report = ingest(store, "second", "prm800k", other, rated("bob", ("a", 1), ("b", -1)))

    assert lines(report) == (1, 1, 0)
    assert "ann rated this solution differently in line 1 of " in report.rejects[0].reason
    assert store.read("SELECT labeler, rating FROM human_labels ORDER BY ALL").rows() == [
        ("ann", 1), ("ann", 1), ("bob", -1), ("bob", 1),
    ]  # fmt: skip
    assert count(store, "solutions") == 1


def test_people_and_models_of_one_task_are_duplicates_the_second_time(store: Store) -> None:
    """The models' labels are known as well as the people's."""
    results = [
        {"from_name": f"rating_{index}", "value": {"choices": ["right"]}, "score": 0.5} for index in range(2)
    ]
    task = {
        "data": {"problem": "Q?", "steps": ["a", "b"]},
        "annotations": [{"completed_by": 7, "result": results}],
        "predictions": [{"model_version": "prm", "result": results}],
    }
    ingest(store, "first", "label-studio", task)

    assert lines(ingest(store, "second", "label-studio", task)) == (0, 0, 1)


@pytest.mark.parametrize("is_one_task", [True, False])
def test_a_labeler_and_a_model_of_one_name_are_two_label_authors(store: Store, *, is_one_task: bool) -> None:
    """In a task, a file and two files both speak once; what either says otherwise is still refused."""
    data = {"data": {"problem": "Q?", "steps": ["a"]}}

    def said(who: str, name: str, choice: str) -> Row:
        result = [{"from_name": "rating_0", "value": {"choices": [choice]}}]
        key = "completed_by" if who == "annotations" else "model_version"
        return {who: [{key: name, "result": result}]}

    person, model = said("annotations", "7", "right"), said("predictions", "7", "wrong")
    tasks = [data | person | model] if is_one_task else [data | person, data | model]
    first = ingest(store, "first", "label-studio", *tasks, *tasks)
    second = ingest(store, "second", "label-studio", *tasks)
    others = [data | said(who, "7", "neutral") for who in ("annotations", "predictions")]
    third = ingest(store, "third", "label-studio", *others)

    assert [lines(first), lines(second)] == [(len(tasks), 0, len(tasks)), (0, 0, len(tasks))]
    assert [one.reason.partition(" in ")[0] for one in third.rejects] == [
        "7 rated this solution differently"
    ] * 2
    assert store.read("SELECT label_source, rating FROM step_labels ORDER BY ALL").rows() == [
        ("7", -1), ("human", 1),
    ]  # fmt: skip


@pytest.mark.parametrize("chunk_lines", [1, 4000])
def test_of_two_people_in_a_file_the_first_one_labels_a_step(store: Store, chunk_lines: int) -> None:
    """The second fills in what the first left open; the counts are of labels, not of opinions."""
    report = ingest(
        store,
        "file",
        "prm800k",
        rated("ann", ("a", 1), ("b", None)),
        rated("bob", ("a", -1), ("b", 0)),
        chunk_lines=chunk_lines,
    )

    assert store.read("SELECT step_index, rating FROM step_labels ORDER BY ALL").rows() == [(0, 1), (1, 0)]
    assert (report.counts["step_labels"], report.written["step_labels"]) == (2, 2)


@pytest.mark.parametrize("chunk_lines", [1, 4000])
def test_a_refused_row_takes_nobody_elses_label_along(store: Store, chunk_lines: int) -> None:
    """Neither of a step both rated, nor of an alternative: only what is kept has a say."""
    ingest(store, "first", "prm800k", rated("ann", ("a", 1), ("b", None)))
    report = ingest(
        store,
        "second",
        "prm800k",
        rated("ann", ("a", 1), ("b", 1), beside=("x", -1)),
        rated("bob", ("a", 1), ("b", -1), beside=("x", 1)),
        chunk_lines=chunk_lines,
    )

    assert lines(report) == (1, 1, 0)
    labels = store.read(
        "SELECT solution, step_index, rating, step_labels.source_line"
        " FROM step_labels JOIN solutions USING (solution_id) ORDER BY solution, step_index"
    )
    assert labels.rows() == [("a\nb", 0, 1, 1), ("a\nb", 1, -1, 2), ("a\nx", 1, 1, 2)]
    assert (report.counts["alternatives"], report.counts["alternatives_conflicting"]) == (1, 0)


def test_a_row_that_adds_nothing_to_its_file_and_the_store_is_a_duplicate(store: Store) -> None:
    """The one solution stands in an earlier line, the other in an earlier file."""
    ingest(store, "first", "omegaprm", tree("y"))
    report = ingest(store, "second", "omegaprm", tree("x"), tree("x", "y"))

    assert lines(report) == (1, 0, 1)


def test_what_only_a_refused_row_said_is_no_duplicate(store: Store) -> None:
    """A later row that says a part of it is stored."""
    ingest(store, "first", "omegaprm", tree("a"))
    other = tree("a", "b")
    other["reasoning_steps"][0]["mc_value"] = 0.25
    report = ingest(store, "second", "omegaprm", other, tree("b"))

    assert lines(report) == (1, 1, 0)
    assert [one.line for one in report.rejects] == [1]
    assert store.read("SELECT solution FROM solutions ORDER BY ALL").rows() == [("a",), ("b",)]


def test_a_refused_row_is_no_measure_for_the_next_one(store: Store) -> None:
    """Neither for the steps of a text, nor for the labels of its author."""
    ingest(store, "first", "prm800k", rated("bob", ("a", 1), ("b", 1), ("y", 1)))
    divided = ingest(
        store,
        "second",
        "prm800k",
        rated("ann", ("a\nb", 1), ("y", 1)),
        rated("carl", ("a", 1), ("b", 1), ("y", -1)),
    )
    changed = [rated("bob", ("a", rating), ("b", 1), ("y", 1)) for rating in (-1, -1, 0, 1)]
    said = ingest(store, "third", "prm800k", *changed)

    assert (lines(divided), lines(said)) == ((1, 1, 0), (0, 3, 1))
    assert store.read("SELECT DISTINCT labeler FROM human_labels ORDER BY ALL").rows() == [
        ("bob",),
        ("carl",),
    ]


def test_a_row_that_contradicts_itself_is_refused(store: Store) -> None:
    """One tree must not divide a text in two ways."""
    children = [
        {"text": "a\nb", "mc_value": 0.25, "children": []},
        {"text": "a", "mc_value": 0.75, "children": [{"text": "b", "mc_value": 0.5, "children": []}]},
    ]
    itself = {"question": "P?", "reasoning_steps": {"text": "P?", "mc_value": 0.5, "children": children}}
    report = ingest(store, "file", "omegaprm", tree("a"), itself)

    assert [one.reason for one in report.rejects] == ["the row divides one text into steps in two ways"]
    assert lines(report) == (1, 1, 0)


def test_the_same_ratings_at_another_time_are_a_duplicate(store: Store) -> None:
    """Within a file as across two."""
    first = rated("ann", ("a", 1)) | {"timestamp": "2022-07-30T23:23:32"}
    again = rated("ann", ("a", 1)) | {"timestamp": "2022-07-31T23:23:32"}
    within = ingest(store, "first", "prm800k", first, again)
    across = ingest(store, "second", "prm800k", again)

    assert (lines(within), lines(across)) == ((1, 0, 1), (0, 0, 1))
