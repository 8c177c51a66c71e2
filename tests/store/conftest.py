"""A real store in a temporary folder, empty or filled with a little of everything."""

import shutil
from pathlib import Path

import pytest

from stepmark.store.store import Store

# Two problems, three solutions of two steps, labeled, trained on, scored: consistent in every way.
_A_LITTLE_OF_EVERYTHING = r"""
INSERT INTO problems
    (problem_id, source, split, subject, level, problem, ground_truth_solution, ground_truth_answer)
    VALUES
    ('p1', 'math', 'train', 'Algebra', 1, 'What is $1+1$?', NULL, '2'),
    ('p2', 'math', 'test', NULL, NULL, 'What is $2+2$?', NULL, '4');
INSERT INTO samplers VALUES
    ('g', 'tiny', 'abc', '{"temperature": 1}', 'fake', 1, '0.1.0', '2026-01-01'),
    ('c', 'tiny', 'abc', '{"temperature": 1}', 'fake', 2, '0.1.0', '2026-01-01');
INSERT INTO solutions
    (solution_id, problem_id, source, round, generator_id, sampling, sample_index, solution, finish_reason,
    num_tokens, sum_logprob, min_logprob, final_answer, outcome, grader_version)
    VALUES
    ('s1', 'p1', 'sampled', 0, 'g', '{}', 0, E'1+1\n= 2', 'stop', 5, -1.5, -0.9, '2', 'correct', 'v1'),
    ('s2', 'p1', 'sampled', 0, 'g', '{}', 1, E'1+1\n= 3', 'stop', 5, -2.5, -1.9, '3', 'incorrect', 'v1'),
    ('s3', 'p2', 'sampled', 0, 'g', '{}', 0, E'2+2\n= é', 'length', 5, -9.5, -4.0, NULL, 'truncated', 'v1');
INSERT INTO answer_verdicts VALUES ('2', '2', 'v1', 'equal'), ('2', '3', 'v1', 'different');
INSERT INTO grader_audits VALUES ('2', '3', 'v1', 'math-verify 0.9.0', 'different', 'different', true);
INSERT INTO steps VALUES
    ('s1', 0, 0, 4, '1+1'), ('s1', 1, 4, 7, '= 2'), ('s2', 0, 0, 4, '1+1'), ('s2', 1, 4, 7, '= 3'),
    ('s3', 0, 0, 4, '2+2'), ('s3', 1, 4, 7, '= é');
INSERT INTO human_labels
    (solution_id, step_index, alternative_index, labeler, completion, is_human_written, rating)
    VALUES ('s1', 0, 0, 'ann', '1+1', false, 1);
INSERT INTO rollouts
    (prefix_id, completer_id, rollout_index, completion, finish_reason, num_tokens, final_answer, outcome)
    VALUES
    ('x1', 'c', 0, '= 2', 'stop', 3, '2', 'correct'), ('x1', 'c', 1, '= ', 'length', 3, NULL, 'truncated');
INSERT INTO step_labels
    (solution_id, step_index, label_source, rating, value, num_rollouts, num_correct, num_truncated,
    value_low, value_high, cost_tokens)
    VALUES
    ('s1', 0, 'monte_carlo', NULL, 1.0, 2, 1, 1, 0.1, 1.0, 6),
    ('s1', 1, 'monte_carlo', 1, NULL, 2, 2, 0, 0.3, 1.0, 6),
    ('s2', 0, 'monte_carlo', NULL, 0.5, 2, 1, 0, 0.1, 0.9, 6),
    ('s2', 1, 'monte_carlo', NULL, 0.0, 2, 0, 0, 0.0, 0.7, 6),
    ('s1', 0, 'oracle', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('s1', 1, 'oracle', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO orm_examples VALUES ('s1', 'train', 'correct', 1.0), ('s2', 'train', 'incorrect', 0.0);
INSERT INTO prm_examples VALUES ('s1', 0, 'oracle', 'train', 0, 0, 1), ('s1', 1, 'oracle', 'train', 0, 0, 1);
INSERT INTO reward_models
    (reward_model_id, kind, round, base_model, label_sources, config, checkpoint, checkpoint_sha256, metrics,
    created_at)
    VALUES
    ('orm', 'orm', 0, 'tiny', [], '{}', 'models/orm', 'abc', '{}', '2026-01-01'),
    ('prm', 'prm', 0, 'tiny', ['oracle'], '{}', 'models/prm', 'abc', '{}', '2026-01-01');
INSERT INTO scores VALUES
    ('prm', 's3', 0, 0.1, 0.2, 0.7), ('prm', 's3', 1, 0.6, 0.2, 0.2), ('orm', 's3', 1, 0.6, 0.0, 0.4);
INSERT INTO evaluations VALUES ('prm', 'prm', 'best_of_n', 4, 'all', 0, 0.5, 0.4, 0.6, 200, true);
INSERT INTO labeling_queue VALUES (0, 's2', 'convincing_wrong', 0, 0.9, 'queued');
INSERT INTO rejects VALUES ('a.jsonl', 3, 'no problem', '{}');
"""


@pytest.fixture(scope="session")
def made_stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Homes ``empty`` and ``full``, made once and copied: making the tables takes longer than most tests."""
    folder = tmp_path_factory.mktemp("stores")
    Store(folder / "empty").read("SELECT 1")
    with Store(folder / "full").transaction() as con:
        con.execute(_A_LITTLE_OF_EVERYTHING)
    return folder


@pytest.fixture
def store(tmp_path: Path, made_stores: Path) -> Store:
    """An empty store."""
    return Store(shutil.copytree(made_stores / "empty", tmp_path / "home"))


@pytest.fixture
def full_store(tmp_path: Path, made_stores: Path) -> Store:
    """A store with a little of everything, consistent in every way."""
    return Store(shutil.copytree(made_stores / "full", tmp_path / "full-home"))
