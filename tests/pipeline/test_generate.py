"""Sampling, splitting, grading and labeling, on an engine without a model."""

from collections.abc import Callable
from typing import Any

import pytest

from stepmark.pipeline.generate import sample_solutions
from stepmark.pipeline.grade import grade_solutions
from stepmark.pipeline.ingest import ingest_problems, rate_by_oracle
from stepmark.pipeline.monte_carlo import label_from_rollouts
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.rollouts import sample_rollouts
from stepmark.store.store import Store

Counts = Callable[[str], int]


def test_every_problem_gets_the_samples_its_split_asks_for(sampled: Store) -> None:
    """Four train problems with two samples, three test problems with three."""
    rows = sampled.read(
        """SELECT split, count(*) AS n, count(DISTINCT problem_id) AS problems
        FROM solutions JOIN problems USING (problem_id) GROUP BY split ORDER BY split"""
    )

    assert rows.rows() == [("test", 9, 3), ("train", 8, 4)]


def test_a_second_run_samples_nothing(sampled: Store, profile: Profile, engine: Any) -> None:
    """What is stored is not sampled again; the engine is not even started."""
    num_starts = len(engine.seeds)

    assert sample_solutions(sampled, profile) == 0
    assert len(engine.seeds) == num_starts


def test_a_crash_loses_the_batch_in_flight_only(
    store: Store, profile: Profile, engine: Any, counts: Counts
) -> None:
    """The next run samples the rest, with the engine's seed moved on."""
    ingest_problems(store, profile.problems)
    engine.fail_at_call = 3
    with pytest.raises(RuntimeError, match="the engine died"):
        sample_solutions(store, profile)
    num_kept = counts("solutions")
    engine.fail_at_call = None
    num_new = sample_solutions(store, profile)

    assert num_kept == sum(engine.calls[:2]) > 0
    assert num_kept + num_new == counts("solutions") == 17
    assert engine.seeds == [0, num_kept]


def test_more_samples_extend_what_is_there(sampled: Store, profile: Profile, engine: Any) -> None:
    """Indexes go on where they ended."""
    generation = profile.generation.model_copy(update={"num_train_samples": 5})
    num_new = sample_solutions(sampled, profile.model_copy(update={"generation": generation}))
    indexes = sampled.read(
        """SELECT list(sample_index ORDER BY sample_index) AS i
        FROM solutions JOIN problems USING (problem_id)
        WHERE split = 'train' GROUP BY problem_id"""
    )

    assert num_new == 12
    assert indexes["i"].to_list() == [[0, 1, 2, 3, 4]] * 4


def test_answers_are_graded_and_verdicts_cached(sampled: Store, counts: Counts) -> None:
    """Every second sample is wrong; a pair of answers is judged once."""
    outcomes = dict(sampled.read("SELECT outcome, count(*) FROM solutions GROUP BY outcome").iter_rows())

    assert outcomes == {"correct": 10, "incorrect": 7}
    assert counts("answer_verdicts") <= 14
    assert grade_solutions(sampled) == 0


def test_rollouts_are_shared_by_equal_prefixes(
    sampled: Store, profile: Profile, engine: Any, counts: Counts
) -> None:
    """Both solutions of a problem share all prefixes here; each is rolled out once."""
    num_new = sample_rollouts(sampled, profile)
    num_prefixes = sampled.read("SELECT count(DISTINCT prefix_id) FROM rollouts").item()

    assert num_new == counts("rollouts") == 2 * num_prefixes
    assert sample_rollouts(sampled, profile) == 0


def test_monte_carlo_labels_hold_the_counts(sampled: Store, profile: Profile) -> None:
    """One of two rollouts is right at every step; the last step is the solution's own outcome."""
    sample_rollouts(sampled, profile)
    num_labels = label_from_rollouts(sampled, profile)
    again = label_from_rollouts(sampled, profile)
    rows = sampled.read(
        """SELECT num_rollouts, num_correct, value, count(*) AS n FROM step_labels
        GROUP BY ALL ORDER BY num_rollouts, num_correct"""
    )

    assert num_labels == again
    assert [row[:3] for row in rows.rows()] == [(1, 0, 0.0), (1, 1, 1.0), (2, 1, 0.5)]


def test_the_oracle_rates_every_step_once(sampled: Store, counts: Counts) -> None:
    """A wrong answer is a wrong last step."""
    num_rated = rate_by_oracle(sampled)
    wrong = sampled.read("SELECT count(*) FROM step_labels WHERE rating = -1").item()

    assert num_rated == counts("steps")
    assert wrong == 7
    assert rate_by_oracle(sampled) == 0
