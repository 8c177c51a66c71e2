"""A home with a small minimath profile, and an engine that answers at once without a model."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from stepmark.assets.resources import Pipeline
from stepmark.labeling.minimath import truth
from stepmark.models.sampling import Completion, SamplingSpec
from stepmark.pipeline import sampling
from stepmark.pipeline.generate import sample_solutions, split_solutions
from stepmark.pipeline.grade import grade_solutions
from stepmark.pipeline.ingest import ingest_problems
from stepmark.pipeline.profile import Profile, load_profile
from stepmark.store.store import Store

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
        whole = "\n".join(truth(problem).steps)
        num_lines_done = prefix.count("\n")
        rest = "\n".join(whole.split("\n")[num_lines_done:])
        if index % 2 == 1:
            rest = rest.replace(r"\boxed{", r"\boxed{1")
        return Completion(text=rest, finish_reason="stop", num_tokens=10, cumulative_logprob=None)


def use_fake_engine(patch: pytest.MonkeyPatch) -> FakeEngine:
    """Put a fake engine in the place where the pipeline opens engines."""
    fake = FakeEngine()

    @contextmanager
    def open_fake(settings: object, seed: int) -> Iterator[FakeEngine]:
        fake.seeds.append(seed)
        yield fake

    patch.setattr(sampling, "open_engine", open_fake)
    patch.setattr(sampling, "checkpoint_sha256", lambda model: "0" * 64)
    return fake


def small_profile(folder: Path) -> Profile:
    """The small profile, from a file in the folder."""
    path = folder / "profile.toml"
    path.write_text(PROFILE)
    return load_profile(str(path))


@pytest.fixture(scope="session")
def sampled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with sampled, split and graded solutions, made once and copied: grading starts processes."""
    folder = tmp_path_factory.mktemp("sampled")
    store, profile = Store(folder / "home"), small_profile(folder)
    with pytest.MonkeyPatch.context() as patch:
        use_fake_engine(patch)
        ingest_problems(store, profile.problems)
        sample_solutions(store, profile)
    split_solutions(store)
    grade_solutions(store)
    return store.home


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """The fake engine, in the place where the pipeline opens engines."""
    return use_fake_engine(monkeypatch)


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
def sampled(store: Store, sampled_home: Path, engine: FakeEngine) -> Store:
    """A store with sampled, split and graded solutions."""
    shutil.copytree(sampled_home, store.home)
    return store


@pytest.fixture
def pipeline(tmp_path: Path, profile_path: Path) -> Pipeline:
    """The resource over the same home and profile."""
    return Pipeline(home=str(tmp_path / "home"), profile=str(profile_path))


@pytest.fixture
def counts(store: Store) -> Callable[[str], int]:
    """A function that counts the rows of a table."""
    return lambda table: int(store.read(f"SELECT count(*) FROM {table}").item())
