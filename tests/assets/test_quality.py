"""Label quality from planted labels: what is compared, stored, removed, shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stepmark.app.demo_text import quality_lines
from stepmark.app.estimates import percent
from stepmark.app.report import write_report
from stepmark.app.results import as_json, read_results
from stepmark.assets.judge_assets import label_agreement
from stepmark.assets.resources import Pipeline
from stepmark.models.metrics.intervals import PossibleEstimate
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.quality import measure_label_quality, read_quality, store_label_quality
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

Plant = Callable[..., None]
WRONG, RIGHT = -1, 1


@pytest.fixture
def plant(store: Store) -> Plant:
    """A function that labels one solution of a problem of its own, step by step.

    ``p_wrong`` are the Monte-Carlo labels, as a probability or a pair of bounds; ``truth`` the ratings of
    ``source``; of the problem's 4 samples, this one included, ``num_correct`` are right.
    """

    def fill(
        key: str, p_wrong: list[object], truth: list[int | None], source: str = "oracle", num_correct: int = 2
    ) -> None:
        bounds = [p if isinstance(p, tuple) else (p, p) for p in p_wrong]
        with store.transaction() as con:
            con.execute(
                "INSERT INTO problems (problem_id, source, split, problem, ground_truth_answer) "
                "VALUES (?, 'minimath', 'train', ?, '1')",
                [key, key],
            )
            for index in range(4):
                con.execute(
                    "INSERT INTO solutions (solution_id, problem_id, source, generator_id, sample_index, "
                    "solution, outcome) VALUES (?, ?, 'sampled', 'g', ?, 'x', ?)",
                    [f"{key}{index}", key, index, "correct" if index < num_correct else "incorrect"],
                )
            for step, (low, high) in enumerate(bounds):
                con.execute("INSERT INTO steps VALUES (?, ?, ?, ?, 'x')", [f"{key}0", step, step, step + 1])
                con.execute(
                    "INSERT INTO step_labels (solution_id, step_index, label_source, value, p_wrong_low, "
                    "p_wrong_high) VALUES (?, ?, 'monte_carlo', 0.5, ?, ?)",
                    [f"{key}0", step, low, high],
                )
            for step, rating in enumerate(truth):
                con.execute(
                    "INSERT INTO step_labels (solution_id, step_index, label_source, rating) "
                    "VALUES (?, ?, ?, ?)",
                    [f"{key}0", step, source, rating],
                ).fetchall()

    return fill


def _stored(store: Store, metric: str) -> dict[str, tuple[float | None, int]]:
    rows = store.read(
        "SELECT slice, value, num_problems FROM evaluations "
        "WHERE metric = ? AND selector = 'monte_carlo' AND is_current",
        [metric],
    )
    return {name: (value, num_problems) for name, value, num_problems in rows.iter_rows()}


def _plant_three(plant: Plant) -> None:
    plant("a", [0.1, 0.9, 0.9], [RIGHT, WRONG, RIGHT], num_correct=1)  # found
    plant("b", [0.1, 0.1, 0.9], [RIGHT, WRONG, WRONG], num_correct=0)  # a step late
    plant("c", [0.1, (0.1, 0.9), 0.9], [RIGHT, RIGHT, WRONG], num_correct=1)  # open


def test_monte_carlo_labels_are_measured_against_the_oracle(store: Store, plant: Plant) -> None:
    """One found, one a step late, one open; their slices are the bins of 0 and a quarter."""
    _plant_three(plant)
    store_label_quality(store, measure_label_quality(store))

    assert _stored(store, "first_error_agreement") == {
        "all": (0.5, 3),
        "pass_rate_0": (0.0, 1),
        "pass_rate_0.25-0.50": (1.0, 2),
    }
    assert _stored(store, "first_error_off_by_one")["all"] == (0.5, 3)
    assert _stored(store, "first_error_undecided")["all"] == (pytest.approx(1 / 3), 3)
    assert _stored(store, "wrong_step_recall")["third_2"] == (0.5, 3)


def test_what_cut_off_rollouts_leave_open_is_no_probability(store: Store, plant: Plant) -> None:
    """Of nine steps one has bounds far apart; four of the others are at 0.1, all right but b's second."""
    _plant_three(plant)
    store_label_quality(store, measure_label_quality(store))

    assert _stored(store, "p_wrong_mean") == {
        "p_wrong_0.1-0.2": (pytest.approx(0.1), 3),
        "p_wrong_0.9-1.0": (pytest.approx(0.9), 3),
    }
    assert _stored(store, "p_wrong_share_wrong") == {
        "p_wrong_0.1-0.2": (0.25, 3),
        "p_wrong_0.9-1.0": (1.0, 3),
    }
    assert _stored(store, "p_wrong_calibration_error")["all"][0] == pytest.approx((0.6 + 0.4) / 8)


def test_people_are_a_truth_of_their_own(store: Store, plant: Plant) -> None:
    """Where they rated the same solution; they stopped at the error, and left a hole in another one."""
    plant("a", [0.1, 0.9, 0.9], [RIGHT, WRONG], source="human")
    plant("b", [0.1, 0.1, 0.9], [RIGHT, None, WRONG], source="human")
    plant("c", [0.9], [RIGHT])
    store_label_quality(store, measure_label_quality(store))

    assert _stored(store, "first_error_agreement_human")["all"] == (1.0, 2)
    assert _stored(store, "wrong_step_recall_human")["all"] == (1.0, 2)
    assert _stored(store, "first_error_agreement")["all"] == (0.0, 1)


def test_figures_that_hold_no_more_are_current_no_more(store: Store, plant: Plant) -> None:
    """A slice that has no solutions any more is told no more, and another evaluation's figures stay."""
    _plant_three(plant)
    store_label_quality(store, measure_label_quality(store))
    with store.transaction() as con:
        con.execute("DELETE FROM step_labels WHERE solution_id = 'b0'")
        con.execute(
            "INSERT INTO evaluations VALUES ('prm', 'prm', 'best_of_n', 4, 'all', 0, 0.5, 0.4, 0.6, 9, true)"
        )
    store_label_quality(store, measure_label_quality(store))

    assert _stored(store, "first_error_agreement") == {"all": (1.0, 2), "pass_rate_0.25-0.50": (1.0, 2)}
    assert store.read("SELECT count(*) FROM evaluations WHERE selector = 'prm'").item() == 1


def test_stored_figures_are_read_back_by_truth_slice_and_metric(store: Store, plant: Plant) -> None:
    """People's metrics lose the ending that tells them from the oracle's."""
    plant("a", [0.1, 0.9], [RIGHT, WRONG], source="human")
    store_label_quality(store, measure_label_quality(store))
    quality = read_quality(store.read("SELECT * FROM evaluations"))

    assert list(quality) == ["human"]
    assert quality["human"]["all"]["first_error_agreement"].value == 1.0
    assert quality["human"]["third_3"]["wrong_step_recall"].value == 1.0


@pytest.mark.usefixtures("engine")
def test_the_asset_shows_tables_and_a_picture(store: Store, pipeline: Pipeline, plant: Plant) -> None:
    """Overall, by position, by pass rate, and what is said against what holds."""
    _plant_three(plant)
    metadata = label_agreement(pipeline).metadata

    assert {
        "figures", "by_position", "by_pass_rate", "reliability_of_values", "reliability_of_p_wrong", "picture"
    } <= set(metadata)  # fmt: skip
    assert [record.data["slice"] for record in metadata["reliability_of_p_wrong"].records] == [
        "p_wrong_0.1-0.2", "p_wrong_0.9-1.0", "p_wrong_0.1-0.2", "p_wrong_0.9-1.0"
    ]  # fmt: skip
    assert metadata["picture"].value.startswith("![label quality](data:image/png;base64,")


def test_the_report_has_a_section_on_label_quality(
    store: Store, profile: Profile, tmp_path: Path, plant: Plant
) -> None:
    """Figures, places, a picture, and the reason no sampling cures."""
    _plant_three(plant)
    store_label_quality(store, measure_label_quality(store))
    store.publish()
    page = write_report(store, profile.reward, tmp_path / "report.html").read_text()

    assert "Monte-Carlo labels against the oracle on 3 problems" in page
    assert "a right step from which the completer never solves the rest has the value 0" in page
    assert "middle third, truth: oracle" in page
    assert "Agreement on the first error by pass rate" in page


def test_the_printed_results_tell_what_is_undecided_and_how_sound_probabilities_are(
    store: Store, profile: Profile, plant: Plant
) -> None:
    """Two lines among those of label quality; the JSON has every slice."""
    _plant_three(plant)
    store_label_quality(store, measure_label_quality(store))
    store.publish()
    results = read_results(store, profile.reward)
    printed = "\n".join(quality_lines(results))

    assert "against the oracle, 3 problems" in printed
    assert "first error undecided                               33.3 [" in printed
    assert "calibration error: probability of being wrong       12.5 [" in printed
    assert as_json(results)["monte_carlo_labels"]["first_error_agreement"]["value"] == 0.5
    assert {row["slice"] for row in as_json(results)["label_quality"]} > {"all", "third_1", "pass_rate_0"}


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (PossibleEstimate(0.5, 0.25, 0.75), "50.0 [25.0, 75.0]"),
        (PossibleEstimate(0.5, None, None), "50.0"),
        (PossibleEstimate(None, None, None), "not defined"),
    ],
)
def test_a_figure_without_an_interval_is_shown_alone(ratio: PossibleEstimate, text: str) -> None:
    """A slice of one problem has a value, but nothing to see variation in."""
    assert percent(ratio) == text
