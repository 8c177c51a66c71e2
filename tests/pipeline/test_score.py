"""What the reward models read: test solutions, and where a PRM teaches also labeled ones. No network."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stepmark.models.reward import checkpoint, scoring
from stepmark.pipeline import score
from stepmark.pipeline.profile import Profile, Reward, RewardModelSettings
from stepmark.pipeline.score import score_with_models
from stepmark.store.auditing import run_audit
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

FILLED = """
INSERT INTO problems (problem_id, source, split, problem, ground_truth_answer) VALUES
    ('p1', 'math', 'train', 'a', '2'), ('p2', 'math', 'test', 'b', '4');
INSERT INTO solutions (solution_id, problem_id, source, generator_id, sample_index, solution) VALUES
    ('labeled', 'p1', 'sampled', 'g', 0, 'xy'), ('unlabeled', 'p1', 'sampled', 'g', 1, 'xy'),
    ('rated', 'p1', 'sampled', 'g', 2, 'xy'), ('imported', 'p1', 'stepmark', NULL, NULL, 'xy'),
    ('test', 'p2', 'sampled', 'g', 0, 'xy');
INSERT INTO steps SELECT solution_id, i, i, i + 1, 'x' FROM solutions, range(2) AS r(i);
INSERT INTO step_labels (solution_id, step_index, label_source, value) VALUES
    ('labeled', 0, 'monte_carlo', 0.5), ('imported', 0, 'monte_carlo', 0.5), ('rated', 0, 'oracle', 1);
INSERT INTO reward_models
    (reward_model_id, kind, round, base_model, label_sources, config, checkpoint, checkpoint_sha256, metrics,
    created_at)
    VALUES
    ('prm-1', 'prm', 0, 'tiny', ['oracle'], '{}', 'models/prm', 'abc', '{}', '2026-01-01'),
    ('orm-1', 'orm', 0, 'tiny', [], '{}', 'models/orm', 'abc', '{}', '2026-01-01');
"""


@pytest.fixture
def read_texts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Models that find every step right; how many solutions were read at a time is kept in the list."""
    sizes: list[int] = []

    def score_all(
        network: Any, encoder: Any, solutions: list[Any], progress: Callable[[int], None], **rest: Any
    ) -> list[Any]:
        sizes.append(len(solutions))
        progress(len(solutions))
        return [[scoring.StepProbabilities(0.1, 0.1, 0.8) for _ in row.steps] for row in solutions]

    def load(path: Path, trained_sha256: str) -> Any:
        assert trained_sha256 == "abc"
        return SimpleNamespace(network=SimpleNamespace(num_backbone_bytes=4), encoder=None)

    monkeypatch.setattr(checkpoint, "load_reward_model", load)
    monkeypatch.setattr(scoring, "score_solutions", score_all)
    monkeypatch.setattr(score, "current_models", lambda store, reward: {"prm": "prm-1", "orm": "orm-1"})
    return sizes


@pytest.fixture
def filled(store: Store) -> Store:
    """One solution of every kind, two steps each."""
    with store.transaction() as con:
        con.execute(FILLED)
    return store


@pytest.fixture
def judged(profile: Profile) -> Reward:
    """The small profile's part with one PRM and one ORM."""
    models = (
        RewardModelSettings(name="prm", kind="prm", label_sources=("oracle",)),
        RewardModelSettings(name="orm", kind="orm"),
    )
    return profile.reward.model_copy(update={"models": models})


@pytest.mark.usefixtures("read_texts")
def test_a_prm_also_reads_the_sampled_solutions_with_monte_carlo_labels(
    filled: Store, judged: Reward
) -> None:
    """So that it has an opinion on them; the ORM, which has none on steps, reads test solutions only."""
    score_with_models(filled, judged)
    rows = filled.read(
        "SELECT reward_model_id, solution_id, count(*) AS n FROM scores GROUP BY ALL ORDER BY ALL"
    ).rows()

    assert rows == [("orm-1", "test", 1), ("prm-1", "labeled", 2), ("prm-1", "test", 2)]
    assert run_audit(filled, "missing_scores").is_empty()


def test_nothing_is_scored_twice(filled: Store, judged: Reward, read_texts: list[int]) -> None:
    """A second run reads nothing; a label more is one solution more."""
    score_with_models(filled, judged)
    num_second = score_with_models(filled, judged)
    with filled.transaction() as con:
        con.execute(
            "INSERT INTO step_labels (solution_id, step_index, label_source) "
            "VALUES ('unlabeled', 1, 'monte_carlo')"
        )
    num_third = score_with_models(filled, judged)

    assert (num_second, num_third) == (0, 1)
    assert read_texts == [2, 1, 1]


@pytest.mark.usefixtures("read_texts")
def test_a_teachers_opinion_stands_beside_the_labels(filled: Store, judged: Reward) -> None:
    """The scored solution has the PRM's first error: none, for it finds every step right."""
    score_with_models(filled, judged)
    rows = filled.read(
        "SELECT holder, first_error_index FROM first_error_opinions "
        "WHERE solution_id = 'labeled' AND kind = 'teacher'"
    ).rows()

    assert rows == [("prm-1", -1)]


def test_a_large_model_commits_often(
    filled: Store, judged: Reward, read_texts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill costs a minute of its work, not all of it: here a batch is one solution."""
    monkeypatch.setattr(score, "_BATCH_BYTES", 7)
    num_scored = score_with_models(filled, judged)

    assert num_scored > 1
    assert read_texts == [1] * num_scored
