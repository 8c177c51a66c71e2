"""A pool of rollouts to try estimators on: every prefix of many minimath solutions rolled out many times.

The pipeline itself makes it, into a home of its own. An estimator that requests a rollout is then given one
of the pool, so that many estimators at many budgets are compared on the same solutions for the price of one
pool. Leaves out: the estimators' results (labels.py).
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from stepmark.labeling.estimating import SolutionToLabel
from stepmark.pipeline.chosen_solutions import chosen_windows
from stepmark.pipeline.generate import sample_solutions, split_solutions
from stepmark.pipeline.grade import grade_solutions
from stepmark.pipeline.ingest import ingest_problems, rate_by_oracle
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.profile_file import load_profile
from stepmark.pipeline.rollouts import sample_rollouts
from stepmark.pipeline.samplers import Engines, identify
from stepmark.store.store import Store

MIN_STEPS = 4
NUM_ROLLOUTS = 32  # from every prefix, to draw from; no estimator requests more
NUM_TRUE = 256  # more of them, from the prefixes of the first problems, to measure true values by
_NUM_SOLUTIONS = 3
_PROFILE = """
[problems]
num_minimath_train = {num_problems}
num_minimath_test = 0
minimath_seed = 7

[generator]
model = "tiny:generator"
name = "tiny-generator"
prompt_template = "{{problem}}\\n"
max_tokens = 120
batch_tokens = 500_000

[generator.engine]
dtype = "float32"
max_model_len = 256

[generation]
num_train_samples = 12
num_test_samples = 0

[rollouts]
{rollouts}

[reward]
base = "tiny:base"
prompt_template = "{{problem}}\\n"
"""
_ROLLOUTS = """
    SELECT prefix_id, outcome, num_tokens, rollout_index FROM rollouts ORDER BY prefix_id, rollout_index
"""
_FIRST_ERRORS = "SELECT solution_id, first_error_index FROM first_errors WHERE label_source = 'oracle'"


@dataclass(frozen=True, slots=True)
class Judged:
    """A solution to label with what the oracle says of it, -1 for no error."""

    solution: SolutionToLabel
    problem_id: str
    first_error: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Problems in all, one solution of each rolled out; of these, with three solutions; and with true values.

    Many problems make intervals narrow; several solutions to one are what people label.
    """

    num_problems: int = 1250
    num_dense: int = 650
    num_true: int = 30


class Rollout(NamedTuple):
    """``outcome`` as an estimator is told; ``whole_outcome``: had it not been cut off."""

    outcome: str
    num_tokens: int
    whole_outcome: str


@dataclass(frozen=True, slots=True)
class Pool:
    """``rollouts`` by prefix id. ``truth``: values by other rollouts, where they were measured."""

    judged: list[Judged]
    rollouts: dict[str, list[Rollout]]
    truth: dict[str, float]


def make_pool(home: Path, sizes: Sizes) -> Pool:
    """Sample what the home lacks of the pool, and read it."""
    profile = _profile(home, sizes.num_problems, _exhaustive(1, NUM_ROLLOUTS))
    store = _store_of_solutions(home, profile)
    roll_out(store, profile, Engines())
    for num_solutions, num_rollouts, num_problems in (
        (_NUM_SOLUTIONS, NUM_ROLLOUTS, sizes.num_dense),
        (_NUM_SOLUTIONS, NUM_ROLLOUTS + NUM_TRUE, sizes.num_true),
    ):
        rollouts = _exhaustive(num_solutions, num_rollouts, num_problems)
        roll_out(store, _profile(home, sizes.num_problems, rollouts), Engines())
    return _read(store, _profile(home, sizes.num_problems, _exhaustive(_NUM_SOLUTIONS, NUM_ROLLOUTS)))


def labeled_home(home: Path, num_problems: int, num_solutions: int) -> tuple[Store, Profile]:
    """A home whose solutions wait to be labeled by the default estimator."""
    profile = _profile(home, num_problems, f"num_solutions_per_problem = {num_solutions}")
    return _store_of_solutions(home, profile), profile


def roll_out(store: Store, profile: Profile, engines: Engines) -> int:
    """Sample what the profile's estimator asks for; return the number of new rollouts."""
    return sample_rollouts(store, profile.rollouts, profile.generator, profile.rollout_sampler, engines)


def _store_of_solutions(home: Path, profile: Profile) -> Store:
    store = Store(home)
    ingest_problems(store, profile.problems)
    sample_solutions(store, profile.problems, profile.generation, profile.generator, Engines())
    split_solutions(store)
    grade_solutions(store)
    rate_by_oracle(store)
    return store


def _exhaustive(num_solutions: int, num_rollouts: int, num_problems: int | None = None) -> str:
    limit = "" if num_problems is None else f"\nmax_problems = {num_problems}"
    return f"""
num_solutions_per_problem = {num_solutions}
estimator = "exhaustive"
num_rollouts = {num_rollouts}{limit}"""


def _profile(home: Path, num_problems: int, rollouts: str) -> Profile:
    home.mkdir(parents=True, exist_ok=True)
    path = home / "profile.toml"
    path.write_text(_PROFILE.format(num_problems=num_problems, rollouts=rollouts))
    return load_profile(str(path))


def _read(store: Store, profile: Profile) -> Pool:
    generator_id = identify(profile.generator, Engines()).sampler_id
    first_errors = dict(store.read(_FIRST_ERRORS).iter_rows())
    judged = [
        Judged(chosen.to_label, chosen.solution.problem_id, first_errors[chosen.to_label.solution_id])
        for window in chosen_windows(store, profile.rollouts, generator_id, generator_id)
        for chosen in window
        if chosen.to_label.num_steps >= MIN_STEPS
    ]
    rollouts: dict[str, list[Rollout]] = defaultdict(list)
    true: dict[str, list[bool]] = defaultdict(list)
    for key, outcome, num_tokens, index in store.read(_ROLLOUTS).iter_rows():
        if index < NUM_ROLLOUTS:
            rollouts[key].append(Rollout(outcome, num_tokens, outcome))
        elif outcome in ("correct", "incorrect", "no_answer"):
            true[key].append(outcome == "correct")
    truth = {key: sum(rights) / len(rights) for key, rights in true.items()}
    whole = [
        one for one in judged if all(len(rollouts[key]) == NUM_ROLLOUTS for key in one.solution.prefix_ids)
    ]
    return Pool(whole, rollouts, truth)


def cut_off(pool: Pool, share: float) -> tuple[Pool, int]:
    """The pool as a lower ``max_tokens`` would have left it: it cuts off about ``share`` of the rollouts."""
    lengths = sorted(one.num_tokens for rollouts in pool.rollouts.values() for one in rollouts)
    limit = lengths[int((1 - share) * len(lengths))]
    rollouts = {
        key: [
            one._replace(outcome="truncated", num_tokens=limit) if one.num_tokens > limit else one
            for one in ones
        ]
        for key, ones in pool.rollouts.items()
    }
    return Pool(pool.judged, rollouts, pool.truth), limit
