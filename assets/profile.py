"""The profile: one TOML file that names the data, the models and the sizes of a pipeline.

``minimath`` is the embedded default; a profile of your own names MATH files and real models. Leaves out:
secrets (an API key is named by its environment variable) and the home folder.
"""

import tomllib
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from stepmark.labeling.errors import InputError

from .reserved_names import why_refused

BUILT_IN = ("minimath",)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemFile(_Part):
    """One file or folder of problems. ``split`` is needed where the file does not tell it."""

    path: str
    source: str = "math"
    split: Literal["train", "test"] | None = None


class LabelFile(_Part):
    """One file of ratings. Without ``split``, stored problems keep theirs, and new ones are train."""

    path: str
    format: str = "auto"
    split: Literal["train", "test"] | None = None


class Problems(_Part):
    """``num_minimath_*`` problems are drawn from minimath; files are read beside them.

    Sampling takes at most ``max_train`` and ``max_test`` problems of ``levels`` (empty: all), in the order
    of their ids, which is as good as random and the same everywhere.
    """

    num_minimath_train: int = Field(0, ge=0)
    num_minimath_test: int = Field(0, ge=0)
    minimath_seed: int = 0
    files: tuple[ProblemFile, ...] = ()
    labels: tuple[LabelFile, ...] = ()
    levels: tuple[int, ...] = ()
    max_train: int | None = Field(None, ge=0)
    max_test: int | None = Field(None, ge=0)


class Engine(_Part):
    """Where a model runs: in this process with vLLM, or behind OpenAI-compatible ``urls``.

    The fields are those of ``stepmark.models.sampling.EngineConfig``, which explains them; its model and its
    seed are the generator's.
    """

    kind: Literal["in_process", "endpoints"] = "in_process"
    urls: tuple[str, ...] = ()
    api_key_variable: str | None = None
    dtype: str = "auto"
    max_model_len: int = Field(512, ge=16)
    max_num_seqs: int = Field(1024, ge=1)
    kv_cache_gib: float | None = Field(None, gt=0)
    gpu_memory_utilization: float = Field(0.9, gt=0, le=1)
    num_threads: int | None = Field(None, ge=1)
    logprobs: bool = False
    timeout_s: float = Field(3600.0, gt=0)
    max_tries: int = Field(8, ge=1)


class Sampler(_Part):
    """A generator or completer: a model, how it is prompted, and how it is sampled.

    ``batch_tokens`` bounds the tokens of one batch, which is what a kill can lose.
    """

    model: str
    name: str
    prompt_template: str
    temperature: float = Field(1.0, ge=0)
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(256, ge=1)
    stop: tuple[str, ...] = ()
    seed: int = 0
    batch_tokens: int = Field(400_000, ge=1)
    engine: Engine = Engine()

    @model_validator(mode="after")
    def _template_holds_problem(self) -> "Sampler":
        if "{problem}" not in self.prompt_template:
            raise ValueError("prompt_template does not hold {problem}")
        return self


class Generation(_Part):
    """Samples per problem of each split."""

    num_train_samples: int = Field(8, ge=0)
    num_test_samples: int = Field(64, ge=0)


class Grading(_Part):
    """A second grader judges at most ``max_audited_pairs`` verdicts of the first again; 0 turns it off."""

    max_audited_pairs: int = Field(500, ge=0)


class Rollouts(_Part):
    """Monte-Carlo labeling: the solutions taken per train problem, and how their first errors are found.

    ``estimator`` adaptive: rollouts where they tell most, until one place holds ``confidence`` of the belief
    in the first error, ``max_rollouts`` of a solution are spent, or another ``chunk`` of them is expected to
    tell less than ``min_gain`` nats. exhaustive, sequential, binary: ``num_rollouts`` from each prefix
    they ask for. ``teacher`` names a reward model whose stored scores of the solutions, from an earlier
    refresh, tell an adaptive search where to look first. With ``soft_targets`` PRMs learn the values
    themselves; otherwise hard labels.
    """

    num_solutions_per_problem: int = Field(2, ge=0)
    max_problems: int | None = Field(None, ge=0)
    estimator: Literal["adaptive", "exhaustive", "sequential", "binary"] = "adaptive"
    num_rollouts: int = Field(8, ge=1)
    confidence: float = Field(0.8, gt=0.5, lt=1)
    chunk: int = Field(4, ge=1)
    max_rollouts: int = Field(32, ge=1)
    min_gain: float = Field(0.05, ge=0)
    teacher: str | None = None
    soft_targets: bool = False


class RewardModel(_Part):
    """One reward model to train. An ORM learns from outcomes; a PRM from the label sources it names.

    ``max_problems`` takes the examples of the first so many problems in the order of their ids.
    """

    name: str
    kind: Literal["orm", "prm"]
    label_sources: tuple[str, ...] = ()
    max_problems: int | None = Field(None, ge=1)

    @field_validator("name")
    @classmethod
    def _name_is_free(cls, name: str) -> str:
        reason = why_refused(name)
        if reason:
            raise ValueError(f"{reason}; choose another name")
        return name

    @model_validator(mode="after")
    def _sources_fit_kind(self) -> "RewardModel":
        if (self.kind == "prm") != bool(self.label_sources):
            raise ValueError("a prm names label_sources, an orm none (it learns from outcomes)")
        return self


class Reward(_Part):
    """What all reward models share: the base they start from, and the training."""

    base: str
    prompt_template: str
    max_tokens: int = Field(512, ge=16)
    head_size: int = Field(64, ge=1)
    reads_hidden: bool = True
    reads_likelihood: bool = True
    num_epochs: float = Field(2.0, gt=0)
    batch_solutions: int = Field(32, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    backbone_rate_factor: float = Field(0.3, ge=0)
    validation_share: float = Field(0.1, ge=0, lt=1)
    seed: int = 0
    models: tuple[RewardModel, ...] = ()
    likelihoods: tuple[str, ...] = ()


class Leaks(_Part):
    """When a problem trained on is too like one evaluated on; ``allow_leak`` trains on it, on record.

    The other fields are those of ``stepmark.labeling.overlap.OverlapPolicy``, which explains them.
    """

    allow_leak: bool = False
    num_words: int = Field(8, ge=1)
    min_share: float = Field(0.5, gt=0, le=1)
    max_common: int = Field(10, ge=1)


class Evaluation(_Part):
    """The N of best-of-N, and the seed of its votes and intervals."""

    n: tuple[int, ...] = (1, 4, 16, 64)
    seed: int = 0


class Profile(_Part):
    """A whole pipeline. See ``assets/profiles/minimath.toml`` for one with every part explained."""

    problems: Problems
    generator: Sampler
    generation: Generation = Generation()
    grading: Grading = Grading()
    rollouts: Rollouts = Rollouts()
    leaks: Leaks = Leaks()
    reward: Reward
    evaluation: Evaluation = Evaluation()

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
    if name in BUILT_IN:
        text = resources.files(__package__).joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8")
    else:
        path = Path(name)
        folder = path.resolve().parent
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name}: byte {error.start + 1} is not UTF-8; give a TOML file, saved as UTF-8."
            ) from error
        except OSError as error:
            raise InputError(
                f"{name}: no profile can be read here ({error.strerror}); give a TOML file or {BUILT_IN[0]}."
            ) from error
    try:
        return _with_absolute_paths(Profile.model_validate(tomllib.loads(text)), folder)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: this is not TOML ({error}); mend the line.") from error
    except ValidationError as error:
        raise InputError(f"{name}, {_first_problem(error)}.") from error


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "profile"
    if first["type"] == "extra_forbidden":
        return f"{where}: there is no such key; the keys here are {', '.join(_keys_beside(first['loc']))}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message} (value {first['input']!r:.80}); mend it"


def _keys_beside(where: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys of the part of a profile in which ``where`` lies."""
    part: type[BaseModel] = Profile
    for name in where[:-1]:
        if isinstance(name, str):  # a number is a place in a list of parts
            kind = part.model_fields[name].annotation
            part = next(one for one in (*get_args(kind), kind) if isinstance(one, type))
    return tuple(part.model_fields)


def _with_absolute_paths(profile: Profile, folder: Path) -> Profile:
    problems, generator, reward = profile.problems, profile.generator, profile.reward
    # A server knows its model by name, whatever folders are here.
    model = generator.model if generator.engine.kind == "endpoints" else _model(generator.model, folder)
    return profile.model_copy(
        update={
            "problems": problems.model_copy(
                update={
                    "files": tuple(_absolute(file, folder) for file in problems.files),
                    "labels": tuple(_absolute(file, folder) for file in problems.labels),
                }
            ),
            "generator": generator.model_copy(update={"model": model}),
            "reward": reward.model_copy(
                update={
                    "base": _model(reward.base, folder),
                    "likelihoods": tuple(_model(name, folder) for name in reward.likelihoods),
                }
            ),
        }
    )


def _absolute(file: ProblemFile | LabelFile, folder: Path) -> ProblemFile | LabelFile:
    return file.model_copy(update={"path": str(folder / Path(file.path).expanduser())})


def _model(name: str, folder: Path) -> str:
    """The folder of a model; a name that is none (on a hub, or one that comes along) stays as it is."""
    found = folder / Path(name).expanduser()
    return str(found) if found.is_dir() else name
