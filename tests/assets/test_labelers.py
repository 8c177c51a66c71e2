"""People's agreement, measured by the asset human_labels, stored and shown."""

import json
from pathlib import Path

import pytest

from stepmark.assets.problem_assets import human_labels
from stepmark.assets.resources import Pipeline
from stepmark.pipeline.labelers import measure_labelers
from stepmark.store.store import Store

pytestmark = pytest.mark.slow


def write_lines(path: Path, ratings: dict[str, list[int]]) -> None:
    """PRM800K lines of phase 2: all labelers rate the same solutions of one step, each of its own problem."""
    lines = []
    for labeler, given in ratings.items():
        for index, rating in enumerate(given):
            question = {"problem": f"Q {index}?", "ground_truth_answer": "1", "pre_generated_steps": ["a"]}
            completion = {"text": "a", "rating": rating, "flagged": None}
            step = {"completions": [completion], "human_completion": None, "chosen_completion": 0}
            label = {"steps": [step], "total_time": 1000, "finish_reason": "found_error"}
            lines.append({"labeler": labeler, "question": question, "label": label})
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


@pytest.fixture
def labeled(pipeline: Pipeline, profile_path: Path, tmp_path: Path) -> Pipeline:
    """A profile with a file of ratings by two people, and by one whose name the file does not tell."""
    file = tmp_path / "ratings.jsonl"
    write_lines(file, {"ann": [1, 0, -1, 1], "bob": [1, -1, -1, 1], "unknown": [-1, -1, -1, -1]})
    text = profile_path.read_text()
    profile_path.write_text(text.replace("[problems]", f'[problems]\nlabels = [{{ path = "{file}" }}]'))
    return pipeline


def test_agreement_stands_in_evaluations_under_each_reading_of_neutral(
    labeled: Pipeline, store: Store
) -> None:
    """Ann and bob differ on a neutral step: kappa (3/4 - 6/16) / (1 - 6/16); the unknown is nobody."""
    human_labels(labeled)
    rows = store.read(
        "SELECT metric, slice, value, num_problems FROM evaluations WHERE selector = 'human' ORDER BY ALL"
    ).rows()
    by_name = {row[:2]: row[2:] for row in rows}

    assert by_name["cohen_kappa", "ann bob"] == (pytest.approx((12 / 16 - 6 / 16) / (10 / 16)), 4)
    assert by_name["krippendorff_alpha_nominal", "neutral_negative"] == (1.0, 4)
    assert by_name["krippendorff_alpha_nominal", "neutral_drop"] == (1.0, 3)
    assert by_name["krippendorff_alpha_nominal", "neutral_keep"][0] == pytest.approx(1 - 7 * 2 / 38)
    assert {name for _, name in by_name} == {
        "ann bob", "neutral_keep", "neutral_positive", "neutral_negative", "neutral_drop"
    }  # fmt: skip
    assert len(rows) == 9


def test_the_asset_shows_the_people_who_rated(labeled: Pipeline) -> None:
    """Each one, each pair, the coefficients with intervals, and the texts they differ on."""
    metadata = human_labels(labeled).metadata

    assert [row.data["labeler"] for row in metadata["labelers"].records] == ["ann", "bob", "unknown"]
    assert [row.data["num_agreeing"] for row in metadata["pairs_of_labelers"].records] == [3]
    assert metadata["num_conflicting_texts"] == 3  # the unknown against both twice, and all three
    assert len(metadata["conflicting_ratings"].records) == 3
    assert {"value", "ci95_low", "ci95_high"} <= set(metadata["reliability"].records[0].data)


def test_figures_that_hold_no_more_are_current_no_more(labeled: Pipeline, store: Store) -> None:
    """Without ratings there is no agreement, and other figures stay."""
    human_labels(labeled)
    with store.transaction() as con:
        con.execute("DELETE FROM human_labels")
        con.execute(
            "INSERT INTO evaluations "
            "VALUES ('human', 'human', 'first_error_f1', 0, 'all', 0, 0.5, 0.4, 0.6, 9, true)"
        )
    num_figures = measure_labelers(store)

    assert num_figures == 0
    assert store.read("SELECT metric FROM evaluations WHERE is_current").rows() == [("first_error_f1",)]


def test_real_ratings_have_no_agreement_to_measure_without_names(
    store: Store, real_data: Path, pipeline: Pipeline, profile_path: Path
) -> None:
    """The rebuilt phase 1 names no labeler: its conflicts are counted, its agreement is not known."""
    file = real_data / "prm800k" / "phase1_train_reconstructed.jsonl"
    text = profile_path.read_text()
    profile_path.write_text(text.replace("[problems]", f'[problems]\nlabels = [{{ path = "{file}" }}]'))
    metadata = human_labels(pipeline).metadata

    assert [row.data["labeler"] for row in metadata["labelers"].records] == ["unknown"]
    assert metadata["labelers"].records[0].data["agreement"] is None
    assert metadata["labelers"].records[0].data["ms_per_step"] is None
    assert metadata["num_conflicting_texts"] > 0
    assert store.read("FROM evaluations").is_empty()
