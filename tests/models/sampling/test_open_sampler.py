"""Choosing an engine by its configuration."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from stepmark.labeling.errors import InputError
from stepmark.models.sampling import EngineConfig, open_sampler
from stepmark.models.sampling.endpoints import EndpointsSampler
from stepmark.models.sampling.in_process import InProcessSampler
from stepmark.models.sampling.vllm_engine import engine_arguments

IN_PROCESS = EngineConfig(kind="in_process", model="models/some")
ENDPOINTS = EngineConfig(kind="endpoints", model="some", urls=("http://127.0.0.1:1",))


def _state(config: EngineConfig, folder: Path) -> str:
    """What a sampler holds beside the config itself, and what it would start vLLM with."""
    held = [
        (name, value)
        for name, value in vars(open_sampler(config)).items()
        if name not in ("_lock", "_config")
    ]
    return repr([*held, config.kind == "in_process" and engine_arguments(folder, config, on_cpu=False)])


def test_each_kind_gives_its_sampler() -> None:
    """No engine is started by that."""
    assert isinstance(open_sampler(IN_PROCESS), InProcessSampler)
    assert isinstance(open_sampler(ENDPOINTS), EndpointsSampler)


@pytest.mark.parametrize(
    ("field", "value", "config"),
    [
        ("model", "other", IN_PROCESS),
        ("dtype", "float32", IN_PROCESS),
        ("max_model_len", 128, IN_PROCESS),
        ("max_num_seqs", 7, IN_PROCESS),
        ("seed", 5, IN_PROCESS),
        ("kv_cache_gib", 0.5, IN_PROCESS),
        ("gpu_memory_utilization", 0.5, IN_PROCESS),
        ("num_threads", 2, IN_PROCESS),
        ("logprobs", True, IN_PROCESS),
        ("model", "other", ENDPOINTS),
        ("urls", ("http://127.0.0.1:2",), ENDPOINTS),
        ("api_key_variable", "MY_KEY", ENDPOINTS),
        ("max_model_len", 128, ENDPOINTS),
        ("max_num_seqs", 7, ENDPOINTS),
        ("logprobs", True, ENDPOINTS),
        ("timeout_s", 1.0, ENDPOINTS),
        ("max_tries", 2, ENDPOINTS),
    ],
)
def test_every_field_reaches_its_engine(
    tmp_path: Path, field: str, value: object, config: EngineConfig
) -> None:
    """A field that nothing reads would be a promise that nothing keeps."""
    (tmp_path / "config.json").write_text("{}")
    changed = config.model_copy(update={field: value})

    assert _state(changed, tmp_path) != _state(config, tmp_path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "ray"),
        ("urls", ("http://127.0.0.1:1",)),
        ("max_model_len", 15),
        ("max_num_seqs", 0),
        ("kv_cache_gib", 0.0),
        ("gpu_memory_utilization", 1.1),
        ("num_threads", 0),
        ("timeout_s", float("inf")),
        ("max_tries", 0),
        ("max_tokens", 5),
    ],
)
def test_a_new_config_keeps_its_limits(field: str, value: object) -> None:
    """Found out later, a wrong value would cost the start of an engine, or hours of sampling."""
    with pytest.raises(ValidationError, match="1 validation error for EngineConfig"):
        EngineConfig(model="some", **{field: value})  # type: ignore[arg-type]


def test_urls_for_the_in_process_engine_are_refused() -> None:
    """They would be ignored, and the model would run here in spite of them."""
    with pytest.raises(InputError, match="reads no urls"):
        open_sampler(IN_PROCESS.model_copy(update={"urls": ("http://127.0.0.1:1",)}))


def test_endpoints_without_urls_are_refused() -> None:
    """There is nothing to ask."""
    with pytest.raises(InputError, match="has no urls"):
        open_sampler(ENDPOINTS.model_copy(update={"urls": ()}))


def test_an_unknown_kind_is_refused() -> None:
    """The message names the kinds there are."""
    with pytest.raises(InputError, match="'ray' is unknown; use 'in_process' or 'endpoints'"):
        open_sampler(IN_PROCESS.model_copy(update={"kind": "ray"}))
