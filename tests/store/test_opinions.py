"""Opinions on the first error, what they agree on and what not: label sources, labelers, teachers."""

import pytest

from stepmark.store.store import Store

pytestmark = pytest.mark.slow

RATINGS = "(solution_id, step_index, label_source, rating)"
SCORES = "(reward_model_id, solution_id, step_index, p_negative, p_neutral, p_positive)"
HUMAN_LABELS = """(solution_id, labeler, step_index, alternative_index, completion, rating, chosen,
    is_human_written, is_quality_control)"""
MODELS = """(reward_model_id, kind, round, base_model, label_sources, config, checkpoint, checkpoint_sha256,
    metrics, created_at)"""


def _fill(store: Store, table: str, columns: str, *rows: str) -> None:
    with store.transaction() as con:
        con.execute(f"INSERT INTO {table} {columns} VALUES {', '.join(rows)}").fetchall()


def _steps(store: Store, num_steps: int, solution_id: str = "s") -> None:
    rows = [f"('{solution_id}', {i}, {i}, {i + 1}, 'step {i}')" for i in range(num_steps)]
    _fill(store, "steps", "", *rows)


def _rate(store: Store, label_source: str, *ratings: str, solution_id: str = "s") -> None:
    rows = [f"('{solution_id}', {i}, '{label_source}', {rating})" for i, rating in enumerate(ratings)]
    _fill(store, "step_labels", RATINGS, *rows)


def _score(store: Store, model: str, *p_positive: float, kind: str = "prm", p_neutral: float = 0.0) -> None:
    model_row = f"('{model}', '{kind}', 0, 'tiny', [], '{{}}', 'models/x', 'abc', '{{}}', '2026-01-01')"
    _fill(store, "reward_models", MODELS, model_row)
    rows = [f"('{model}', 's', {i}, {1 - p - p_neutral}, {p_neutral}, {p})" for i, p in enumerate(p_positive)]
    _fill(store, "scores", SCORES, *rows)


def _labeler_rates(store: Store, labeler: str, *rows: str) -> None:
    _fill(store, "human_labels", HUMAN_LABELS, *(f"('s', '{labeler}', {row})" for row in rows))


@pytest.mark.parametrize(
    ("scores", "threshold", "first_error"),
    [
        ((0.9, 0.4, 0.1), 0.5, 1),
        ((0.9, 0.4, 0.1), 0.3, 2),
        ((0.9, 0.5, 0.5), 0.5, -1),
        ((0.1, 0.9, 0.9), 0.5, 0),
    ],
)
def test_a_teachers_first_error_is_its_first_step_below_the_threshold(
    store: Store, scores: tuple[float, ...], threshold: float, first_error: int
) -> None:
    """A score at the threshold is no error."""
    _steps(store, 3)
    _score(store, "prm", *scores)

    assert store.read("SELECT * FROM teacher_first_errors(?)", [threshold]).rows() == [
        ("s", "prm", first_error)
    ]


def test_a_neutral_step_is_no_error_to_a_teacher(store: Store) -> None:
    """Neutral counts as right, as everywhere."""
    _steps(store, 1)
    _score(store, "prm", 0.1, p_neutral=0.6)

    assert store.read("SELECT first_error_index FROM teacher_first_errors(0.5)").item() == -1


def test_a_teacher_that_did_not_read_to_the_end_has_no_opinion(store: Store) -> None:
    """Two of three steps scored, or an ORM that speaks at the last step only: neither is asked."""
    _steps(store, 3)
    _score(store, "prm", 0.9, 0.1)
    _score(store, "orm", 0.9, 0.9, 0.1, kind="orm")

    assert store.read("SELECT * FROM teacher_first_errors(0.5)").is_empty()


@pytest.mark.parametrize(
    ("ratings", "first_error"),
    [
        (["1", "0", "1"], -1),
        (["1", "-1"], 1),
        (["1", "1"], None),
        (["1", "NULL", "-1"], None),
        (["-1", "NULL", "NULL"], 0),
    ],
)
def test_a_labelers_first_error_needs_every_rating_before_it(
    store: Store, ratings: list[str], first_error: int | None
) -> None:
    """As for a label source: who stopped before the end without an error leaves it open."""
    _steps(store, 3)
    rows = [f"{i}, 0, 'step {i}', {rating}, true, false, false" for i, rating in enumerate(ratings)]
    _labeler_rates(store, "ann", *rows)

    assert store.read("SELECT * FROM labeler_first_errors").rows() == [("s", "ann", first_error)]


def test_only_ratings_of_the_solutions_own_steps_are_a_labelers_opinion(store: Store) -> None:
    """Alternatives are rated for themselves, and control questions measure the labeler."""
    _steps(store, 1)
    _labeler_rates(
        store,
        "ann",
        "0, 0, 'another step', -1, false, false, false",
        "0, 1, ' step 0\n', 1, true, false, false",
        "0, 2, 'step 0', -1, false, false, false",
    )
    _labeler_rates(store, "bob", "0, 0, 'step 0', -1, true, false, true")

    assert store.read("SELECT * FROM labeler_first_errors").rows() == [("s", "ann", -1)]


def test_all_opinions_stand_in_one_view(store: Store) -> None:
    """A label source, a labeler and a teacher; people's merged labels are not counted a second time."""
    _steps(store, 2)
    _rate(store, "oracle", "1", "-1")
    _rate(store, "human", "-1", "NULL")
    _labeler_rates(store, "ann", "0, 0, 'step 0', -1, true, false, false")
    _score(store, "prm", 0.9, 0.9)

    assert store.read("SELECT * FROM first_error_opinions ORDER BY ALL").rows() == [
        ("s", "label_source", "oracle", 1),
        ("s", "labeler", "ann", 0),
        ("s", "teacher", "prm", -1),
    ]


def test_people_speak_as_one_where_only_their_label_is_stored(store: Store) -> None:
    """Labels of source human may be imported without who gave them."""
    _steps(store, 1)
    _rate(store, "human", "-1")

    assert store.read("SELECT * FROM first_error_opinions").rows() == [("s", "label_source", "human", 0)]


def test_an_unsure_monte_carlo_label_is_an_undecided_opinion(store: Store) -> None:
    """Its bounds of being wrong lie on both sides of a half."""
    _steps(store, 1)
    _fill(
        store,
        "step_labels",
        "(solution_id, step_index, label_source, p_wrong_low, p_wrong_high)",
        "('s', 0, 'monte_carlo', 0.2, 0.8)",
    )

    assert store.read("SELECT first_error_index FROM first_error_opinions").item() is None


def test_consensus_keeps_the_steps_up_to_the_first_error_all_agree_on(store: Store) -> None:
    """Undecided opinions neither help nor hinder; what comes after the error is dropped."""
    _steps(store, 4)
    _rate(store, "oracle", "1", "0", "-1", "1")
    _rate(store, "monte_carlo", "1", "1", "-1", "-1")
    _rate(store, "human", "1", "NULL", "-1")

    assert store.read("SELECT * FROM consensus_labels ORDER BY step_index").rows() == [
        ("s", 0, 1, 2),
        ("s", 1, 1, 2),
        ("s", 2, -1, 2),
    ]


def test_consensus_on_no_error_keeps_every_step(store: Store) -> None:
    """A solution without an error is agreed on whole."""
    _steps(store, 2)
    _rate(store, "oracle", "1", "1")
    _score(store, "prm", 0.9, 0.8)

    assert store.read("SELECT step_index, rating FROM consensus_labels ORDER BY step_index").rows() == [
        (0, 1),
        (1, 1),
    ]


def test_one_opinion_is_no_consensus_and_one_against_breaks_it(store: Store) -> None:
    """Solution s has three opinions of which one differs, t a single one."""
    _steps(store, 2)
    _steps(store, 2, "t")
    _rate(store, "oracle", "1", "-1")
    _rate(store, "monte_carlo", "1", "-1")
    _rate(store, "oracle", "1", "-1", solution_id="t")
    _score(store, "prm", 0.9, 0.8)

    assert store.read("SELECT * FROM consensus_labels").is_empty()


@pytest.mark.parametrize("asked", [["monte_carlo", "oracle"], ["oracle", "labeler"], ["label_source"]])
def test_a_consensus_can_be_asked_of_some_opinions_only(store: Store, asked: list[str]) -> None:
    """By name or by kind; the teacher that differs is not among those asked."""
    _steps(store, 2)
    _rate(store, "oracle", "-1", "1")
    _rate(store, "monte_carlo", "-1", "-1")
    _labeler_rates(store, "ann", "0, 0, 'step 0', -1, true, false, false")
    _score(store, "prm", 0.9, 0.8)
    labels = store.read("SELECT * FROM consensus_among(?)", [asked])

    assert labels.rows() == [("s", 0, -1, 2)]


def test_every_pair_that_disagrees_is_listed_once(store: Store) -> None:
    """Teachers and labelers are among them; who agrees or is undecided is not."""
    _steps(store, 2)
    _rate(store, "oracle", "1", "-1")
    _rate(store, "monte_carlo", "NULL", "-1")
    _labeler_rates(store, "ann", "0, 0, 'step 0', -1, true, false, false")
    _score(store, "prm", 0.9, 0.1)

    assert store.read("SELECT * FROM label_disagreements ORDER BY ALL").rows() == [
        ("s", "labeler", "ann", "label_source", "oracle", 0, 1),
        ("s", "labeler", "ann", "teacher", "prm", 0, 1),
    ]
