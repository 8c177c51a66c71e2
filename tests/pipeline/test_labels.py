"""From solutions to Monte-Carlo labels by search, on an engine without a model."""

import json
from typing import Any

import polars as pl
import pytest

from stepmark.pipeline.chosen_solutions import ChosenSolution, chosen_windows
from stepmark.pipeline.grade import grade_rollouts
from tests.small_pipeline import SmallPipeline

pytestmark = pytest.mark.slow

_LABELS = "FROM step_labels ORDER BY solution_id, step_index"


@pytest.fixture
def labeled(graded: SmallPipeline) -> SmallPipeline:
    """Solutions that were searched, and labeled."""
    rollouts = graded.profile.rollouts.model_copy(update={"estimator": "adaptive"})
    searching = graded.with_profile(rollouts=rollouts)
    searching.sample_rollouts()
    searching.label_from_rollouts()
    return searching


def _windows(small: SmallPipeline) -> list[list[ChosenSolution]]:
    return chosen_windows(small.store, small.profile.rollouts, small.generator_id, small.completer_id)


def test_every_step_of_a_searched_solution_has_a_label(labeled: SmallPipeline) -> None:
    """Steps that were not rolled out are inferred, and say that they were not."""
    labels = labeled.read(_LABELS)
    steps = labeled.read("FROM steps WHERE solution_id IN (SELECT solution_id FROM step_labels) ORDER BY ALL")

    assert labels.height == steps.height > 0
    assert labels["p_wrong_low"].null_count() == 0
    assert 0 in labels["num_rollouts"].to_list()
    assert (labels["p_wrong_low"] == labels["p_wrong_high"]).all()


def test_a_label_says_what_it_rests_on(labeled: SmallPipeline) -> None:
    """Completer, estimator and its parameters stand beside the counts, which SQL finds again."""
    label = labeled.read(_LABELS).row(0, named=True)
    recounted = labeled.read(
        """SELECT solution_id, step_index, count(*) AS n, count_if(outcome = 'correct') AS k
        FROM step_prefixes JOIN rollouts USING (prefix_id) GROUP BY ALL"""
    )
    stored = labeled.read("FROM step_labels").join(recounted, on=["solution_id", "step_index"])

    assert label["completer_id"] == labeled.completer_id
    assert json.loads(label["estimator"])["name"] == "adaptive"
    assert json.loads(label["estimator"])["max_rollouts"] == labeled.profile.rollouts.max_rollouts
    assert stored.height > 0
    assert stored["num_rollouts"].equals(stored["n"].cast(pl.Int32).rename("num_rollouts"))
    assert stored["num_correct"].equals(stored["k"].cast(pl.Int32).rename("num_correct"))


def test_right_solutions_need_no_rollouts(labeled: SmallPipeline) -> None:
    """Their own outcome says enough; what wrong solutions that start alike had sampled is theirs as well."""
    labels = labeled.read(
        """SELECT DISTINCT prefix_id, outcome, p_wrong_high FROM step_labels
        JOIN step_prefixes USING (solution_id, step_index) JOIN solutions USING (solution_id)"""
    )
    right = labels.filter(outcome="correct")
    sampled = labeled.read("SELECT DISTINCT prefix_id FROM rollouts")
    of_wrong = labels.filter(pl.col("outcome") != "correct")

    assert right.height > 0
    assert right["p_wrong_high"].max() < 0.5  # type: ignore[operator]
    assert sampled.join(of_wrong, on="prefix_id", how="anti").is_empty()


def test_a_second_run_asks_for_nothing(labeled: SmallPipeline, engine: Any) -> None:
    """The search is over; the engine is not started, and the labels come out the same."""
    num_starts, labels = len(engine.seeds), labeled.read(_LABELS)

    assert labeled.sample_rollouts() == 0
    assert len(engine.seeds) == num_starts
    labeled.label_from_rollouts()
    assert labeled.read(_LABELS).equals(labels)


def test_siblings_leave_the_solution_itself_out(labeled: SmallPipeline) -> None:
    """Two samples a problem: each has one sibling, counted once, at the last prefix the two share."""
    (window,) = _windows(labeled)

    for chosen in window:
        (other,) = [
            row.solution
            for row in (one.solution for one in window)
            if row.problem_id == chosen.solution.problem_id and row is not chosen.solution
        ]
        shared = sum(other.startswith(prefix.prefix) for prefix in chosen.prefixes)
        decided = [number for number, _ in chosen.to_label.siblings]
        assert decided == [int(place == shared) for place in range(len(chosen.to_label.siblings))]


def test_a_teacher_is_heard_where_it_has_scored(labeled: SmallPipeline) -> None:
    """The newest PRM of the name; without one the search goes on untaught."""
    rollouts = labeled.profile.rollouts.model_copy(update={"teacher": "prm_old"})
    taught = labeled.with_profile(rollouts=rollouts)
    (before,) = _windows(taught)
    scored = before[0].solution
    with labeled.store.transaction() as con:
        con.execute(
            """INSERT INTO reward_models (reward_model_id, kind, round, base_model, label_sources, config,
            checkpoint, checkpoint_sha256, metrics, created_at) VALUES
            ('prm_old-1', 'prm', 0, 'b', [], '{}', 'a', 'x', '{}', '2026-01-01'),
            ('prm_old-2', 'prm', 0, 'b', [], '{}', 'a', 'x', '{}', '2026-02-01')"""
        )
        for index in range(len(scored.steps)):
            p_wrong = 0.8 if index == 1 else 0.1
            con.execute(
                "INSERT INTO scores VALUES ('prm_old-2', ?, ?, ?, 0, ?)",
                [scored.solution_id, index, p_wrong, 1 - p_wrong],
            )
    (after,) = _windows(taught)
    odds = {chosen.to_label.solution_id: chosen.to_label.error_odds for chosen in after}

    assert before[0].to_label.error_odds == ()
    assert max(odds[scored.solution_id]) == odds[scored.solution_id][1]
    assert [key for key, value in odds.items() if value] == [scored.solution_id]


def test_rollouts_of_another_grader_are_graded_again(labeled: SmallPipeline) -> None:
    """Outcomes are of the present grader, or they are made anew from the stored texts."""
    prefixes = labeled.read(
        """SELECT DISTINCT prefix_id, solution[:char_end] AS prefix, ground_truth_answer FROM step_prefixes
        JOIN steps USING (solution_id, step_index) JOIN solutions USING (solution_id)
        JOIN problems USING (problem_id)"""
    )
    before = labeled.read("FROM rollouts ORDER BY prefix_id, rollout_index")
    with labeled.store.transaction() as con:
        con.execute("UPDATE rollouts SET outcome = 'incorrect', grader_version = 'old'")

    assert grade_rollouts(labeled.store, prefixes) == before.height > 0
    assert labeled.read("FROM rollouts ORDER BY prefix_id, rollout_index").equals(before)


def test_another_completer_leaves_the_labels_of_other_solutions_alone(labeled: SmallPipeline) -> None:
    """A generator of another temperature writes new solutions; those of the older one keep their labels."""
    older = labeled.read(_LABELS)
    hotter = labeled.profile.generator.model_copy(update={"temperature": 1.5})
    newer = labeled.with_profile(generator=hotter).make_graded_solutions()
    newer.sample_rollouts()
    newer.label_from_rollouts()
    labels = labeled.read(_LABELS)
    kept = labels.filter(completer_id=labeled.completer_id)

    assert newer.completer_id != labeled.completer_id
    assert kept.equals(older)
    assert labels.filter(completer_id=newer.completer_id).height == older.height
    assert labels.height == 2 * older.height


def test_a_completer_of_its_own_labels_the_generators_solutions(labeled: SmallPipeline) -> None:
    """The same solutions are rolled out by another model: theirs are the labels, all rollouts stay."""
    before = labeled.read(_LABELS)
    num_rollouts = labeled.read("SELECT count(*) FROM rollouts").item()
    completer = labeled.profile.generator.model_copy(update={"name": "stronger"})
    other = labeled.with_profile(completer=completer)
    num_new = other.sample_rollouts()
    other.label_from_rollouts()
    after = labeled.read(_LABELS)

    assert (other.generator_id, other.generator_id != other.completer_id) == (labeled.generator_id, True)
    assert after.select("solution_id", "step_index").equals(before.select("solution_id", "step_index"))
    assert after["completer_id"].unique().to_list() == [other.completer_id]
    assert num_new > 0
    assert labeled.read("SELECT count(*) FROM rollouts").item() == num_rollouts + num_new
    assert other.sample_rollouts() == 0
