"""Reading a profile: a built-in one by name, or a TOML file by path; its relative paths start at its folder.

Leaves out: what a profile holds (profile.py), and reading TOML (profile_part.py).
"""

from importlib import resources
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from stepmark.labeling.errors import InputError
from stepmark.labeling.file_kinds import kind_of

from .profile import LabelFile, ProblemFile, Profile, SamplerSettings
from .profile_part import expanded, parse_toml, read_toml, shown

BUILT_IN = ("minimath",)


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
