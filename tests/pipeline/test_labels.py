"""From solutions to Monte-Carlo labels by search, on an engine without a model."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stepmark.pipeline.cases import chosen_windows
from stepmark.pipeline.grade import grade_rollouts
from stepmark.pipeline.monte_carlo import label_from_rollouts
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.rollouts import sample_rollouts
from stepmark.pipeline.sampling import identify
from stepmark.store.store import Store

from .conftest import small_profile, use_fake_engine

_LABELS = "FROM step_labels ORDER BY solution_id, step_index"


def searching(profile: Profile) -> Profile:
    """The profile with the adaptive estimator."""
    rollouts = profile.rollouts.model_copy(update={"estimator": "adaptive"})
    return profile.model_copy(update={"rollouts": rollouts})


@pytest.fixture
def adaptive(profile: Profile) -> Profile:
    """The small profile, searching."""
    return searching(profile)


@pytest.fixture(scope="module")
def labeled_home(tmp_path_factory: pytest.TempPathFactory, sampled_home: Path) -> Path:
    """A home whose solutions were searched, made once and copied."""
    folder = tmp_path_factory.mktemp("labeled")
    store, adaptive = Store(shutil.copytree(sampled_home, folder / "home")), searching(small_profile(folder))
    with pytest.MonkeyPatch.context() as patch:
        use_fake_engine(patch)
        sample_rollouts(store, adaptive)
        label_from_rollouts(store, adaptive)
    return store.home


@pytest.fixture
def labeled(store: Store, labeled_home: Path, engine: Any) -> Store:
    """A store whose solutions were searched."""
    shutil.copytree(labeled_home, store.home)
    return store


def test_every_step_of_a_searched_solution_has_a_label(labeled: Store) -> None:
    """Steps that were not rolled out are inferred, and say that they were not."""
    labels = labeled.read(_LABELS)
    steps = labeled.read("FROM steps WHERE solution_id IN (SELECT solution_id FROM step_labels) ORDER BY ALL")

    assert labels.height == steps.height > 0
    assert labels["p_wrong_low"].null_count() == 0
    assert 0 in labels["num_rollouts"].to_list()
    assert (labels["p_wrong_low"] == labels["p_wrong_high"]).all()


def test_a_label_says_what_it_rests_on(labeled: Store, adaptive: Profile) -> None:
    """Completer, estimator and its parameters stand beside the counts, which SQL finds again."""
    label = labeled.read(_LABELS).row(0, named=True)
    recounted = labeled.read(
        """SELECT solution_id, step_index, count(*) AS n, count_if(outcome = 'correct') AS k
        FROM step_prefixes JOIN rollouts USING (prefix_id) GROUP BY ALL"""
    )
    stored = labeled.read("FROM step_labels").join(recounted, on=["solution_id", "step_index"])

    assert label["completer_id"] == identify(adaptive.generator).sampler_id
    assert json.loads(label["estimator"])["name"] == "adaptive"
    assert json.loads(label["estimator"])["max_rollouts"] == adaptive.rollouts.max_rollouts
    assert stored.height > 0
    assert stored["num_rollouts"].equals(stored["n"].cast(pl.Int32).rename("num_rollouts"))
    assert stored["num_correct"].equals(stored["k"].cast(pl.Int32).rename("num_correct"))


def test_right_solutions_need_no_rollouts(labeled: Store) -> None:
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


def test_a_second_run_asks_for_nothing(labeled: Store, adaptive: Profile, engine: Any) -> None:
    """The search is over; the engine is not started, and the labels come out the same."""
    num_starts, labels = len(engine.seeds), labeled.read(_LABELS)

    assert sample_rollouts(labeled, adaptive) == 0
    assert len(engine.seeds) == num_starts
    label_from_rollouts(labeled, adaptive)
    assert labeled.read(_LABELS).equals(labels)


def test_siblings_leave_the_solution_itself_out(labeled: Store, adaptive: Profile) -> None:
    """Two samples a problem: each has one sibling, counted once, at the last prefix the two share."""
    (window,) = chosen_windows(labeled, adaptive, identify(adaptive.generator))

    for chosen in window:
        (other,) = [
            row.solution
            for row in (one.solution for one in window)
            if row.problem_id == chosen.solution.problem_id and row is not chosen.solution
        ]
        shared = sum(other.startswith(prefix.prefix) for prefix in chosen.prefixes)
        decided = [number for number, _ in chosen.case.siblings]
        assert decided == [int(place == shared) for place in range(len(chosen.case.siblings))]


def test_a_teacher_is_heard_where_it_has_scored(labeled: Store, adaptive: Profile) -> None:
    """The newest PRM of the name; without one the search goes on untaught."""
    rollouts = adaptive.rollouts.model_copy(update={"teacher": "prm_old"})
    taught = adaptive.model_copy(update={"rollouts": rollouts})
    generator = identify(adaptive.generator)
    (before,) = chosen_windows(labeled, taught, generator)
    scored = before[0].solution
    with labeled.transaction() as con:
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
    (after,) = chosen_windows(labeled, taught, generator)
    odds = {chosen.case.solution_id: chosen.case.error_odds for chosen in after}

    assert before[0].case.error_odds == ()
    assert max(odds[scored.solution_id]) == odds[scored.solution_id][1]
    assert [key for key, value in odds.items() if value] == [scored.solution_id]


def test_rollouts_of_another_grader_are_graded_again(labeled: Store) -> None:
    """Outcomes are of the present grader, or they are made anew from the stored texts."""
    prefixes = labeled.read(
        """SELECT DISTINCT prefix_id, solution[:char_end] AS prefix, ground_truth_answer FROM step_prefixes
        JOIN steps USING (solution_id, step_index) JOIN solutions USING (solution_id)
        JOIN problems USING (problem_id)"""
    )
    before = labeled.read("FROM rollouts ORDER BY prefix_id, rollout_index")
    with labeled.transaction() as con:
        con.execute("UPDATE rollouts SET outcome = 'incorrect', grader_version = 'old'")

    assert grade_rollouts(labeled, prefixes) == before.height > 0
    assert labeled.read("FROM rollouts ORDER BY prefix_id, rollout_index").equals(before)
