"""Thresholds chosen on one set and applied to another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.first_error import first_error_from_scores, first_error_metrics
from stepmark.models.metrics.thresholds import choose_threshold, cross_fitted

Scores = list[list[float]]


def _f1(labels: list[int], scores: Scores, threshold: float) -> float:
    f1 = first_error_metrics(
        labels, [first_error_from_scores(s, threshold) for s in scores], num_resamples=1
    ).f1
    assert f1 is not None
    return f1.value


_solution = st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(_solution, st.integers(0, 3)), min_size=1, max_size=6),
    st.lists(_solution, min_size=1, max_size=4),
)
@settings(max_examples=80, deadline=None)
def test_no_threshold_beats_the_chosen_one(wrong: list[tuple[list[float], int]], correct: Scores) -> None:
    """The sweep finds the F1 that trying every threshold finds."""
    scores = [s for s, _ in wrong] + correct
    labels = [min(e, len(s) - 1) for s, e in wrong] + [-1] * len(correct)

    chosen = choose_threshold(labels, scores)

    tried = [-0.05, 0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05]
    assert _f1(labels, scores, chosen) == pytest.approx(max(_f1(labels, scores, t) for t in tried))


def test_the_threshold_lies_half_way_between_neighbours() -> None:
    """A wrong step at .2 and right ones from .6 on are parted at .4."""
    assert choose_threshold([1, -1], [[0.9, 0.2], [0.6, 0.8]]) == pytest.approx(0.4)


def test_neighbouring_floats_are_still_parted() -> None:
    """The middle of two adjacent floats rounds to one of them, and must part them all the same."""
    low, high = 0.5, float(np.nextafter(0.5, 1.0))

    chosen = choose_threshold([0, -1], [[low], [high]])

    assert first_error_from_scores([low], chosen) == 0
    assert first_error_from_scores([high], chosen) == -1


def test_a_threshold_needs_both_kinds_of_solution() -> None:
    """On correct solutions alone the best threshold is any low one, which teaches nothing."""
    with pytest.raises(InputError, match="only one kind"):
        choose_threshold([-1, -1], [[0.5], [0.6]])


def test_a_label_beyond_the_scored_steps_is_refused() -> None:
    """Fewer scores than steps are noticed."""
    with pytest.raises(InputError, match="first error is 2, but there are scores of 2 steps"):
        choose_threshold([2, -1], [[0.5, 0.5], [0.6]])


def _coin_flips(num_solutions: int) -> tuple[list[int], Scores]:
    rng = np.random.default_rng(5)
    labels = rng.integers(-1, 1, num_solutions).tolist()
    return labels, rng.random((num_solutions, 1)).tolist()


def test_scores_that_know_nothing_look_better_on_the_set_they_are_tuned_on() -> None:
    """On 30 coin flips the tuned F1 exceeds the cross-fitted one, which is the honest one."""
    labels, scores = _coin_flips(30)

    tuned = _f1(labels, scores, choose_threshold(labels, scores))
    honest = cross_fitted(labels, scores).metrics.f1

    assert honest is not None
    assert tuned > honest.value


def test_each_half_is_judged_by_the_threshold_of_the_other() -> None:
    """The thresholds are those chosen on the opposite half, and every solution has a prediction."""
    labels, scores = _coin_flips(40)

    fitted = cross_fitted(labels, scores, seed=3)

    for side in (0, 1):
        other = [row for row, half in enumerate(fitted.half) if half != side]
        expected = choose_threshold([labels[r] for r in other], [scores[r] for r in other])
        assert fitted.thresholds[side] == expected
    assert len(fitted.predictions) == 40
    assert fitted.half.count(0) == 20


def test_solutions_of_one_problem_stay_in_one_half() -> None:
    """A problem on both sides would leak."""
    labels, scores = _coin_flips(40)
    problem_ids = [row // 4 for row in range(40)]

    fitted = cross_fitted(labels, scores, problem_ids, seed=1)

    for problem in range(10):
        assert len(set(fitted.half[4 * problem : 4 * problem + 4])) == 1
