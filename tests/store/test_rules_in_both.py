"""Rules that SQL and Python both need, held equal on rows that hypothesis draws: real DuckDB, in memory."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepmark.labeling.estimating.counting import hard_rating
from stepmark.labeling.estimating.rollout_counts import RolloutCounts
from stepmark.labeling.vocabulary import DECIDED_OUTCOMES, OUTCOMES, RATINGS
from stepmark.models.metrics.aggregation import aggregate
from stepmark.models.metrics.first_error import first_error_from_ratings, first_error_from_scores
from stepmark.models.metrics.reliability import pairwise_kappa
from stepmark.store.create import create_all, open_memory
from stepmark.store.labels.reader import read_human_labels

pytestmark = pytest.mark.slow

AGAIN = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
RATING = st.sampled_from((None, *RATINGS))
SCORE = st.floats(0.001, 1)
# One text shown for a step: whether it is the step's own, its rating, chosen, in a control question.
COMPLETION = st.tuples(st.booleans(), RATING, st.sampled_from((None, True, False)), st.booleans())


@pytest.fixture(scope="module")
def made() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory with the tables and views; for the whole module, as making it takes longest."""
    con = open_memory()
    create_all(con)
    yield con
    con.close()


@pytest.fixture
def con(made: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The same, for tests that empty it before each example."""
    return made


def fill(con: duckdb.DuckDBPyConnection, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
    """Have these rows in the table, and no others."""
    con.execute(f"DELETE FROM {table}")
    if rows:
        con.executemany(f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(rows[0]))})", rows)


def fill_solution(con: duckdb.DuckDBPyConnection, num_steps: int) -> list[str]:
    """Have one solution ``s``, and return the texts of its steps."""
    texts = [f"step {index}" for index in range(num_steps)]
    fill(con, "problems", "problem_id, source, split, problem", [("p", "m", "train", "Q")])
    fill(con, "solutions", "solution_id, problem_id, source, solution", [("s", "p", "m", "\n".join(texts))])
    starts = [sum(len(text) + 1 for text in texts[:index]) for index in range(num_steps)]
    ends = [*starts[1:], starts[-1] + len(texts[-1])]
    rows = [("s", index, starts[index], ends[index], text) for index, text in enumerate(texts)]
    fill(con, "steps", "solution_id, step_index, char_start, char_end, step", rows)
    return texts


@AGAIN
@given(counts=st.tuples(*[st.integers(0, 3)] * 4))
def test_the_hard_rating_of_rollouts(con: duckdb.DuckDBPyConnection, counts: tuple[int, ...]) -> None:
    """The macro hard_rating and its twin in Python, on correct, wrong, truncated and ungraded ones."""
    _, num_correct, num_truncated, num_ungraded = counts
    sql = "SELECT hard_rating(NULL, NULL, ?, ?, ?, ?, NULL, NULL)"
    [found] = con.execute(sql, [sum(counts), num_correct, num_truncated, num_ungraded]).fetchall()

    assert found == (hard_rating(RolloutCounts(sum(counts), num_correct, num_truncated, num_ungraded, 0)),)


@AGAIN
@given(ratings=st.lists(RATING, min_size=1, max_size=8), order=st.randoms(use_true_random=False))
def test_the_first_error_of_ratings(
    con: duckdb.DuckDBPyConnection, ratings: list[int | None], order: Any
) -> None:
    """The view first_errors and first_error_from_ratings, however the rows lie; a step may lack a label."""
    fill_solution(con, len(ratings))
    rows = [("s", index, "x", rating) for index, rating in enumerate(ratings)]
    rows = [row for row in rows if row[3] is not None or order.random() < 0.5] or rows
    order.shuffle(rows)
    fill(con, "step_labels", "solution_id, step_index, label_source, rating", rows)

    found = con.execute("SELECT first_error_index FROM first_errors").fetchall()
    assert found == [(first_error_from_ratings(ratings),)]


@AGAIN
@given(scores=st.lists(SCORE, min_size=1, max_size=8), threshold=st.floats(0, 1))
def test_the_first_error_of_scores(
    con: duckdb.DuckDBPyConnection, scores: list[float], threshold: float
) -> None:
    """The macro teacher_first_errors and first_error_from_scores."""
    fill_solution(con, len(scores))
    fill_scores(con, scores)

    found = con.execute("SELECT first_error_index FROM teacher_first_errors(?)", [threshold]).fetchall()
    assert found == [(first_error_from_scores(scores, threshold),)]


def fill_scores(con: duckdb.DuckDBPyConnection, scores: list[float]) -> None:
    """Have a PRM that scored the solution ``s``."""
    columns = (
        "reward_model_id, kind, base_model, label_sources, config, checkpoint, checkpoint_sha256, metrics, "
        "created_at"
    )
    fill(con, "reward_models", columns, [("m", "prm", "b", [], "{}", "c", "h", "{}", "2026-01-01")])
    columns = "reward_model_id, solution_id, step_index, p_negative, p_neutral, p_positive"
    rows = [("m", "s", index, 1 - score, 0.0, score) for index, score in enumerate(scores)]
    fill(con, "scores", columns, rows)


@AGAIN
@given(scores=st.lists(SCORE, min_size=1, max_size=8))
def test_the_score_of_a_solution(con: duckdb.DuckDBPyConnection, scores: list[float]) -> None:
    """The columns of solution_scores and the aggregations, but for the last digit of a sum or product."""
    fill_scores(con, scores)
    [found] = con.execute("SELECT score, lowest, mean, last FROM solution_scores").fetchall()

    wanted = [aggregate(scores, how) for how in ("product", "min", "mean", "last")]
    assert found == pytest.approx(wanted, rel=1e-12)


def test_the_outcomes_that_are_decided(con: duckdb.DuckDBPyConnection) -> None:
    """The macro is_decided and DECIDED_OUTCOMES; an outcome that is not known is not decided."""
    found = {outcome: con.execute("SELECT is_decided(?)", [outcome]).fetchall()[0][0] for outcome in OUTCOMES}

    assert {outcome for outcome, is_decided in found.items() if is_decided} == DECIDED_OUTCOMES
    assert con.execute("SELECT is_decided(NULL)").fetchall() == [(None,)]


@AGAIN
@given(shown=st.lists(st.lists(COMPLETION, min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_labelers_rating_of_a_step(
    con: duckdb.DuckDBPyConnection, shown: list[list[tuple[bool, int | None, bool | None, bool]]]
) -> None:
    """The view labeler_ratings and the reader of labels: which of equal texts counts."""
    texts = fill_solution(con, len(shown))
    columns = (
        "solution_id, step_index, alternative_index, labeler, completion, is_human_written, rating, chosen, "
        "is_quality_control"
    )
    rows = [
        (
            "s",
            index,
            number,
            "ann",
            f" {texts[index]}\n" if is_own else "else",
            False,
            rating,
            chosen,
            is_check,
        )
        for index, completions in enumerate(shown)
        for number, (is_own, rating, chosen, is_check) in enumerate(completions)
    ]
    fill(con, "human_labels", columns, rows)
    fill(con, "step_labels", "solution_id, step_index, label_source", [])
    by_step = dict(con.execute("SELECT step_index, rating FROM labeler_ratings").fetchall())

    read = list(read_human_labels(con, with_tests_of_labelers=False))
    wanted = [by_step.get(index) for index in range(len(texts))]
    assert [one.ratings for one in read] == ([wanted] if any(not row[-1] for row in rows) else [])


@AGAIN
@given(
    ratings=st.dictionaries(
        st.tuples(st.integers(0, 4), st.sampled_from(("ann", "bob", "eve"))), st.sampled_from(RATINGS)
    )
)
def test_the_kappa_of_two_labelers(
    con: duckdb.DuckDBPyConnection, ratings: dict[tuple[int, str], int]
) -> None:
    """The view labeler_agreement and pairwise_kappa."""
    texts = fill_solution(con, 5)
    columns = "solution_id, step_index, alternative_index, labeler, completion, is_human_written, rating"
    rows = [("s", index, 0, labeler, texts[index], False, r) for (index, labeler), r in ratings.items()]
    fill(con, "human_labels", columns, rows)
    found = {
        (one, other): (num_texts, kappa)
        for one, other, num_texts, kappa in con.execute(
            "SELECT labeler, other_labeler, num_texts, kappa FROM labeler_agreement"
        ).fetchall()
    }

    by_column = defaultdict(list)
    for (index, labeler), rating in ratings.items():
        for name, value in (
            ("problem_id", "p"),
            ("item", str(index)),
            ("labeler", labeler),
            ("rating", rating),
        ):
            by_column[name].append(value)
    pairs = pairwise_kappa(pl.DataFrame(by_column), num_resamples=2) if ratings else []
    wanted = {(one.labeler, one.other_labeler): (one.kappa.num_items, one.kappa.value.value) for one in pairs}
    assert found.keys() == wanted.keys()
    for pair, (num_texts, kappa) in found.items():
        assert (num_texts, kappa) == (wanted[pair][0], pytest.approx(wanted[pair][1], abs=1e-12))
