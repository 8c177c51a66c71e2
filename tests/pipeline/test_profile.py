"""Profiles: what is read, and how paths, models and engine options reach the pipeline."""

from pathlib import Path
from typing import Any

import pytest

from stepmark.models.sampling import EngineConfig
from stepmark.pipeline import samplers
from stepmark.pipeline.profile import Engine, Profile
from stepmark.pipeline.profile_file import load_profile


def test_the_embedded_default_is_a_whole_profile() -> None:
    """It judges on at least 200 problems, at N up to 64."""
    profile = load_profile("minimath")

    assert profile.problems.num_minimath_test >= 200
    assert profile.evaluation.n == (1, 4, 16, 64)
    assert profile.generation.num_test_samples == 64
    assert [model.pools_solution for model in profile.reward.models if model.kind == "orm"] == [False, True]


def test_relative_paths_start_at_the_profiles_folder(tmp_path: Path, profile_path: Path) -> None:
    """A profile can travel with its data."""
    files = '[problems]\nfiles = [{ path = "math.jsonl", split = "train" }]\n'
    profile_path.write_text(profile_path.read_text().replace("[problems]\n", files))

    assert load_profile(str(profile_path)).problems.files[0].path == str(tmp_path / "math.jsonl")


def test_sizes_of_subsets_are_put_in_order(profile_path: Path) -> None:
    """Reports call the last one the largest."""
    profile_path.write_text(profile_path.read_text() + "[evaluation]\nn = [3, 1, 3]\n")

    assert load_profile(str(profile_path)).evaluation.n == (1, 3)


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
    monkeypatch.setattr(samplers, "open_sampler", opened.append)
    options: dict[str, Any] = {
        "kind": "endpoints", "urls": ("http://127.0.0.1:1",), "api_key_variable": "K", "dtype": "float16",
        "max_model_len": 99, "max_num_seqs": 7, "kv_cache_gib": 0.5, "gpu_memory_utilization": 0.4,
        "num_threads": 3, "logprobs": True, "timeout_s": 9.0, "max_tries": 2,
    }  # fmt: skip
    settings = load_profile(str(profile_path)).generator
    samplers.Engines().open(settings.model_copy(update={"engine": Engine(**options)}), 5)

    assert [config.model_dump() for config in opened] == [options | {"model": "fake", "seed": 5}]
