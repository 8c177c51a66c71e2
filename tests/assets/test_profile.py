"""Profiles: what is read, and how a wrong one is refused."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from stepmark.assets import sampling
from stepmark.assets.profile import Engine, Profile, load_profile
from stepmark.labeling.errors import InputError
from stepmark.models.sampling import EngineConfig


def test_the_embedded_default_is_a_whole_profile() -> None:
    """It judges on at least 200 problems, at N up to 64."""
    profile = load_profile("minimath")

    assert profile.problems.num_minimath_test >= 200
    assert profile.evaluation.n == (1, 4, 16, 64)
    assert profile.generation.num_test_samples == 64
    assert [model.kind for model in profile.reward.models].count("orm") == 1


def test_relative_paths_start_at_the_profiles_folder(tmp_path: Path, profile_path: Path) -> None:
    """A profile can travel with its data."""
    files = '[problems]\nfiles = [{ path = "math.jsonl", split = "train" }]\n'
    profile_path.write_text(profile_path.read_text().replace("[problems]\n", files))

    assert load_profile(str(profile_path)).problems.files[0].path == str(tmp_path / "math.jsonl")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("max_tokens = 10", "max_tokens = 0", "generator.max_tokens"),
        (
            "max_tokens = 10",
            "max_token = 10",
            "generator.max_token: there is no such key; the keys here are model,",
        ),
        (
            "max_tokens = 10",
            "engine = { kv_cache = 4 }",
            "engine.kv_cache: there is no such key;",
        ),
        (
            "max_tokens = 10",
            "engine = { seed = 4 }",
            "kv_cache_gib, gpu_memory_utilization, num_threads,",
        ),
        (
            "[rollouts]",
            '[[reward.models]]\nname = "a"\nkind = "orm"\nsize = 1\n[rollouts]',
            "reward.models.0.size: there is no such key; the keys here are name, kind, label_sources,",
        ),
        ("{problem}", "Solve it.", "does not hold {problem}"),
        ('name = "fake"', "name = ", "not TOML"),
        (
            "[rollouts]",
            '[[reward.models]]\nname = "a"\nkind = "prm"\n[rollouts]',
            "a prm names label_sources",
        ),
    ],
)
def test_a_wrong_profile_is_refused_with_its_field(
    profile_path: Path, old: str, new: str, message: str
) -> None:
    """One sentence: the file, the field, what is wrong."""
    profile_path.write_text(profile_path.read_text().replace(old, new, 1))

    with pytest.raises(InputError) as refused:
        load_profile(str(profile_path))

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def _with_models(profile_path: Path, engine: str = "") -> Profile:
    (profile_path.parent / "mine").mkdir()
    text = profile_path.read_text().replace('model = "fake"', 'model = "mine"' + engine)
    text = text.replace('base = "fake"', 'base = "mine"\nlikelihoods = ["mine", "tiny:base", "owner/name"]')
    profile_path.write_text(text)
    return load_profile(str(profile_path))


def test_model_folders_start_at_the_profiles_folder(
    tmp_path: Path, profile_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generator, base and likelihoods alike; names that are no folder stay as they are."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    profile = _with_models(profile_path)

    mine = str(tmp_path / "mine")
    assert (profile.generator.model, profile.reward.base) == (mine, mine)
    assert profile.reward.likelihoods == (mine, "tiny:base", "owner/name")


def test_a_servers_model_keeps_its_name(profile_path: Path) -> None:
    """A folder that happens to be called like it is not what the server serves."""
    engine = '\nengine = { kind = "endpoints", urls = ["http://127.0.0.1:1"] }'

    assert _with_models(profile_path, engine).generator.model == "mine"


def test_the_engine_takes_every_option_of_the_samplers(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the profile says reaches the engine's configuration; model and seed are the generator's."""
    opened: list[EngineConfig] = []
    monkeypatch.setattr(sampling, "open_sampler", opened.append)
    options: dict[str, Any] = {
        "kind": "endpoints", "urls": ("http://127.0.0.1:1",), "api_key_variable": "K", "dtype": "float16",
        "max_model_len": 99, "max_num_seqs": 7, "kv_cache_gib": 0.5, "gpu_memory_utilization": 0.4,
        "num_threads": 3, "logprobs": True, "timeout_s": 9.0, "max_tries": 2,
    }  # fmt: skip
    settings = load_profile(str(profile_path)).generator
    sampling.open_engine(settings.model_copy(update={"engine": Engine(**options)}), 5)

    assert [asdict(config) for config in opened] == [options | {"model": "fake", "seed": 5}]


_ORM = '[[reward.models]]\nname = "{}"\nkind = "orm"\n'


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("majority", "a selector"),
        ("pass", "a selector"),
        ("monte_carlo", "a label source"),
        ("human", "a label source"),
        ("oracle", "a label source"),
        ("best_of_n", "an asset"),
        ("config", "Dagster"),
        ("orm_weighted", "like the name of a selector"),
        ("prm_min", "like the name of a selector"),
        ("my_likelihood_sum", "like the name of a selector"),
        ("a/../b", "other characters"),
        ("prm-2", "other characters"),
    ],
)
def test_a_reward_model_with_a_name_that_is_taken_is_refused(
    profile_path: Path, name: str, reason: str
) -> None:
    """Its figures, asset or checkpoint would be mixed up with another's; one sentence says with whose."""
    profile_path.write_text(profile_path.read_text() + _ORM.format(name))

    with pytest.raises(InputError, match=rf"reward\.models\.0\.name: .*{reason}.*choose another") as refused:
        load_profile(str(profile_path))

    assert "\n" not in str(refused.value)


def test_ordinary_names_of_reward_models_are_taken(profile_path: Path) -> None:
    """Numbers and words that only contain a reserved one are free."""
    names = ("orm", "prm_2", "prm_monte_carlo", "passable")
    profile_path.write_text(profile_path.read_text() + "".join(map(_ORM.format, names)))

    assert tuple(model.name for model in load_profile(str(profile_path)).reward.models) == names


def test_a_missing_profile_is_refused() -> None:
    """The message names the file and the built-in one."""
    with pytest.raises(InputError, match=r"nowhere.toml: no profile can be read here .* or minimath"):
        load_profile("nowhere.toml")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes of a picture, say: one sentence, no traceback."""
    path = tmp_path / "picture.toml"
    path.write_bytes(b"\x89PNG\xff")

    with pytest.raises(InputError, match=r"picture.toml: byte 1 is not UTF-8"):
        load_profile(str(path))
