"""Best-of-N and pass@N against enumeration of all subsets, and against known false estimates."""

import doctest
import math
import time
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepmark.labeling.errors import InputError
from stepmark.models.metrics import best_of_n
from stepmark.models.metrics.best_of_n import (
    best_of_n_curves,
    best_scored_accuracies,
    curve_intervals,
    default_ns,
    pass_accuracies,
)
from stepmark.models.metrics.samples import ProblemSamples, problem_samples


def _enumerated(scores: Sequence[float], right: Sequence[bool], answered: Sequence[bool], n: int) -> Fraction:
    # Mean over all N-subsets of the share of right ones among the best-scored answered samples.
    total = Fraction(0)
    for subset in combinations(range(len(scores)), n):
        candidates = [i for i in subset if answered[i]]
        if candidates:
            best = max(scores[i] for i in candidates)
            tied = [i for i in candidates if scores[i] == best]
            total += Fraction(sum(right[i] for i in tied), len(tied))
    return total / math.comb(len(scores), n)


_sample = st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.9, -1.0]), st.booleans(), st.booleans())


@given(st.lists(_sample, min_size=1, max_size=7))
@settings(max_examples=60, deadline=None)
def test_best_of_n_is_the_mean_over_all_subsets(samples: list[tuple[float, bool, bool]]) -> None:
    """Ties, unanswered samples and every N agree with brute-force enumeration."""
    scores = [score for score, _, _ in samples]
    answered = [is_answered for _, _, is_answered in samples]
    right = [is_right and is_answered for _, is_right, is_answered in samples]
    ns = list(range(1, len(samples) + 1))

    found = best_scored_accuracies(np.array(scores), np.array(right), ns, np.array(answered))

    expected = [float(_enumerated(scores, right, answered, n)) for n in ns]
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_best_of_all_samples_is_right_when_the_top_one_is() -> None:
    """Drawing with replacement gave .684 here (verl 7240); the truth is 1."""
    accuracies = best_scored_accuracies(
        np.array([0.9, 0.3, 0.2, 0.1]), np.array([True, False, False, False]), [4]
    )

    assert accuracies == [1.0]


def test_a_curve_is_not_that_of_the_first_samples() -> None:
    """One right, top-scored sample of four is in half of all pairs, wherever it stands in the file."""
    for position in range(4):
        scores, right = np.full(4, 0.1), np.zeros(4, dtype=bool)
        scores[position], right[position] = 0.9, True

        assert best_scored_accuracies(scores, right, [1, 2, 3]) == pytest.approx([0.25, 0.5, 0.75])


def test_a_constant_score_is_a_random_pick_at_every_n() -> None:
    """Ties are shared evenly, so a judge that always says the same gains nothing from N."""
    right = np.array([True, False, False, True, False, False, False, False])

    assert best_scored_accuracies(np.ones(8), right, [1, 2, 4, 8]) == [0.25, 0.25, 0.25, 0.25]


def test_a_sign_flip_turns_the_best_judge_into_the_worst() -> None:
    """Higher is better: a flipped score picks the wrong sample as soon as there is one."""
    right = np.array([True, True, False, False])
    score = np.array([0.9, 0.8, 0.2, 0.1])

    assert best_scored_accuracies(score, right, [3]) == [1.0]
    assert best_scored_accuracies(-score, right, [3]) == [0.0]


def test_a_sample_without_an_answer_is_never_chosen_over_one_with() -> None:
    """The highest score on an empty answer does not count, yet a subset of such samples alone is wrong."""
    samples = problem_samples("p", [True, False], [0, None], {"prm": [0.1, 0.9]})

    curves = best_of_n_curves([samples], [1, 2])

    assert curves["prm"][2].tolist() == [1.0]
    assert curves["prm"][1].tolist() == [0.5]


def test_pass_at_n_is_exact_for_thousands_of_samples() -> None:
    """1 - C(M - c, N) / C(M, N) with M = 4096 agrees with exact fractions to the last digits."""
    right = np.zeros(4096, dtype=bool)
    right[:3] = True
    ns = [1, 2, 64, 1024, 4093, 4094, 4096]

    expected = [float(1 - Fraction(math.comb(4093, n), math.comb(4096, n))) for n in ns]
    assert pass_accuracies(right, ns) == pytest.approx(expected, abs=1e-15)


def test_best_of_n_is_exact_for_thousands_of_samples() -> None:
    """The tenth best of 4096 being the only right one is chosen with a chance known in closed form."""
    scores, right = np.arange(4096, dtype=np.float64), np.zeros(4096, dtype=bool)
    right[4096 - 10] = True

    found = best_scored_accuracies(scores, right, [2, 512, 2048])

    expected = [float(Fraction(math.comb(4086, n - 1), math.comb(4096, n))) for n in [2, 512, 2048]]
    assert found == pytest.approx(expected, rel=1e-9)


def test_problems_may_differ_in_their_number_of_samples() -> None:
    """Each problem's values rest on its own M; rows keep the order of the problems."""
    few = problem_samples("few", [True, False], [0, 1], {"prm": [0.9, 0.1]})
    many = problem_samples("many", [False, False, False, True], [0, 1, 2, 3], {"prm": [0.9, 0.8, 0.7, 0.6]})

    curves = best_of_n_curves([few, many], [2])

    assert curves["prm"][2].tolist() == [1.0, 0.0]
    assert curves["pass"][2].tolist() == [1.0, 0.5]


def test_selectors_come_with_votes_and_pass() -> None:
    """Each score has its curve and, when asked, its weighted vote."""
    samples = problem_samples("p", [True], [0], {"prm": [0.9], "logprob": [-3.0]})

    curves = best_of_n_curves([samples], [1], weighted=["prm"])

    assert list(curves) == ["prm", "logprob", "majority", "prm_weighted", "pass"]


def test_n_above_m_is_refused_and_never_clipped() -> None:
    """The message names the problem, its samples and N."""
    samples = problem_samples("algebra-7", [True, False], [0, 1], {"prm": [0.9, 0.1]})

    with pytest.raises(InputError, match="algebra-7 has 2 samples, fewer than N = 4"):
        best_of_n_curves([samples], [1, 4])


def test_a_nan_score_is_refused() -> None:
    """NaN has no rank, so nothing is chosen by it."""
    with pytest.raises(InputError, match="Problem p, sample 1: the score prm is NaN"):
        problem_samples("p", [True, False], [0, 1], {"prm": [0.5, math.nan]})


def test_a_correct_sample_without_an_answer_is_refused() -> None:
    """The two claims contradict each other."""
    with pytest.raises(InputError, match="sample 0: marked correct without a final answer"):
        problem_samples("p", [True], [None], {})


def test_columns_of_another_length_are_refused() -> None:
    """Fewer scores than samples is a loss upstream."""
    with pytest.raises(InputError, match="2 samples but 1 values of prm"):
        problem_samples("p", [True, False], [0, 1], {"prm": [0.5]})


def test_problems_scored_by_different_selectors_are_refused() -> None:
    """A curve over some of the problems would be compared with curves over all."""
    one = problem_samples("one", [True], [0], {"prm": [0.9]})
    other = problem_samples("other", [True], [0], {"orm": [0.9]})

    with pytest.raises(InputError, match="Problem other has the scores"):
        best_of_n_curves([one, other], [1])


@pytest.mark.parametrize("name", ["majority", "pass", "prm_weighted"])
def test_a_score_may_not_carry_the_name_of_a_selector(name: str) -> None:
    """Two curves of one name would overwrite each other."""
    samples = problem_samples("p", [True], [0], {"prm": [0.9], name: [0.1]})

    with pytest.raises(InputError, match=f"'{name}' is a selector of its own"):
        best_of_n_curves([samples], [1], weighted=["prm"])


def test_the_default_n_are_powers_of_two_up_to_the_smallest_m() -> None:
    """With 6 and 9 samples a problem the curve goes to 4."""
    problems = [problem_samples(str(m), [True] * m, [0] * m, {}) for m in (9, 6)]

    assert default_ns(problems) == [1, 2, 4]


def _random_problems(num_problems: int, num_samples: int) -> list[ProblemSamples]:
    rng = np.random.default_rng(7)
    problems = []
    for index in range(num_problems):
        right = rng.random(num_samples) < rng.random()
        classes = np.where(right, 0, rng.integers(1, 20, num_samples)).tolist()
        scores = {name: rng.random(num_samples).tolist() for name in ("a", "b")}
        problems.append(problem_samples(str(index), right.tolist(), classes, scores))
    return problems


def test_a_full_evaluation_takes_seconds() -> None:
    """200 problems of 64 samples, seven N and six selectors, well under 10 seconds of processor time."""
    problems = _random_problems(200, 64)
    start = time.process_time()  # the wall clock would measure what else runs here

    curves = best_of_n_curves(problems, [1, 2, 4, 8, 16, 32, 64], weighted=["a", "b"])
    curve_intervals(curves)

    assert time.process_time() - start < 10


def test_one_seed_gives_one_result_whatever_stands_beside_a_problem() -> None:
    """A problem's votes do not change when problems before it are left out."""
    problems = _random_problems(3, 64)

    together = best_of_n_curves(problems, [16], weighted=["a"])
    alone = best_of_n_curves(problems[2:], [16], weighted=["a"])

    for selector in ("majority", "a_weighted"):
        assert together[selector][16][2] == alone[selector][16][0]


def test_curve_intervals_hold_their_values() -> None:
    """Every point has its mean between its bounds."""
    points = curve_intervals(best_of_n_curves(_random_problems(30, 8), [1, 4, 8]))

    assert all(p.low <= p.value <= p.high for by_n in points.values() for p in by_n.values())


def test_the_example_in_the_docstring_holds() -> None:
    """The worked example is run."""
    assert doctest.testmod(best_of_n).failed == 0
