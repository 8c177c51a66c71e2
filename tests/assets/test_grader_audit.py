"""The audit of the grader: what math-verify is asked, what is stored, and what a person sees."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from stepmark.assets.resources import Pipeline
from stepmark.assets.solution_assets import grader_audit
from stepmark.labeling.grading import GRADER_VERSION, SecondGrader, auditor_name
from stepmark.pipeline.grader_audit import audit_grader, disagreements
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

# Two on which the graders agree, one on which they do not: math-verify reads 12_5 as 12.
VERDICTS = [("1/2", "0.5", "equal"), ("3", "4", "different"), ("12_5", "12", "different")]


def _give(store: Store, *verdicts: tuple[str, str, str], version: str = GRADER_VERSION) -> None:
    names = ["ground_truth_answer", "final_answer", "verdict"]
    frame = pl.DataFrame(verdicts, schema=names, orient="row")
    store.insert("answer_verdicts", frame.with_columns(grader_version=pl.lit(version)))


def _shown(value: Any) -> list[dict[str, Any]]:
    assert isinstance(value, dg.TableMetadataValue)
    return [dict(record.data) for record in value.records]


def test_both_verdicts_are_stored_and_shown(store: Store, pipeline: Pipeline) -> None:
    """The table of agreement and the pairs on which the two disagree stand in the UI."""
    _give(store, *VERDICTS)
    result = grader_audit(pipeline)
    assert isinstance(result, dg.MaterializeResult)
    assert result.metadata is not None
    rows = store.read("SELECT final_answer, verdict, auditor_verdict, is_agreeing FROM grader_audits")

    assert sorted(rows.rows()) == [
        ("0.5", "equal", "equal", True),
        ("12", "different", "equal", False),
        ("4", "different", "different", True),
    ]
    assert result.metadata["num_new"] == 3
    assert _shown(result.metadata["disagreements"]) == [
        {
            "ground_truth_answer": "12_5",
            "final_answer": "12",
            "verdict": "different",
            "auditor_verdict": "equal",
        }
    ]
    agreement = _shown(result.metadata["agreement"])
    assert [row["num_agreeing"] for row in agreement] == [1, 0, 1]
    assert {row["auditor"] for row in agreement} == {auditor_name()}
    json.dumps(agreement)


def test_a_pair_is_audited_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run asks only for what has come since."""
    _give(store, VERDICTS[0])
    assert audit_grader(store, 10) == 1
    with monkeypatch.context() as patch:
        patch.setattr(SecondGrader, "grade", lambda *_: pytest.fail("asked again"))
        assert audit_grader(store, 10) == 0
    _give(store, VERDICTS[1])

    assert audit_grader(store, 10) == 1


def test_the_pairs_are_bounded_and_every_verdict_has_its_share(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand wrong answers leave the few right ones their place."""
    monkeypatch.setattr(SecondGrader, "grade", lambda _, pairs: ["different"] * len(pairs))
    _give(store, *((str(number), str(number + 1), "different") for number in range(1_000)))
    _give(store, *((str(number), f"{number}.0", "equal") for number in range(3)))
    assert audit_grader(store, 8) == 8

    counts = store.read("SELECT verdict, num_pairs FROM grader_agreement ORDER BY verdict").rows()
    assert counts == [("different", 5), ("equal", 3)]
    assert audit_grader(store, 8) == 0


@pytest.mark.parametrize("max_pairs", [0, 2])
def test_the_profile_says_how_many(store: Store, profile_path: Path, max_pairs: int) -> None:
    """The asset asks for as many as the profile allows."""
    profile_path.write_text(profile_path.read_text() + f"[grading]\nmax_audited_pairs = {max_pairs}\n")
    _give(store, *VERDICTS)
    result = grader_audit(Pipeline(home=str(store.home), profile=str(profile_path)))

    assert isinstance(result, dg.MaterializeResult)
    assert result.metadata is not None
    assert result.metadata["num_new"] == max_pairs


def test_only_decided_verdicts_of_the_present_grader_are_audited(store: Store) -> None:
    """There is nothing to audit in a timeout, and an old grader's verdicts will be given anew."""
    _give(store, ("5", "9^{9^9}", "timeout"))
    _give(store, VERDICTS[0], version="of old")

    assert audit_grader(store, 10) == 0


def test_an_auditor_out_of_time_neither_agrees_nor_disagrees(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted beside both."""
    monkeypatch.setattr(SecondGrader, "grade", lambda _, pairs: ["timeout"] * len(pairs))
    _give(store, VERDICTS[0])
    audit_grader(store, 10)
    columns = "num_pairs, num_agreeing, num_disagreeing, num_timeout"

    assert store.read(f"SELECT {columns} FROM grader_agreement").rows() == [(1, 0, 0, 1)]
    assert disagreements(store, 20).is_empty()
