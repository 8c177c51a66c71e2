"""Sampling, splitting, grading and labeling, on an engine without a model."""

from collections.abc import Callable
from typing import Any

import pytest

from stepmark.pipeline.grade import grade_solutions
from stepmark.pipeline.ingest import ingest_problems, rate_by_oracle
from tests.small_pipeline import SmallPipeline

Counts = Callable[[str], int]


@pytest.fixture
def sampled(graded: SmallPipeline) -> SmallPipeline:
    """Solutions that are sampled, split and graded."""
    return graded


def test_every_problem_gets_the_samples_its_split_asks_for(sampled: SmallPipeline) -> None:
    """Four train problems with two samples, three test problems with three."""
    rows = sampled.read(
        """SELECT split, count(*) AS n, count(DISTINCT problem_id) AS problems
        FROM solutions JOIN problems USING (problem_id) GROUP BY split ORDER BY split"""
    )

    assert rows.rows() == [("test", 9, 3), ("train", 8, 4)]


def test_a_second_run_samples_nothing(sampled: SmallPipeline, engine: Any) -> None:
    """What is stored is not sampled again; the engine is not even started."""
    num_starts = len(engine.seeds)

    assert sampled.sample_solutions() == 0
    assert len(engine.seeds) == num_starts


def test_a_crash_loses_the_batch_in_flight_only(small: SmallPipeline, engine: Any, counts: Counts) -> None:
    """The next run samples the rest, with the engine's seed moved on."""
    ingest_problems(small.store, small.profile.problems)
    engine.fail_at_call = 3
    with pytest.raises(RuntimeError, match="the engine died"):
        small.sample_solutions()
    num_kept = counts("solutions")
    engine.fail_at_call = None
    num_new = small.sample_solutions()

    assert num_kept == sum(engine.calls[:2]) > 0
    assert num_kept + num_new == counts("solutions") == 17
    assert engine.seeds == [0, num_kept]


def test_more_samples_extend_what_is_there(sampled: SmallPipeline, engine: Any) -> None:
    """Indexes go on where they ended."""
    generation = sampled.profile.generation.model_copy(update={"num_train_samples": 5})
    num_new = sampled.with_profile(generation=generation).sample_solutions()
    indexes = sampled.read(
        """SELECT list(sample_index ORDER BY sample_index) AS i
        FROM solutions JOIN problems USING (problem_id)
        WHERE split = 'train' GROUP BY problem_id"""
    )

    assert num_new == 12
    assert indexes["i"].to_list() == [[0, 1, 2, 3, 4]] * 4


def test_answers_are_graded_and_verdicts_cached(sampled: SmallPipeline, counts: Counts) -> None:
    """Every second sample is wrong; a pair of answers is judged once."""
    outcomes = dict(sampled.read("SELECT outcome, count(*) FROM solutions GROUP BY outcome").iter_rows())

    assert outcomes == {"correct": 10, "incorrect": 7}
    assert counts("answer_verdicts") <= 14
    assert grade_solutions(sampled.store) == 0


def test_rollouts_are_shared_by_equal_prefixes(sampled: SmallPipeline, counts: Counts) -> None:
    """Both solutions of a problem share all prefixes here; each is rolled out once."""
    num_new = sampled.sample_rollouts()
    num_prefixes = sampled.read("SELECT count(DISTINCT prefix_id) FROM rollouts").item()

    assert num_new == counts("rollouts") == 2 * num_prefixes
    assert sampled.sample_rollouts() == 0


def test_monte_carlo_labels_hold_the_counts(sampled: SmallPipeline) -> None:
    """One of two rollouts is right at every step; the last step is the solution's own outcome."""
    sampled.sample_rollouts()
    num_labels = sampled.label_from_rollouts()
    again = sampled.label_from_rollouts()
    rows = sampled.read(
        """SELECT num_rollouts, num_correct, value, count(*) AS n FROM step_labels
        GROUP BY ALL ORDER BY num_rollouts, num_correct"""
    )

    assert num_labels == again
    assert [row[:3] for row in rows.rows()] == [(1, 0, 0.0), (1, 1, 1.0), (2, 1, 0.5)]


def test_the_oracle_rates_every_step_once(sampled: SmallPipeline, counts: Counts) -> None:
    """A wrong answer is a wrong last step."""
    num_rated = rate_by_oracle(sampled.store)
    wrong = sampled.read("SELECT count(*) FROM step_labels WHERE rating = -1").item()

    assert num_rated == counts("steps")
    assert wrong == 7
    assert rate_by_oracle(sampled.store) == 0
