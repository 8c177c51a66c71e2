"""The label views on rows whose answer is plain to see."""

import polars as pl
import pytest

from stepmark.labeling.ids import prefix_id
from stepmark.store.schema import table_of
from stepmark.store.store import Store

_COLUMNS = """solution_id, step_index, label_source, rating, value, num_rollouts, num_correct, num_truncated,
    p_wrong_low, p_wrong_high"""


def _label(store: Store, *rows: str) -> None:
    with store.transaction() as con:
        con.execute(f"INSERT INTO step_labels ({_COLUMNS}) VALUES {', '.join(rows)}").fetchall()


def _row(
    step_index: int,
    rating: str = "NULL",
    value: str = "NULL",
    counts: str = "NULL, NULL, NULL",
    p_wrong: str = "NULL, NULL",
) -> str:
    return f"('s', {step_index}, 'x', {rating}, {value}, {counts}, {p_wrong})"


@pytest.mark.parametrize(
    ("row", "hard", "soft", "targets"),
    [
        (_row(0, rating="1"), 1, 1.0, (0.0, 0.0, 1.0)),
        (_row(0, rating="0"), 0, None, (0.0, 1.0, 0.0)),
        (_row(0, rating="-1"), -1, 0.0, (1.0, 0.0, 0.0)),
        (_row(0, value="0.75"), 1, 0.75, (0.25, 0.0, 0.75)),
        (_row(0, value="0.5"), None, 0.5, (0.5, 0.0, 0.5)),
        (_row(0, counts="8, 1, 0"), 1, 0.125, (0.875, 0.0, 0.125)),
        (_row(0, counts="8, 1, 4"), 1, 0.25, (0.75, 0.0, 0.25)),
        (_row(0, counts="8, 0, 0"), -1, 0.0, (1.0, 0.0, 0.0)),
        (_row(0, counts="8, 0, 3"), None, 0.0, (1.0, 0.0, 0.0)),
        (_row(0, counts="8, 0, 8"), None, None, (None, None, None)),
        (_row(0, rating="-1", value="0.25", counts="8, 2, 0"), -1, 0.25, (0.75, 0.0, 0.25)),
        (_row(0), None, None, (None, None, None)),
        (_row(0, value="0.4", counts="4, 0, 0", p_wrong="0.2, 0.2"), 1, 0.4, (0.6, 0.0, 0.4)),
        (_row(0, value="0.4", counts="4, 1, 0", p_wrong="0.7, 0.7"), -1, 0.4, (0.6, 0.0, 0.4)),
        (_row(0, value="0.4", counts="4, 0, 2", p_wrong="0.3, 0.9"), None, 0.4, (0.6, 0.0, 0.4)),
    ],
)
def test_hard_and_soft_labels_of_one_row(
    store: Store,
    row: str,
    hard: int | None,
    soft: float | None,
    targets: tuple[float | None, float | None, float | None],
) -> None:
    """Ratings, values and counts become what they mean; what is not decided is NULL, never wrong."""
    _label(store, row)

    assert store.read("SELECT rating FROM hard_labels").item() == hard
    assert store.read("SELECT value FROM soft_labels").item() == soft
    assert store.read("SELECT target_negative, target_neutral, target_positive FROM soft_labels").rows() == [
        targets
    ]


def test_a_threshold_cuts_soft_labels(store: Store) -> None:
    """A value at the threshold counts as right; an unknown one stays unknown."""
    _label(store, _row(0, value="0.2"), _row(1, value="0.3"), _row(2))
    frame = store.read("SELECT rating FROM thresholded_labels(?) ORDER BY step_index", [0.3])

    assert frame["rating"].to_list() == [-1, 1, None]


def test_a_label_less_sure_than_asked_is_undecided(store: Store) -> None:
    """Bounds count, not the middle: what cut-off rollouts leave open is open."""
    p_wrong = ["0.95, 0.96", "0.8, 0.8", "0.05, 0.05", "0.05, 0.97", "NULL, NULL"]
    _label(store, *(_row(i, "1" if p == "NULL, NULL" else "NULL", p_wrong=p) for i, p in enumerate(p_wrong)))
    frame = store.read("SELECT rating FROM confident_labels(0.9) ORDER BY step_index")

    assert frame["rating"].to_list() == [-1, None, 1, None, 1]


def test_sql_finds_the_rollouts_of_a_step(store: Store) -> None:
    """The view hashes prefixes as Python does, accents and all."""
    problem, solution = prefix_id("é", ""), "Für $x$:\n= 2\n"
    with store.transaction() as con:
        con.execute(
            "INSERT INTO problems (problem_id, source, split, problem) VALUES (?, 'm', 'train', 'é')",
            [problem],
        )
        con.execute(
            "INSERT INTO solutions (solution_id, problem_id, source, solution) VALUES ('s', ?, 'm', ?)",
            [problem, solution],
        )
        con.execute("INSERT INTO steps VALUES ('s', 0, 0, 9, 'Für $x$:'), ('s', 1, 9, 13, '= 2')")
    found = store.read("SELECT prefix_id FROM step_prefixes ORDER BY step_index")["prefix_id"].to_list()

    assert found == [prefix_id(problem, solution[:9]), prefix_id(problem, solution)]


@pytest.mark.parametrize(
    ("view", "ratings"),
    [
        ("labels_neutral_positive", [1, 1, -1, None]),
        ("labels_neutral_negative", [1, -1, -1, None]),
        ("labels_neutral_dropped", [1, -1, None]),
    ],
)
def test_neutral_goes_where_the_policy_says(store: Store, view: str, ratings: list[int | None]) -> None:
    """Only neutral changes; an undecided step is never taken for a neutral one."""
    _label(store, _row(0, "1"), _row(1, "0"), _row(2, "-1"), _row(3))
    frame = store.read(f"SELECT rating FROM {view} ORDER BY step_index")

    assert frame["rating"].to_list() == ratings


@pytest.mark.parametrize(
    ("ratings", "num_steps", "first_error"),
    [
        (["1", "1", "1"], 3, -1),
        (["1", "-1", "1"], 3, 1),
        (["-1", "NULL", "-1"], 3, 0),
        (["1", "NULL", "-1"], 3, None),
        (["1", "0", "NULL"], 3, None),
        (["1", "0"], 2, -1),
        (["1", "-1"], 3, 1),
        (["1", "1"], 3, None),
    ],
)
def test_the_first_error_is_known_only_when_all_before_it_is(
    store: Store, ratings: list[str], num_steps: int, first_error: int | None
) -> None:
    """-1 needs every step decided; an undecided or unlabeled step before the error makes it NULL."""
    _label(store, *(_row(index, rating) for index, rating in enumerate(ratings)))
    with store.transaction() as con:
        for index in range(num_steps):
            con.execute("INSERT INTO steps VALUES ('s', ?, ?, ?, 'x')", [index, index, index + 1]).fetchall()

    assert store.read("SELECT first_error_index FROM first_errors").item() == first_error


def test_labels_are_cut_after_the_first_error(store: Store) -> None:
    """The wrong step stays, what follows goes, and a step rated by rollouts shows its hard label."""
    _label(store, _row(0, counts="4, 4, 0"), _row(1, "0"), _row(2, counts="4, 0, 0"), _row(3, "1"))
    frame = store.read(
        "SELECT step_index, rating, num_rollouts FROM step_labels_until_first_error ORDER BY ALL"
    )

    assert frame.rows() == [(0, 1, 4), (1, 0, None), (2, -1, 4)]


def test_labels_without_an_error_are_not_cut(store: Store) -> None:
    """All steps stay, undecided ones as well."""
    _label(store, _row(0, "1"), _row(1), _row(2, "0"))

    assert store.read("SELECT count(*) FROM step_labels_until_first_error").item() == 3


def test_labels_are_counted_by_source(full_store: Store) -> None:
    """Steps, hard labels, rollouts and their cost; NULL where a source has none."""
    frame = full_store.read("SELECT * FROM label_counts ORDER BY label_source")

    assert frame.to_dicts() == [
        {
            "label_source": "monte_carlo", "num_solutions": 2, "num_alternatives": 0, "num_steps": 4,
            "num_positive": 3, "num_neutral": 0, "num_negative": 1, "num_undecided": 0, "num_rollouts": 8,
            "num_truncated": 1, "num_ungraded": None, "cost_tokens": 24,
        },
        {
            "label_source": "oracle", "num_solutions": 1, "num_alternatives": 0, "num_steps": 2,
            "num_positive": 2, "num_neutral": 0, "num_negative": 0, "num_undecided": 0, "num_rollouts": None,
            "num_truncated": None, "num_ungraded": None, "cost_tokens": None,
        },
    ]  # fmt: skip


def test_truncated_solutions_are_not_in_the_pass_rate(full_store: Store) -> None:
    """One of two decided ones is right; of the truncated one nothing is known."""
    columns = "problem_id, num_solutions, num_correct, num_decided, num_truncated, pass_rate"
    frame = full_store.read(f"SELECT {columns} FROM pass_rates ORDER BY problem_id")

    assert frame.rows() == [("p1", 2, 1, 2, 0, 0.5), ("p2", 1, 0, 0, 1, None)]


def test_sources_that_differ_on_the_first_error_are_shown(full_store: Store) -> None:
    """Agreement and undecided solutions are left out."""
    assert full_store.read("SELECT * FROM label_disagreements").is_empty()
    oracle = pl.DataFrame(
        {"solution_id": ["s2"] * 2, "step_index": [0, 1], "label_source": ["oracle"] * 2, "rating": [-1, -1]}
    )
    rest = set(table_of("step_labels").column_names) - set(oracle.columns)
    full_store.insert("step_labels", oracle, unknown=rest)

    assert full_store.read("SELECT * FROM label_disagreements").rows() == [
        ("s2", "label_source", "monte_carlo", "label_source", "oracle", 1, 0)
    ]
