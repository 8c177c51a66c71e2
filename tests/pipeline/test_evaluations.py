"""Evaluations as they are stored: the latest are current, and older models' figures stay."""

import pytest

from stepmark.pipeline.evaluations import EvaluationRow, store_evaluations
from stepmark.store.store import Store

KIND = "metric = ?"
_ROWS = "SELECT selector, model_id, value, is_current FROM evaluations ORDER BY ALL"


def _figure(value: float, model_id: str | None = None, selector: str = "prm") -> EvaluationRow:
    return EvaluationRow(selector, "best_of_n", value, None, None, 3, n=4, model_id=model_id)


def test_the_figure_of_an_older_model_stays_beside_the_newers(store: Store) -> None:
    """They are keyed by the model behind the selector; one of the two is current."""
    store_evaluations(store, [_figure(0.5, "prm-1")], KIND, ["best_of_n"])
    num_stored = store_evaluations(store, [_figure(0.6, "prm-2")], KIND, ["best_of_n"])

    assert num_stored == 1
    assert store.read(_ROWS).rows() == [("prm", "prm-1", 0.5, False), ("prm", "prm-2", 0.6, True)]


def test_the_same_model_has_one_figure(store: Store) -> None:
    """Measured again, its figure takes the place of the one before; a selector without a model as well."""
    for value in (0.5, 0.6):
        store_evaluations(
            store, [_figure(value, "prm-1"), _figure(value, selector="majority")], KIND, ["best_of_n"]
        )

    assert store.read(_ROWS).rows() == [("majority", "majority", 0.6, True), ("prm", "prm-1", 0.6, True)]


def test_a_model_that_comes_back_is_current_again(store: Store) -> None:
    """As after a setting was changed and changed back."""
    for model_id in ("prm-1", "prm-2", "prm-1"):
        store_evaluations(store, [_figure(0.5, model_id)], KIND, ["best_of_n"])

    assert store.read(_ROWS).rows() == [("prm", "prm-1", 0.5, True), ("prm", "prm-2", 0.5, False)]


def test_the_figures_of_another_round_stay_current(store: Store) -> None:
    """Every figure of a round stays what that round found."""
    store_evaluations(store, [_figure(0.5, "prm-1")], KIND, ["best_of_n"])
    store_evaluations(store, [_figure(0.6, "prm-1")], KIND, ["best_of_n"], round_index=1)
    rows = store.read("SELECT round, value, is_current FROM evaluations ORDER BY round").rows()

    assert rows == [(0, 0.5, True), (1, 0.6, True)]


def test_the_view_best_of_n_shows_the_current_figures(store: Store) -> None:
    """One row per selector, N and round."""
    for model_id, value in (("prm-1", 0.5), ("prm-2", 0.6)):
        store_evaluations(store, [_figure(value, model_id)], KIND, ["best_of_n"])

    assert store.read("SELECT selector, n, value FROM best_of_n").rows() == [("prm", 4, 0.6)]


@pytest.mark.parametrize("value", [None, 0.0])
def test_a_figure_that_is_not_defined_is_stored_as_unknown(store: Store, value: float | None) -> None:
    """Not as 0, which is a figure."""
    store_evaluations(store, [EvaluationRow("prm", "best_of_n", value, None, None, 0)], KIND, ["best_of_n"])

    assert store.read("SELECT value FROM evaluations").item() == value
