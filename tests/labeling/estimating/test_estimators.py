"""Estimators of the first error, on completers whose values are known."""

import random
from collections.abc import Sequence

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.estimating import (
    AdaptiveEstimator,
    CountingEstimator,
    Estimator,
    RolloutCounts,
    SolutionBeliefs,
    SolutionToLabel,
    missing_rollouts,
)
from stepmark.labeling.estimating.arrays import arrays_of
from stepmark.labeling.estimating.inference import infer
from stepmark.labeling.estimating.value_prior import initial_prior

NUM_STEPS = 6
ADAPTIVE = AdaptiveEstimator()
ESTIMATORS: list[Estimator] = [
    CountingEstimator("exhaustive", 16),
    CountingEstimator("sequential", 16),
    CountingEstimator("binary", 16),
    ADAPTIVE,
]


class World:
    """Solutions with a known first error and a completer that is right with known probability."""

    def __init__(self, num_solutions: int, seed: int, truncated_share: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.truncated_share = truncated_share
        self.counts: dict[str, RolloutCounts] = {}
        self.num_samples = self.num_rounds = 0
        self.values: dict[str, float] = {}
        self.truth: list[int] = []
        self.solutions: list[SolutionToLabel] = []
        for number in range(num_solutions):
            self._add(number)

    def _add(self, number: int) -> None:
        rate = self.random.choice([0.3, 0.6, 0.9])
        first_error = self.random.choice([-1, *range(NUM_STEPS)])
        keys = tuple(f"x{number}/{step}" for step in range(NUM_STEPS - 1))
        for step, key in enumerate(keys):
            is_right = first_error < 0 or step < first_error
            self.values[key] = rate ** (1 - (step + 1) / NUM_STEPS) if is_right else 0.0
        solved = sum(self.random.random() < rate for _ in range(8))
        siblings = ((8, solved), *((0, 0),) * (NUM_STEPS - 1))  # none shares a step
        left = tuple(10.0 * (NUM_STEPS - 1 - step) for step in range(NUM_STEPS - 1))
        self.truth.append(first_error)
        self.solutions.append(SolutionToLabel(f"s{number}", keys, first_error < 0, left, siblings))

    def search(self, estimator: Estimator, max_rounds: int = 1000) -> list[SolutionBeliefs]:
        """Sample what is requested until nothing is."""
        while self.num_rounds < max_rounds:
            missing = missing_rollouts(
                self.solutions, estimator.next_rollouts(self.solutions, self.counts), self.counts
            )
            if not missing:
                break
            self.num_rounds += 1
            for key, number in missing.items():
                self._roll_out(key, number)
        return estimator.estimate(self.solutions, self.counts)

    def _roll_out(self, key: str, number: int) -> None:
        before = self.counts.get(key, RolloutCounts(0, 0, 0, 0, 0))
        cut = sum(self.random.random() < self.truncated_share for _ in range(number))
        right = sum(self.random.random() < self.values[key] for _ in range(number - cut))
        self.num_samples += number
        self.counts[key] = RolloutCounts(
            before.num_rollouts + number,
            before.num_correct + right,
            before.num_truncated + cut,
            0,
            before.num_tokens + 10 * number,
        )


def agreement(world: World, beliefs_of_all: Sequence[SolutionBeliefs]) -> float:
    """Share of solutions whose first error is found."""
    pairs = zip(beliefs_of_all, world.truth, strict=True)
    return sum(beliefs.first_error() == truth for beliefs, truth in pairs) / len(world.truth)


def test_a_posterior_keeps_what_was_expected_before_it() -> None:
    """Without rollouts and siblings the two are one; the fit of the prior compares them."""
    solutions = [
        SolutionToLabel("s", ("x0", "x1"), False, (2.0, 1.0)),
        SolutionToLabel("t", ("y0",), True, (1.0,)),
    ]
    prior = initial_prior()
    posterior = infer(arrays_of(solutions, {}), prior)

    assert posterior.first_error == pytest.approx(prior.rates[None, :, None] * posterior.expected)
    assert posterior.expected.sum(axis=2) == pytest.approx(1.0)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
def test_first_errors_are_found(estimator: Estimator) -> None:
    """Where values say it clearly, every estimator finds nearly every first error."""
    world = World(200, seed=1)

    assert agreement(world, world.search(estimator)) > 0.9


def test_the_adaptive_search_pays_a_quarter_of_the_scan() -> None:
    """It is as often right as a sequential scan with 16 rollouts a step."""
    scan, adaptive = World(300, seed=2), World(300, seed=2)
    by_scan = agreement(scan, scan.search(CountingEstimator("sequential", 16)))
    by_search = agreement(adaptive, adaptive.search(ADAPTIVE))

    assert by_search >= by_scan - 0.03
    assert adaptive.num_samples < scan.num_samples / 4


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
def test_a_search_that_was_cut_off_goes_on(estimator: Estimator) -> None:
    """Requests depend on what is stored alone: after any round another process requests the same."""
    whole, broken = World(40, seed=3), World(40, seed=3)
    beliefs_of_all = whole.search(estimator)
    for rounds in range(1, 30):
        broken.search(estimator, max_rounds=rounds)

    assert broken.search(estimator) == beliefs_of_all
    assert broken.num_samples == whole.num_samples


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: one.name)
def test_a_step_is_never_wrong_for_being_cut_off(estimator: Estimator) -> None:
    """With every rollout truncated nothing is known, however many were paid for."""
    world = World(60, seed=4, truncated_share=1.0)
    beliefs_of_all = world.search(estimator)
    wrong = [
        beliefs
        for beliefs, solution in zip(beliefs_of_all, world.solutions, strict=True)
        if not solution.is_correct
    ]

    assert {beliefs.first_error() for beliefs in wrong} <= {None}


def test_truncation_widens_what_is_believed() -> None:
    """A third of the rollouts cut off: fewer steps are called wrong, and none that is right more often."""
    plain, cut = World(200, seed=5), World(200, seed=5, truncated_share=1 / 3)
    whole, open_ = plain.search(ADAPTIVE), cut.search(ADAPTIVE)

    assert all(b.p_wrong_low <= b.p_wrong_high for beliefs in open_ for b in beliefs.beliefs)
    assert _num_called_wrong(open_, cut) <= _num_called_wrong(whole, plain)
    assert sum(beliefs.first_error() is None for beliefs in open_) > 50


def _num_called_wrong(beliefs_of_all: Sequence[SolutionBeliefs], world: World) -> int:
    """Right prefixes that are called wrong."""
    return sum(
        belief.p_wrong_low >= 0.5
        for beliefs, solution in zip(beliefs_of_all, world.solutions, strict=True)
        for key, belief in zip(solution.prefix_ids, beliefs.beliefs, strict=False)
        if world.values[key] > 0
    )


def test_intervals_cover_values_under_adaptive_stopping() -> None:
    """Of right steps rolled out until they are decided about 95% have their value in a narrow interval."""
    world = World(800, seed=6)
    widths, covered = [], []
    for beliefs, solution in zip(world.search(ADAPTIVE), world.solutions, strict=True):
        for key, belief in zip(solution.prefix_ids, beliefs.beliefs, strict=False):
            assert belief.value_low is not None
            assert belief.value_high is not None
            if key in world.counts and world.values[key] > 0:
                covered.append(belief.value_low <= world.values[key] <= belief.value_high)
                widths.append(belief.value_high - belief.value_low)

    assert len(covered) > 300
    assert 0.92 < sum(covered) / len(covered) < 0.99
    assert sum(widths) / len(widths) < 0.6


def test_long_counts_do_not_vanish() -> None:
    """Thousands of rollouts of one solution leave it, and every other one, with numbers."""
    solutions = [
        SolutionToLabel(name, (name,), False, (10.0,), ((1860, 900), (40, 20))) for name in ("many", "none")
    ]
    counts = {"many": RolloutCounts(4000, 2000, 0, 0, 1)}
    beliefs = [beliefs.beliefs[0] for beliefs in ADAPTIVE.estimate(solutions, counts)]

    assert all(0 <= belief.p_wrong_low <= 1 for belief in beliefs)
    assert beliefs[0].p_wrong_high < 0.05
    assert beliefs[0].value == pytest.approx(0.5, abs=0.05)


def test_equal_prefixes_are_rolled_out_once() -> None:
    """Two solutions that start alike share the rollouts of what they share."""
    solutions = [SolutionToLabel(name, ("x", name), False, (20.0, 10.0)) for name in ("a", "b")]
    estimator = CountingEstimator("exhaustive", 8)

    assert missing_rollouts(solutions, estimator.next_rollouts(solutions, {}), {}) == {"x": 8, "a": 8, "b": 8}


def test_siblings_are_rollouts_nobody_pays_for() -> None:
    """Other solutions that go on from a prefix and end right tell that it is right."""
    alone = SolutionToLabel("s", ("x", "y", "z"), False, (30.0, 20.0, 10.0))
    helped = SolutionToLabel(
        "s", ("x", "y", "z"), False, (30.0, 20.0, 10.0), ((1, 0), (1, 0), (7, 6), (0, 0))
    )
    (before,), (after,) = (ADAPTIVE.estimate([solution], {}) for solution in (alone, helped))

    assert after.beliefs[1].p_wrong_high < 0.5 * before.beliefs[1].p_wrong_low


def test_a_teacher_moves_the_belief() -> None:
    """A reward model that finds the second step suspect is heard before any rollout."""
    solution = SolutionToLabel(
        "s", ("x", "y", "z"), False, (30.0, 20.0, 10.0), error_odds=(1.0, 30.0, 1.0, 1.0)
    )
    (beliefs,) = ADAPTIVE.estimate([solution], {})

    assert beliefs.first_error() == 1


def test_a_problem_nobody_solves_gives_no_signal() -> None:
    """Nothing ever comes out right: the search stops early and says so."""
    keys = ("x", "y", "z")
    solution = SolutionToLabel("s", keys, False, (30.0, 20.0, 10.0), ((40, 0), (0, 0), (0, 0), (0, 0)))
    counts = {key: RolloutCounts(8, 0, 0, 0, 80) for key in keys}

    assert ADAPTIVE.next_rollouts([solution], counts) == []
    assert not ADAPTIVE.estimate([solution], counts)[0].has_signal


def test_a_case_that_does_not_add_up_is_refused() -> None:
    """Costs, siblings and odds come for every prefix or not at all."""
    with pytest.raises(InputError, match="expected cost"):
        SolutionToLabel("s", ("x",), True, ())
    with pytest.raises(InputError, match="for all steps or none"):
        SolutionToLabel("s", ("x",), True, (1.0,), error_odds=(1.0,))
    with pytest.raises(InputError, match="more siblings are right"):
        SolutionToLabel("s", ("x",), True, (1.0,), siblings=((1, 2), (0, 0)))
