"""The profile: one TOML file that names the data, the models and the sizes of a pipeline.

``minimath`` is the embedded default; a profile of your own names MATH files and real models. Leaves out:
secrets (an API key is named by its environment variable) and the home folder.
"""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from stepmark.models.sampling import EngineSettings

from .profile_part import Count, Part, Seed, Size
from .reserved_names import why_refused


class ProblemFile(Part):
    """One file or folder of problems. ``split`` is needed where the file does not tell it."""

    path: str
    source: str = "math"
    split: Literal["train", "test"] | None = None


class LabelFile(Part):
    """One file of ratings. Without ``split``, stored problems keep theirs, and new ones are train."""

    path: str
    format: str = "auto"
    split: Literal["train", "test"] | None = None


class Problems(Part):
    """``num_minimath_*`` problems are drawn from minimath; files are read beside them.

    Sampling takes at most ``max_train`` and ``max_test`` problems of ``levels`` (empty: all), in the order
    of their ids, which is as good as random and the same everywhere.
    """

    num_minimath_train: Count = 0
    num_minimath_test: Count = 0
    minimath_seed: Seed = 0
    files: tuple[ProblemFile, ...] = ()
    labels: tuple[LabelFile, ...] = ()
    levels: tuple[Count, ...] = ()
    max_train: Count | None = None
    max_test: Count | None = None


class Engine(Part, EngineSettings):
    """Where a sampler's model runs, and how; the model itself and the seed are the sampler's."""


class SamplerSettings(Part):
    """A generator or completer: a model, how it is prompted, and how it is sampled.

    ``batch_tokens`` bounds the tokens of one batch, which is what a kill can lose.
    """

    model: str
    name: str
    prompt_template: str
    temperature: float = Field(1.0, ge=0)
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: Size = 256
    stop: tuple[str, ...] = ()
    seed: Seed = 0
    batch_tokens: Size = 400_000
    engine: Engine = Engine()

    @model_validator(mode="after")
    def _template_holds_problem(self) -> "SamplerSettings":
        if "{problem}" not in self.prompt_template:
            raise ValueError("prompt_template does not hold {problem}")
        return self


class Generation(Part):
    """Samples per problem of each split."""

    num_train_samples: Count = 8
    num_test_samples: Count = 64


class Grading(Part):
    """A second grader judges at most ``max_audited_pairs`` verdicts of the first again; 0 turns it off."""

    max_audited_pairs: Count = 500


class Rollouts(Part):
    """Monte-Carlo labeling: the solutions taken per train problem, and how their first errors are found.

    ``estimator`` adaptive: rollouts where they tell most, until one place holds ``confidence`` of the belief
    in the first error, ``max_rollouts`` of a solution are spent, or another ``chunk`` of them is expected to
    tell less than ``min_gain`` nats. exhaustive, sequential, binary: ``num_rollouts`` from each prefix
    they ask for. ``teacher`` names a reward model whose stored scores of the solutions, from an earlier
    refresh, tell an adaptive search where to look first. With ``soft_targets`` PRMs learn the values
    themselves; otherwise hard labels.
    """

    num_solutions_per_problem: Count = 2
    max_problems: Count | None = None
    estimator: Literal["adaptive", "exhaustive", "sequential", "binary"] = "adaptive"
    num_rollouts: Size = 8
    confidence: float = Field(0.8, gt=0.5, lt=1)
    chunk: Size = 4
    max_rollouts: Size = 32
    min_gain: float = Field(0.05, ge=0)
    teacher: str | None = None
    soft_targets: bool = False


class RewardModelSettings(Part):
    """One reward model to train. An ORM learns from outcomes; a PRM from the label sources it names.

    ``max_problems`` takes the examples of the first so many problems in the order of their ids.
    An ORM reads the last step's tokens where it judges; with ``pools_solution`` those of the whole solution.
    """

    name: str
    kind: Literal["orm", "prm"]
    label_sources: tuple[str, ...] = ()
    max_problems: Size | None = None
    pools_solution: bool = False

    @field_validator("name")
    @classmethod
    def _name_is_free(cls, name: str) -> str:
        reason = why_refused(name)
        if reason:
            raise ValueError(f"{reason}; choose another name")
        return name

    @model_validator(mode="after")
    def _sources_fit_kind(self) -> "RewardModelSettings":
        if (self.kind == "prm") != bool(self.label_sources):
            raise ValueError("a prm names label_sources, an orm none (it learns from outcomes)")
        if self.pools_solution and self.kind == "prm":
            raise ValueError("a prm judges steps, so it cannot pool the solution; pools_solution is an orm's")
        return self


class Reward(Part):
    """What all reward models share: the base they start from, and the training."""

    base: str
    prompt_template: str
    max_tokens: Annotated[Size, Field(ge=16)] = 512
    head_size: Size = 64
    reads_hidden: bool = True
    reads_likelihood: bool = True
    num_epochs: float = Field(2.0, gt=0)
    batch_solutions: Size = 32
    learning_rate: float = Field(1e-3, gt=0)
    backbone_rate_factor: float = Field(0.3, ge=0)
    validation_share: float = Field(0.1, ge=0, lt=1)
    seed: Seed = 0
    models: tuple[RewardModelSettings, ...] = ()
    likelihoods: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _head_reads_something(self) -> "Reward":
        if not (self.reads_hidden or self.reads_likelihood):
            raise ValueError("a head that reads neither hidden states nor likelihoods sees nothing")
        return self

    @model_validator(mode="after")
    def _head_pools(self) -> "Reward":
        pooling = [model.name for model in self.models if model.pools_solution]
        if pooling and not self.reads_likelihood:
            raise ValueError(
                f"pools_solution of {pooling[0]} changes nothing where reads_likelihood is false: such a head"
                " reads one token alone"
            )
        return self


class Leaks(Part):
    """When a problem trained on is too like one evaluated on; ``allow_leak`` goes on, on record.

    The other fields are those of ``stepmark.labeling.overlap.OverlapPolicy``, which explains them.
    """

    allow_leak: bool = False
    num_words: Size = 8
    min_share: float = Field(0.5, gt=0, le=1)
    max_common: Size = 10


class Evaluation(Part):
    """The N of best-of-N, and the seed of its votes and intervals.

    Of the default N those are measured that the test problems have samples for; an N that the profile itself
    names and ``generation.num_test_samples`` cannot give is refused. Where test problems are not sampled at
    all nothing is measured, whatever N says.
    """

    n: tuple[Size, ...] = Field((1, 4, 16, 64), min_length=1)
    seed: Seed = 0

    @field_validator("n")
    @classmethod
    def _in_order(cls, n: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(n)))


class Profile(Part):
    """A whole pipeline. See ``pipeline/profiles/minimath.toml`` for one with every part explained.

    Without ``completer`` the generator goes on from prefixes itself.
    """

    problems: Problems
    generator: SamplerSettings
    completer: SamplerSettings | None = None
    generation: Generation = Generation()
    grading: Grading = Grading()
    rollouts: Rollouts = Rollouts()
    leaks: Leaks = Leaks()
    reward: Reward
    evaluation: Evaluation = Evaluation()

    @property
    def rollout_sampler(self) -> SamplerSettings:
        """Who goes on from prefixes in rollouts."""
        return self.completer or self.generator

    @model_validator(mode="after")
    def _names_differ(self) -> "Profile":
        names = [model.name for model in self.reward.models]
        if len(set(names)) != len(names):
            raise ValueError(f"two reward models share a name among {names}")
        return self
