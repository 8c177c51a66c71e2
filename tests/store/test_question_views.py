"""The views behind docs/sql.md, on the small store, where each answer can be counted by hand."""

from typing import Any

import pytest

from stepmark.labeling.ids import prefix_id
from stepmark.store.store import Store

# s2 is wrong at its last step for the oracle too; a third solution of p1 is right.
_MORE = r"""
INSERT INTO step_labels (solution_id, step_index, label_source, rating) VALUES
    ('s2', 0, 'oracle', 1), ('s2', 1, 'oracle', -1);
INSERT INTO solutions (solution_id, problem_id, source, round, generator_id, sample_index, solution,
    num_tokens, final_answer, outcome, grader_version)
    VALUES ('s4', 'p1', 'sampled', 1, 'g', 2, E'1+1\n= 2', 7, '2', 'correct', 'v1'),
    ('s5', 'p1', 'alternative', NULL, NULL, NULL, '1', NULL, NULL, NULL, NULL);
INSERT INTO steps VALUES ('s4', 0, 0, 4, '1+1'), ('s4', 1, 4, 7, '= 2'), ('s5', 0, 0, 1, '1');
INSERT INTO step_labels (solution_id, step_index, label_source, rating) VALUES ('s5', 0, 'oracle', -1);
INSERT INTO scores VALUES
    ('prm', 's1', 0, 0.5, 0.0, 0.5), ('prm', 's1', 1, 0.2, 0.0, 0.8),
    ('prm', 's2', 0, 0.0, 0.1, 0.9), ('prm', 's2', 1, 0.4, 0.0, 0.6),
    ('orm', 's1', 1, 0.5, 0.0, 0.5), ('orm', 's2', 1, 0.5, 0.0, 0.5);
INSERT INTO rejects VALUES
    ('a.jsonl', 1, 'level is 7, not 1 to 5', '{}'), ('a.jsonl', 2, 'level is 8, not 1 to 5', '{}');
"""
_ANSWERS: list[tuple[str, list[tuple[Any, ...]]]] = [
    (
        "SELECT subject, level, num_solutions, num_with_error, num_without_error, mean_first_error_index, "
        "mean_place FROM first_errors_by_subject WHERE label_source = 'oracle'",
        [("Algebra", 1, 2, 1, 1, 1.0, 0.5)],
    ),
    (
        "SELECT label_source, round, num_solutions, num_steps, num_positive, num_negative "
        "FROM labels_by_round ORDER BY ALL",
        [("monte_carlo", 0, 2, 4, 3, 1), ("oracle", 0, 2, 4, 3, 1), ("oracle", None, 1, 1, 0, 1)],
    ),
    (
        "SELECT num_solutions, num_alternatives, num_steps FROM label_counts WHERE label_source = 'oracle'",
        [(2, 1, 5)],
    ),
    (
        "SELECT label_source, cost_tokens, tokens_per_label, tokens_per_solution "
        "FROM label_costs ORDER BY ALL",
        [("monte_carlo", 24, 6.0, 12.0), ("oracle", None, None, None)],
    ),
    ("SELECT * FROM source_agreement", [("monte_carlo", "oracle", 2, 2, 0, 0, 1.0)]),
    (
        "SELECT rating, other_rating, num_steps FROM label_changes ORDER BY ALL",
        [(-1, -1, 1), (1, 1, 3)],
    ),
    (
        "SELECT score, lowest, lowest_step_index, last FROM solution_scores "
        "WHERE (reward_model_id, solution_id) = ('prm', 's1')",
        [(0.4, 0.5, 0, 0.8)],
    ),
    ("SELECT solution_id, round(score, 6) FROM convincing_wrong_answers", [("s2", 0.6)]),
    (
        "SELECT subject, num_problems, num_correct, num_decided, round(pass_rate, 3), num_solved "
        "FROM pass_rates_by_subject ORDER BY subject",
        [("Algebra", 1, 2, 3, 0.667, 1), (None, 1, 0, 0, None, 0)],
    ),
    ("SELECT problem_id, reason FROM problems_without_signal", [("p2", "none decided")]),
    (
        "SELECT sampler_id, kind, num_samples, num_correct, num_truncated, truncated_rate, num_tokens "
        "FROM sampler_outcomes ORDER BY kind",
        [("c", "rollouts", 2, 1, 1, 0.5, 6), ("g", "solutions", 4, 2, 1, 0.25, 22)],
    ),
    (
        "SELECT file, reason, num_rows, first_line FROM rejects_by_reason ORDER BY num_rows",
        [("a.jsonl", "no problem", 1, 3), ("a.jsonl", "level is N, not N to N", 2, 1)],
    ),
    (
        "SELECT * FROM tokens_by_round ORDER BY round NULLS LAST",
        [(0, 3, 15, 4, None, None), (1, 1, 7, None, None, None), (None, None, None, None, 2, 6)],
    ),
    (
        "SELECT reward_model_id, split, num_problems, num_solutions, num_pairs, pairs_won "
        "FROM reward_model_comparison ORDER BY ALL",
        [("orm", "train", 1, 2, 1, 0.5), ("prm", "train", 1, 2, 1, 0.0)],
    ),
    ("SELECT problem_id, num_tokens FROM problem_costs ORDER BY ALL", [("p1", 41), ("p2", 5)]),
    ("SELECT solution_id FROM unlabeled_solutions ORDER BY ALL", [("s3",), ("s4",)]),
    ("SELECT num_graded, num_judged, round(cached_share, 3) FROM verdict_cache", [(3, 2, 0.333)]),
    ("SELECT problem_id, solution_id, num_copies FROM duplicate_solutions", [("p1", "s1", 2)]),
    (
        "SELECT label_source, bucket, num_steps, share_right FROM prm_calibration "
        "WHERE label_source = 'oracle' ORDER BY bucket",
        [("oracle", 5, 1, 1.0), ("oracle", 6, 1, 0.0), ("oracle", 8, 1, 1.0), ("oracle", 9, 1, 1.0)],
    ),
    (
        "SELECT num_steps, outcome, num_solutions FROM score_lengths WHERE reward_model_id = 'orm' "
        "ORDER BY ALL",
        [(2, "correct", 1), (2, "incorrect", 1), (2, "truncated", 1)],
    ),
    ("SELECT selector, n, round, value FROM best_of_n", [("prm", 4, 0, 0.5)]),
]


@pytest.fixture
def asked(full_store: Store) -> Store:
    """The small store, and a little more of it."""
    with full_store.transaction() as con:
        con.execute(_MORE)
    return full_store


def test_each_view_counts_what_it_says(asked: Store) -> None:
    """Every answer is the one that counting by hand gives."""
    with asked.transaction(read_only=True) as con:
        found = {sql: con.execute(sql).fetchall() for sql, _ in _ANSWERS}

    assert found == dict(_ANSWERS)


def test_a_pair_is_won_by_the_higher_score_within_its_problem(asked: Store) -> None:
    """Two right ones above, below and level with a wrong one: won, lost, and half."""
    with asked.transaction() as con:
        con.execute("DELETE FROM scores")
        con.execute(
            "INSERT INTO scores SELECT 'prm', solution_id, 0, 1 - p, 0, p "
            "FROM (VALUES ('s1', 0.9), ('s4', 0.5), ('s2', 0.5)) AS v(solution_id, p)"
        )

    assert asked.read("SELECT num_pairs, pairs_won FROM reward_model_comparison").rows() == [(2, 0.75)]


def test_models_are_compared_on_one_split(asked: Store) -> None:
    """Pairs of problems that a PRM learned from are a row of their own."""
    with asked.transaction() as con:
        con.execute(
            "INSERT INTO solutions (solution_id, problem_id, source, solution, outcome) VALUES "
            "('s6', 'p2', 'labeled', '4', 'correct'), ('s7', 'p2', 'labeled', '5', 'incorrect');"
            "INSERT INTO scores VALUES ('prm', 's6', 0, 0.1, 0, 0.9), ('prm', 's7', 0, 0.9, 0, 0.1)"
        )
    rows = asked.read(
        "SELECT split, num_pairs, pairs_won FROM reward_model_comparison WHERE reward_model_id = 'prm' "
        "ORDER BY split"
    ).rows()

    assert rows == [("test", 1, 1.0), ("train", 1, 0.0)]


@pytest.mark.parametrize(("labels_of", "round_"), [(("s1", "s2"), 0), (("s1", "s4"), None)])
def test_a_rollout_that_labels_share_is_sampled_once(
    asked: Store, labels_of: tuple[str, str], round_: int | None
) -> None:
    """Its round is that of the labels, and not known where its completer labeled several rounds."""
    key = prefix_id("p1", "1+1\n")
    with asked.transaction() as con:
        con.execute("DELETE FROM rollouts; DELETE FROM step_labels")
        con.executemany(
            "INSERT INTO step_labels (solution_id, step_index, label_source, num_rollouts, cost_tokens, "
            "completer_id) VALUES (?, 0, 'monte_carlo', 1, 5, 'c')",
            [[name] for name in labels_of],
        )
        con.execute(
            "INSERT INTO rollouts (prefix_id, completer_id, rollout_index, completion, num_tokens) "
            "VALUES (?, 'c', 0, '= 2', 5)",
            [key],
        ).fetchall()

    assert asked.read("SELECT sum(cost_tokens) FROM label_costs").item() == 10
    assert asked.read(
        "SELECT round, num_rollouts, rollout_tokens FROM tokens_by_round WHERE num_rollouts IS NOT NULL"
    ).rows() == [(round_, 1, 5)]


def test_the_rollouts_of_a_label_are_those_of_its_prefix_and_completer(asked: Store) -> None:
    """A rollout of another prefix, or by another completer, decides nothing here."""
    key = prefix_id("p1", "1+1\n")
    with asked.transaction() as con:
        con.execute("UPDATE step_labels SET completer_id = 'c' WHERE label_source = 'monte_carlo'")
        con.execute(
            "INSERT INTO rollouts (prefix_id, completer_id, rollout_index, completion, outcome) VALUES "
            "(?, 'c', 0, '= 2', 'correct'), (?, 'c', 1, '= 3', 'incorrect'), "
            "(?, 'other', 0, '= 2', 'correct')",
            [key, key, key],
        ).fetchall()
    rows = asked.read(
        "SELECT solution_id, step_index, rollout_index, outcome FROM label_rollouts ORDER BY ALL"
    ).rows()

    assert rows == [
        ("s1", 0, 0, "correct"), ("s1", 0, 1, "incorrect"),
        ("s2", 0, 0, "correct"), ("s2", 0, 1, "incorrect"),
    ]  # fmt: skip
