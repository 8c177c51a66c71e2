"""Majority and weighted votes against enumeration of all subsets."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.best_of_n import best_of_n_curves
from stepmark.models.metrics.samples import problem_samples
from stepmark.models.metrics.voting import vote_accuracies

Class = int | None


def _vote(classes: Sequence[Class], right: Sequence[bool], weights: Sequence[float]) -> float:
    votes: dict[int, list[int]] = defaultdict(list)
    for index, answer_class in enumerate(classes):
        if answer_class is not None:
            votes[answer_class].append(index)
    if not votes:
        return 0.0
    totals = {c: sum(weights[i] for i in members) for c, members in votes.items()}
    best = max(totals.values())
    winners = [c for c, total in totals.items() if total >= best - 1e-9]
    return sum(sum(right[i] for i in votes[c]) / len(votes[c]) for c in winners) / len(winners)


def _enumerated(classes: Sequence[Class], right: Sequence[bool], weights: Sequence[float], n: int) -> float:
    results = [
        _vote([classes[i] for i in s], [right[i] for i in s], [weights[i] for i in s])
        for s in combinations(range(len(classes)), n)
    ]
    return sum(results) / len(results)


_sample = st.tuples(
    st.sampled_from([None, 3, 5, 9]), st.booleans(), st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.9])
)


@given(st.lists(_sample, min_size=1, max_size=7))
@settings(max_examples=60, deadline=None)
def test_votes_are_the_mean_over_all_subsets(samples: list[tuple[Class, bool, float]]) -> None:
    """With few samples all subsets are counted, ties, absent answers and mixed classes included."""
    classes = [answer_class for answer_class, _, _ in samples]
    right = [is_right and answer_class is not None for answer_class, is_right, _ in samples]
    weights = [weight for _, _, weight in samples]
    ns = list(range(1, len(samples) + 1))

    curves = best_of_n_curves([problem_samples("p", right, classes, {"w": weights})], ns, weighted=["w"])

    for n in ns:
        assert curves["majority"][n][0] == pytest.approx(_enumerated(classes, right, [1.0] * len(classes), n))
        assert curves["w_weighted"][n][0] == pytest.approx(_enumerated(classes, right, weights, n))


def test_random_subsets_come_close_to_all_subsets() -> None:
    """400 drawn subsets of 16 out of 20 agree with all 4,845 within five standard errors."""
    rng = np.random.default_rng(3)
    right = [True] * 7 + [False] * 13
    classes: list[Class] = [*[0] * 7, *[1] * 6, *[2] * 4, 3, 4, 5]
    weights = rng.random(20).tolist()
    samples = problem_samples("p", right, classes, {"w": weights})

    found = vote_accuracies(samples, [16], {"w": samples.scores["w"], "majority": None}, rng)

    assert found["w"][0] == pytest.approx(_enumerated(classes, right, weights, 16), abs=5 * 0.5 / 20)
    assert found["majority"][0] == pytest.approx(
        _enumerated(classes, right, [1.0] * 20, 16), abs=5 * 0.5 / 20
    )


def test_a_tie_is_shared_and_not_given_to_the_first_seen() -> None:
    """Two against two counts half, in whichever order they come."""
    for right in ([True, True, False, False], [False, False, True, True]):
        samples = problem_samples("p", right, [0, 0, 1, 1], {})

        assert best_of_n_curves([samples], [4])["majority"][4].tolist() == [0.5]


def test_votes_group_by_class_and_not_by_place_or_string() -> None:
    """Three samples of one class outvote two of another, whatever their ids."""
    samples = problem_samples("p", [True, False, True, False, True], [17, -4, 17, -4, 17], {})

    assert best_of_n_curves([samples], [5])["majority"][5].tolist() == [1.0]


def test_weights_can_turn_a_majority() -> None:
    """One trusted sample against two doubted ones."""
    samples = problem_samples("p", [True, False, False], [0, 1, 1], {"prm": [0.9, 0.2, 0.2]})

    curves = best_of_n_curves([samples], [3], weighted=["prm"])

    assert curves["majority"][3].tolist() == [0.0]
    assert curves["prm_weighted"][3].tolist() == [1.0]


def test_sums_that_differ_by_rounding_alone_are_a_tie() -> None:
    """0.1 + 0.2 exceeds 0.3 in floating point, which is no reason to choose."""
    samples = problem_samples("p", [True, True, False], [0, 0, 1], {"prm": [0.1, 0.2, 0.3]})

    assert best_of_n_curves([samples], [3], weighted=["prm"])["prm_weighted"][3].tolist() == [0.5]


def test_equal_weights_are_a_majority_vote() -> None:
    """A constant positive score adds nothing to the vote, drawn subsets included."""
    samples = problem_samples("p", [True] * 9 + [False] * 15, [0] * 9 + [1, 2, 3] * 5, {"prm": [0.7] * 24})

    curves = best_of_n_curves([samples], [1, 8, 24], weighted=["prm"])

    for n in (1, 8, 24):
        assert curves["prm_weighted"][n].tolist() == curves["majority"][n].tolist()


def test_every_vote_of_one_sample_is_a_random_pick() -> None:
    """At N = 1 the vote is pass@1, exactly."""
    samples = problem_samples("p", [True] * 9 + [False] * 991, list(range(1000)), {"prm": [0.5] * 1000})

    curves = best_of_n_curves([samples], [1], weighted=["prm"])

    assert curves["majority"][1].tolist() == [0.009]
    assert curves["prm_weighted"][1].tolist() == [0.009]


def test_absent_answers_do_not_vote() -> None:
    """One answer outvotes three samples that gave none; where none answers the vote is wrong."""
    outvoted = problem_samples("p", [True, False, False, False], [0, None, None, None], {})
    silent = problem_samples("q", [False, False, False, False], [None] * 4, {})

    assert best_of_n_curves([outvoted, silent], [4])["majority"][4].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("bad", [-0.5, float("inf")])
def test_a_score_that_cannot_weigh_a_vote_is_refused(bad: float) -> None:
    """Negative and infinite weights turn a vote into nonsense without a word."""
    samples = problem_samples("p", [True, False], [0, 1], {"logprob": [0.5, bad]})

    with pytest.raises(InputError, match="Problem p, sample 1: the score logprob is"):
        best_of_n_curves([samples], [1], weighted=["logprob"])
