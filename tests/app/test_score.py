"""``stepmark score``: what a line gets from a PRM, from an ORM, and where the model cannot read it whole."""

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from stepmark.app.score import score_command
from stepmark.labeling.errors import InputError
from stepmark.models.reward.checkpoint import new_reward_model, save_reward_model
from stepmark.models.reward.network import HeadConfig
from stepmark.models.tiny.shipped import resolve_model
from stepmark.store.store import Store

SHORT = {"problem": "Compute $1 + 2$.", "steps": ["First: $1 + 2 = 3$.", "So: $3$."], "id": 7}
LONG = {"problem": "Compute $1 + 2$.", "steps": ["First: $1 + 2 = 3$."] * 40}


def scored(tmp_path: Path, kind: str, *rows: dict[str, object]) -> tuple[list[dict[str, object]], str]:
    """The lines that a fresh model of this kind gives back, and what is said on stderr."""
    model = new_reward_model(resolve_model("tiny:base"), "{problem}\n", 96, HeadConfig(8), 0, kind)
    save_reward_model(model, tmp_path / "model")
    file = tmp_path / "solutions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = CliRunner().invoke(score_command, [str(tmp_path / "model"), str(file)], catch_exceptions=False)
    return [json.loads(line) for line in result.stdout.splitlines()], result.stderr


def test_a_prm_scores_every_step_and_the_solution_by_their_product(tmp_path: Path) -> None:
    """The line comes back whole with one entry a step; probabilities sum to 1."""
    [line], said = scored(tmp_path, "prm", SHORT)
    assert {key: line[key] for key in SHORT} == SHORT
    assert [math.isclose(sum(step.values()), 1, abs_tol=1e-5) for step in line["probabilities"]] == [True] * 2
    assert math.isclose(line["score"], math.prod(line["step_scores"]))
    assert said == ""


def test_an_orm_scores_the_last_step_alone(tmp_path: Path) -> None:
    """What an ORM was not trained to judge is null, and is no factor of its score."""
    [line], _ = scored(tmp_path, "orm", SHORT)
    assert line["probabilities"][0] is line["step_scores"][0] is None
    assert math.isclose(line["score"], line["step_scores"][1])


def test_a_solution_longer_than_the_model_reads_does_not_cost_the_others_theirs(tmp_path: Path) -> None:
    """It comes back with nulls, and its line is told."""
    lines, said = scored(tmp_path, "prm", SHORT, LONG, SHORT)
    assert [line["score"] is None for line in lines] == [False, True, False]
    assert lines[0] == lines[2]
    assert "1 of 3 solutions are longer than the 96 tokens" in said
    assert "line 2." in said


def test_an_unknown_model_is_answered_with_those_that_can_be_named(tmp_path: Path) -> None:
    """The home is the one that was given."""
    file = tmp_path / "solutions.jsonl"
    file.write_text(json.dumps(SHORT) + "\n")
    with pytest.raises(InputError, match=r"no reward model 'prm' is in .*home \(there: none yet\)"):
        CliRunner().invoke(
            score_command, ["prm", str(file), "--home", str(tmp_path / "home")], catch_exceptions=False
        )


def test_a_stored_model_with_the_head_of_another_is_refused(tmp_path: Path) -> None:
    """Both heads fit; what training wrote scores, and the sentence names the folder and the way out."""
    home, file = tmp_path / "home", tmp_path / "solutions.jsonl"
    file.write_text(json.dumps(SHORT) + "\n")
    folder, other = home / "reward_models" / "prm-1", tmp_path / "other"
    sha256 = [
        save_reward_model(
            new_reward_model(resolve_model("tiny:base"), "{problem}\n", 96, HeadConfig(8), seed), out
        )
        for seed, out in enumerate((folder, other))
    ]
    with Store(home).transaction() as con:
        con.execute(
            "INSERT INTO reward_models VALUES ('prm-1', 'prm', 0, 'tiny:base', ['oracle'], '{}',"
            " 'reward_models/prm-1', ?, '{}', '2026-01-01', NULL, NULL)",
            sha256[:1],
        )
    given = ["prm", str(file), "--home", str(home)]
    assert CliRunner().invoke(score_command, given, catch_exceptions=False).exit_code == 0
    (other / "head.safetensors").replace(folder / "head.safetensors")
    with pytest.raises(InputError) as refused:
        CliRunner().invoke(score_command, given, catch_exceptions=False)

    assert str(refused.value) == (
        f"{folder}: its files are not those that training wrote;"
        " train the model again, or copy its folder anew."
    )
