"""Choosing an engine by its configuration."""

import dataclasses

import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.sampling import EndpointsSampler, EngineConfig, InProcessSampler, open_sampler

IN_PROCESS = EngineConfig(kind="in_process", model="models/some")
ENDPOINTS = EngineConfig(kind="endpoints", model="some", urls=("http://127.0.0.1:1",))


def _state(sampler: object) -> str:
    return repr([(name, value) for name, value in vars(sampler).items() if "lock" not in name])


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
def test_every_field_reaches_its_engine(field: str, value: object, config: EngineConfig) -> None:
    """A field that nothing reads would be a promise that nothing keeps."""
    changed = dataclasses.replace(config, **{field: value})

    assert _state(open_sampler(changed)) != _state(open_sampler(config))


def test_urls_for_the_in_process_engine_are_refused() -> None:
    """They would be ignored, and the model would run here in spite of them."""
    with pytest.raises(InputError, match="reads no urls"):
        open_sampler(dataclasses.replace(IN_PROCESS, urls=("http://127.0.0.1:1",)))


def test_endpoints_without_urls_are_refused() -> None:
    """There is nothing to ask."""
    with pytest.raises(InputError, match="has no urls"):
        open_sampler(dataclasses.replace(ENDPOINTS, urls=()))


def test_an_unknown_kind_is_refused() -> None:
    """The message names the kinds there are."""
    with pytest.raises(InputError, match="'ray' is unknown; use 'in_process' or 'endpoints'"):
        open_sampler(dataclasses.replace(IN_PROCESS, kind="ray"))  # type: ignore[arg-type]
