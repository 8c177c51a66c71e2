"""The profile: one TOML file that names the data, the models and the sizes of a pipeline.

``minimath`` is the embedded default; a profile of your own names MATH files and real models. Leaves out:
secrets (an API key is named by its environment variable) and the home folder.
"""

from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import kind_of

from .profile_part import Count, Part, Seed, Size, expanded, parse_toml, read_toml, shown
from .reserved_names import why_refused

BUILT_IN = ("minimath",)


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


class Engine(Part):
    """Where a model runs: in this process with vLLM, or behind OpenAI-compatible ``urls``.

    The fields are those of ``stepmark.models.sampling.EngineConfig``, which explains them; its model and its
    seed are the generator's.
    """

    kind: Literal["in_process", "endpoints"] = "in_process"
    urls: tuple[str, ...] = ()
    api_key_variable: str | None = None
    dtype: str = "auto"
    max_model_len: Annotated[Size, Field(ge=16)] = 512
    max_num_seqs: Size = 1024
    kv_cache_gib: float | None = Field(None, gt=0)
    gpu_memory_utilization: float = Field(0.9, gt=0, le=1)
    num_threads: Size | None = None
    logprobs: bool = False
    timeout_s: float = Field(3600.0, gt=0, le=1e8)
    max_tries: Size = 8

    @model_validator(mode="after")
    def _urls_fit_kind(self) -> "Engine":
        if (self.kind == "endpoints") != bool(self.urls):
            raise ValueError("endpoints name urls, in_process none")
        for url in self.urls:
            if not url.startswith(("http://", "https://")):
                raise ValueError(f"the url {url!r:.80} does not start with http:// or https://")
        return self


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


def load_profile(name: str) -> Profile:
    """Read a built-in profile by name, or a TOML file by path; its relative paths start at its folder.

    Raises:
        InputError: with the file, the field and the value that is wrong.
    """
    folder = Path.cwd()
    values: dict[str, Any]
    if name in BUILT_IN:
        text = resources.files(__package__).joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8")
        values = parse_toml(name, text)
    else:
        values = read_toml(name, Path(name), f"give a TOML file or {BUILT_IN[0]}")
        folder = Path(name).resolve().parent
    try:
        profile = Profile.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{name}, {_first_problem(error)}.") from error
    _refuse_unreachable_n(name, profile)
    return _with_absolute_paths(profile, folder)


def _refuse_unreachable_n(name: str, profile: Profile) -> None:
    """No validator of ``Profile``: its error would name the whole profile, and not the key."""
    num_samples, n = profile.generation.num_test_samples, profile.evaluation.n
    if "n" in profile.evaluation.model_fields_set and 0 < num_samples < n[-1]:
        raise InputError(
            f"{name}, evaluation.n: {n[-1]} samples cannot be picked from generation.num_test_samples ="
            f" {num_samples} (value {shown(list(n))}); ask for a smaller N or for more samples."
        )


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    keys = (str(part) for part in first["loc"])
    where = ".".join(key if key.isprintable() else shown(key) for key in keys) or "profile"
    if first["type"] == "extra_forbidden":
        return f"{where}: there is no such key; the keys here are {', '.join(_keys_beside(first['loc']))}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message} (value {shown(first['input'])}); mend it"


def _keys_beside(where: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys of the part of a profile in which ``where`` lies."""
    part: type[BaseModel] = Profile
    for name in where[:-1]:
        if isinstance(name, str):  # a number is a place in a list of parts
            kind = part.model_fields[name].annotation
            part = next(one for one in (*get_args(kind), kind) if isinstance(one, type))
    return tuple(part.model_fields)


def _with_absolute_paths(profile: Profile, folder: Path) -> Profile:
    problems, completer, reward = profile.problems, profile.completer, profile.reward
    return profile.model_copy(
        update={
            "problems": problems.model_copy(
                update={
                    "files": tuple(_absolute(file, folder) for file in problems.files),
                    "labels": tuple(_absolute(file, folder) for file in problems.labels),
                }
            ),
            "generator": _with_absolute_model(profile.generator, folder),
            "completer": None if completer is None else _with_absolute_model(completer, folder),
            "reward": reward.model_copy(
                update={
                    "base": _model(reward.base, folder),
                    "likelihoods": tuple(_model(name, folder) for name in reward.likelihoods),
                }
            ),
        }
    )


def _with_absolute_model(sampler: SamplerSettings, folder: Path) -> SamplerSettings:
    if sampler.engine.kind == "endpoints":  # a server knows its model by name, whatever folders are here
        return sampler
    return sampler.model_copy(update={"model": _model(sampler.model, folder)})


def _absolute(file: ProblemFile | LabelFile, folder: Path) -> ProblemFile | LabelFile:
    return file.model_copy(update={"path": str(folder / expanded(file.path))})


def _model(name: str, folder: Path) -> str:
    """The folder of a model; a name that is none (on a hub, or one that comes along) stays as it is."""
    found = folder / expanded(name)
    return str(found) if kind_of(found) == "a folder" else name
