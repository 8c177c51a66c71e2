"""Length bias from planted scores: which figures are stored, and of which solutions."""

import pytest

from stepmark.pipeline.length_bias import measure_length_bias
from stepmark.pipeline.profile import Profile, Reward, RewardModelSettings
from stepmark.store.store import Store

# Three test solutions of one problem, of 1, 2 and 3 steps; the longest is wrong. One of training, unread.
_ROWS = """
    INSERT INTO problems (problem_id, source, split, problem, ground_truth_answer)
        VALUES ('p', 'math', 'test', 'a', '1'), ('t', 'math', 'train', 'b', '1');
    INSERT INTO solutions (solution_id, problem_id, source, generator_id, sample_index, solution, outcome)
        VALUES ('s1', 'p', 'sampled', 'g', 0, 'x', 'correct'), ('s2', 'p', 'sampled', 'g', 1, 'x', 'correct'),
            ('s3', 'p', 'sampled', 'g', 2, 'x', 'incorrect'), ('t1', 't', 'sampled', 'g', 0, 'x', 'correct');
    INSERT INTO scores VALUES
        ('prm-1', 's1', 0, 0.1, 0, 0.9),
        ('prm-1', 's2', 0, 0.1, 0, 0.9), ('prm-1', 's2', 1, 0.1, 0, 0.9),
        ('prm-1', 's3', 0, 0.1, 0, 0.9), ('prm-1', 's3', 1, 0.1, 0, 0.9), ('prm-1', 's3', 2, 0.1, 0, 0.9),
        ('prm-1', 't1', 0, 0.1, 0, 0.9);
"""


@pytest.fixture
def reward(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> Reward:
    """One PRM, which counts as trained."""
    from stepmark.pipeline import length_bias

    monkeypatch.setattr(length_bias, "current_models", lambda store, reward: {"prm": "prm-1"})
    model = RewardModelSettings(name="prm", kind="prm", label_sources=("oracle",))
    return profile.reward.model_copy(update={"models": (model,)})


def test_products_of_equal_steps_fall_with_length_and_their_means_do_not(
    store: Store, reward: Reward
) -> None:
    """Beside them stands how far being right itself follows the number of steps."""
    with store.transaction() as con:
        con.execute(_ROWS)
    num_figures = measure_length_bias(store, reward)
    found = dict(
        store.read("SELECT selector, value FROM evaluations WHERE metric = 'length_bias'").iter_rows()
    )

    assert num_figures == 5
    assert found.keys() == {"prm", "prm_min", "prm_mean", "prm_last", "outcome"}
    assert found["prm"] == pytest.approx(-1.0)
    assert found["prm_mean"] is None  # a constant has no rank correlation
    assert found["outcome"] == pytest.approx(-0.866, abs=1e-3)


def test_without_scores_nothing_is_measured(store: Store, reward: Reward) -> None:
    """No figure, and no error."""
    assert measure_length_bias(store, reward) == 0
