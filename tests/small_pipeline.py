"""A home with a small minimath profile, and an engine that answers at once without a model: fixtures.

Leaves out: trained models; what reads them is tested on rows that a test writes.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import polars as pl
import pytest

from stepmark.labeling.minimath import work_of
from stepmark.models.sampling import Completion, SamplingSpec
from stepmark.pipeline.generate import sample_solutions, split_solutions
from stepmark.pipeline.grade import grade_solutions
from stepmark.pipeline.ingest import ingest_problems
from stepmark.pipeline.monte_carlo import label_from_rollouts
from stepmark.pipeline.profile import Profile, SamplerSettings
from stepmark.pipeline.profile_file import load_profile
from stepmark.pipeline.rollouts import sample_rollouts
from stepmark.pipeline.samplers import Engines, identify
from stepmark.store.store import Store

if TYPE_CHECKING:
    from stepmark.assets.resources import Pipeline

PROFILE = """
[problems]
num_minimath_train = 4
num_minimath_test = 3

[generator]
model = "fake"
name = "fake"
prompt_template = "{problem}\\n"
max_tokens = 10
batch_tokens = 40

[generation]
num_train_samples = 2
num_test_samples = 3

[rollouts]
num_solutions_per_problem = 2
estimator = "exhaustive"
num_rollouts = 2

[reward]
base = "fake"
prompt_template = "{problem}\\n"
"""


class FakeEngine:
    """Continues every prompt with the problem's canonical solution; ``calls`` counts the batches.

    Every second sample has its last character of the answer changed, so that it is wrong.
    """

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.seeds: list[int] = []
        self.fail_at_call: int | None = None

    def sample(self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec) -> list[list[Completion]]:
        """Answer as said above; raise at the call ``fail_at_call`` counts, as a crash would."""
        if self.fail_at_call is not None and len(self.calls) + 1 == self.fail_at_call:
            raise RuntimeError("the engine died")
        self.calls.append(len(prompts) * num_samples)
        return [[self._completion(prompt, index) for index in range(num_samples)] for prompt in prompts]

    def _completion(self, prompt: str, index: int) -> Completion:
        problem, _, prefix = prompt.partition("\n")
        whole = "\n".join(work_of(problem).steps)
        num_lines_done = prefix.count("\n")
        rest = "\n".join(whole.split("\n")[num_lines_done:])
        if index % 2 == 1:
            rest = rest.replace(r"\boxed{", r"\boxed{1")
        return Completion(text=rest, finish_reason="stop", num_tokens=10, cumulative_logprob=None)


class FakeEngines(Engines):
    """One fake engine for every sampler; ``seeds`` are those it was opened with."""

    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine

    @contextmanager
    def open(self, settings: SamplerSettings, seed: int) -> Iterator[FakeEngine]:  # type: ignore[override]
        """The fake engine."""
        self.engine.seeds.append(seed)
        yield self.engine

    def checkpoint_sha256(self, settings: SamplerSettings) -> str:
        """Of no file."""
        return "0" * 64


@dataclass(frozen=True)
class SmallPipeline:
    """The use cases from problems to Monte-Carlo labels, each given its parts of one profile."""

    store: Store
    profile: Profile
    engines: Engines

    @property
    def generator_id(self) -> str:
        """The generator's ``sampler_id``."""
        return identify(self.profile.generator, self.engines).sampler_id

    @property
    def completer_id(self) -> str:
        """The completer's ``sampler_id``."""
        return identify(self.profile.rollout_sampler, self.engines).sampler_id

    def read(self, sql: str) -> pl.DataFrame:
        """Rows of one query on the store."""
        return self.store.read(sql)

    def with_profile(self, **parts: object) -> "SmallPipeline":
        """The same home and engines with other parts of the profile."""
        return SmallPipeline(self.store, self.profile.model_copy(update=parts), self.engines)

    def sample_solutions(self) -> int:
        """Sample what is missing."""
        asked = self.profile
        return sample_solutions(self.store, asked.problems, asked.generation, asked.generator, self.engines)

    def make_graded_solutions(self) -> "SmallPipeline":
        """Problems, solutions, their steps and outcomes."""
        ingest_problems(self.store, self.profile.problems)
        self.sample_solutions()
        split_solutions(self.store)
        grade_solutions(self.store)
        return self

    def sample_rollouts(self) -> int:
        """Sample what the estimator asks for."""
        asked = self.profile
        return sample_rollouts(
            self.store, asked.rollouts, asked.generator, asked.rollout_sampler, self.engines
        )

    def label_from_rollouts(self) -> int:
        """Make the Monte-Carlo labels."""
        return label_from_rollouts(self.store, self.profile.rollouts, self.generator_id, self.completer_id)


@pytest.fixture
def engine() -> FakeEngine:
    """The fake engine."""
    return FakeEngine()


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    """The small profile as a file."""
    path = tmp_path / "profile.toml"
    path.write_text(PROFILE)
    return path


@pytest.fixture
def profile(profile_path: Path) -> Profile:
    """The small profile."""
    return load_profile(str(profile_path))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "home")


@pytest.fixture
def small(store: Store, profile: Profile, engine: FakeEngine) -> SmallPipeline:
    """The use cases over the small profile and the fake engine."""
    return SmallPipeline(store, profile, FakeEngines(engine))


@pytest.fixture(scope="session")
def graded_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with graded solutions of the small profile, made once and copied: grading starts processes."""
    folder = tmp_path_factory.mktemp("graded")
    (folder / "profile.toml").write_text(PROFILE)
    profile = load_profile(str(folder / "profile.toml"))
    small = SmallPipeline(Store(folder / "home"), profile, FakeEngines(FakeEngine()))
    return small.make_graded_solutions().store.home


@pytest.fixture
def graded(small: SmallPipeline, graded_home: Path) -> SmallPipeline:
    """The small pipeline with graded solutions."""
    shutil.copytree(graded_home, small.store.home)
    return small


@pytest.fixture
def pipeline(tmp_path: Path, profile_path: Path, engine: FakeEngine) -> "Pipeline":
    """Dagster's resource over the same home, profile and engine."""
    from stepmark.assets.resources import Pipeline  # Dagster loads slowly, and few tests need it

    class PipelineWithoutModels(Pipeline):
        fake: ClassVar[FakeEngines] = FakeEngines(engine)

        def engines(self) -> FakeEngines:
            return self.fake

    return PipelineWithoutModels(home=str(tmp_path / "home"), profile=str(profile_path))


@pytest.fixture
def counts(store: Store) -> Callable[[str], int]:
    """A function that counts the rows of a table."""
    return lambda table: int(store.read(f"SELECT count(*) FROM {table}").item())
