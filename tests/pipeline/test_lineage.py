"""From a label or a score to model, weights, parameters, seed, code, file and line, in one query."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from stepmark.pipeline import train
from stepmark.pipeline.examples import make_prm_examples
from stepmark.pipeline.ingest import ingest_path, rate_by_oracle
from stepmark.pipeline.label_files import ingest_labels
from stepmark.pipeline.profile import Profile, RewardModelSettings
from stepmark.pipeline.train import train_reward_model
from stepmark.store.store import Store
from tests.small_pipeline import SmallPipeline

pytestmark = pytest.mark.slow

CODE = version("stepmark")
MATH = {
    "problem": "What is $1 + 1$?",
    "solution": "It is $\\boxed{2}$.",
    "level": "Level 1",
    "type": "Algebra",
}
BENCH = {"id": "g-0", "generator": "qwen", "problem": MATH["problem"], "steps": ["a", "b"],
         "final_answer_correct": False, "label": 1}  # fmt: skip
PRM800K = {
    "labeler": "anna", "timestamp": "2022-07-30T23:23:32", "generation": None,
    "is_quality_control_question": False, "is_initial_screening_question": False,
    "question": {"problem": MATH["problem"], "ground_truth_answer": "2"},
    "label": {
        "steps": [
            {"completions": [{"text": "1 + 1 = 2", "rating": 1, "flagged": None},
                             {"text": "1 + 1 = 3", "rating": -1, "flagged": None}],
             "human_completion": None, "chosen_completion": 0}
        ],
        "total_time": 5000, "finish_reason": "solution",
    },
}  # fmt: skip


@pytest.fixture
def labeled(graded: SmallPipeline) -> Store:
    """A store with sampled solutions, and labels by rollouts and by the oracle."""
    graded.sample_rollouts()
    graded.label_from_rollouts()
    rate_by_oracle(graded.store)
    return graded.store


def _rows(store: Store, sql: str) -> list[dict[str, Any]]:
    return store.read(sql).to_dicts()


def test_a_monte_carlo_label_leads_to_all_that_made_it(labeled: Store, small: SmallPipeline) -> None:
    """Completer and generator with weights, parameters, seed and code; estimator; the problem's seed."""
    rows = _rows(labeled, "FROM label_lineage WHERE label_source = 'monte_carlo'")
    profile = small.profile

    assert rows
    for row in rows:
        assert json.loads(row["estimator"])["name"] == "exhaustive"
        assert row["code_version"] == CODE
        for sampler in ("completer", "generator"):
            assert row[f"{sampler}_id"] == small.generator_id
            assert row[f"{sampler}_model"] == "fake"
            assert row[f"{sampler}_sha256"] == "0" * 64
            assert json.loads(row[f"{sampler}_sampling"])["max_tokens"] == 10
            assert row[f"{sampler}_seed"] == profile.generator.seed
            assert row[f"{sampler}_engine"].startswith("in_process, vllm")
            assert row[f"{sampler}_code_version"] == CODE
        assert json.loads(row["problem_generator"])["name"] == "minimath"
        assert json.loads(row["problem_generator"])["seed"] == profile.problems.minimath_seed
        assert json.loads(row["problem_generator"])["family"]
        assert (row["source_file"], row["source_line"], row["problem_file"]) == (None, None, None)


def test_an_oracle_label_knows_its_code_and_rests_on_no_completer(labeled: Store) -> None:
    """Its solution's generator is there all the same."""
    rows = _rows(
        labeled,
        "SELECT DISTINCT code_version, completer_id, estimator, generator_model FROM label_lineage "
        "WHERE label_source = 'oracle'",
    )

    assert rows == [
        {"code_version": CODE, "completer_id": None, "estimator": None, "generator_model": "fake"}
    ]


def test_an_imported_label_leads_to_its_line_and_its_problems_line(store: Store, tmp_path: Path) -> None:
    """The label file's line, the model it names, and the problem file's line; blank lines count."""
    problems, labels = tmp_path / "math.jsonl", tmp_path / "bench.jsonl"
    problems.write_text("\n" + json.dumps(MATH) + "\n")
    labels.write_text("\n\n" + json.dumps(BENCH) + "\n")
    ingest_path(store, problems, "math", "train")
    ingest_labels(store, labels, "processbench", "train")
    columns = """source_file, source_line, code_version, solution_source, solution_file, solution_line,
        generator_model, problem_source, problem_file, problem_line, problem_generator"""

    assert store.read(f"SELECT DISTINCT {columns} FROM label_lineage").rows() == [
        (str(labels), 3, CODE, "processbench", str(labels), 3, "qwen", "math", str(problems), 2, None)
    ]


def test_a_problem_that_a_label_file_brought_gets_the_origin_of_its_own_file(
    store: Store, tmp_path: Path
) -> None:
    """The label file's line until a file of problems knows better, and then that one's."""
    problems, labels = tmp_path / "math.jsonl", tmp_path / "bench.jsonl"
    problems.write_text(json.dumps(MATH) + "\n")
    labels.write_text("\n" + json.dumps(BENCH) + "\n")
    origin = "SELECT source, source_file, source_line FROM problems"
    ingest_labels(store, labels, "processbench", "train")
    before = store.read(origin).row(0)
    ingest_path(store, problems, "math", "train")

    assert before == ("processbench", str(labels), 2)
    assert store.read(origin).row(0) == ("math", str(problems), 1)


def test_a_rated_alternative_leads_to_the_line_that_rated_it(store: Store, tmp_path: Path) -> None:
    """Path and alternative are two solutions; both labels name file and line."""
    file = tmp_path / "ratings.jsonl"
    file.write_text("\n" + json.dumps(PRM800K) + "\n")
    ingest_labels(store, file, "prm800k", "train")
    columns = "solution_source, rating, source_file, source_line, solution_file, solution_line, code_version"

    assert store.read(f"SELECT {columns} FROM label_lineage ORDER BY rating").rows() == [
        ("alternative", -1, str(file), 2, str(file), 2, CODE),
        ("prm800k", 1, str(file), 2, str(file), 2, CODE),
    ]


def test_a_score_leads_to_weights_settings_and_labels(
    labeled: Store, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reward model's row is the trainer's own; training itself is left out here."""
    monkeypatch.setattr(train, "source_sha256", lambda model: "b" * 64)
    monkeypatch.setattr(train, "_fit", lambda *given: {"checkpoint_sha256": "c" * 64, "metrics": "{}"})
    model = RewardModelSettings(name="prm", kind="prm", label_sources=("oracle",))
    reward = profile.reward.model_copy(update={"models": (model,)})
    make_prm_examples(labeled, reward, soft_targets=False)
    key = train_reward_model(labeled, reward, model)["reward_model_id"]
    with labeled.transaction() as con:
        con.execute("INSERT INTO scores SELECT ?, solution_id, step_index, 0.1, 0.1, 0.8 FROM steps", [key])
    (row,) = _rows(
        labeled,
        """SELECT DISTINCT kind, base_model, base_sha256, checkpoint, checkpoint_sha256, config,
            label_sources, code_version, generator_sha256, generator_seed FROM score_lineage""",
    )

    assert json.loads(row.pop("config"))["seed"] == profile.reward.seed
    assert row == {
        "kind": "prm", "base_model": "fake", "base_sha256": "b" * 64, "checkpoint": f"reward_models/{key}",
        "checkpoint_sha256": "c" * 64, "label_sources": ["oracle"], "code_version": CODE,
        "generator_sha256": "0" * 64, "generator_seed": profile.generator.seed,
    }  # fmt: skip
