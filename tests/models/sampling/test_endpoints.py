"""Sampling from a server: requests and their completions."""

import asyncio

import pytest

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.models.sampling import Completion

from .fake_server import SPEC, FakeServer, sampler


def test_completions_come_in_prompt_and_sample_order(server: FakeServer) -> None:
    """Whatever order the servers answer in."""
    with sampler(server.url) as engine:
        completions = engine.sample(["a", "b"], 2, SPEC)

    assert completions == [
        [Completion("a/0", "stop", 1, None), Completion("a/1", "stop", 2, None)],
        [Completion("b/0", "stop", 1, None), Completion("b/1", "stop", 2, None)],
    ]


def test_a_request_names_every_sampling_parameter(server: FakeServer) -> None:
    """What is left out, vLLM takes from the checkpoint's generation_config.json (top_k 20, say)."""
    with sampler(server.url + "/v1/") as engine:
        engine.sample(["a"], 2, SPEC)

    assert server.bodies == [
        {
            "model": "m",
            "prompt": "a",
            "n": 2,
            "temperature": 0.7,
            "top_p": 0.9,
            "max_tokens": 16,
            "stop": ["\n\n"],
            "top_k": 0,
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "return_token_ids": True,
        }
    ]


def test_log_probabilities_are_summed_when_asked_for(server: FakeServer) -> None:
    """They are those of the sampled tokens."""
    with sampler(server.url, logprobs=True) as engine:
        (samples,) = engine.sample(["a"], 2, SPEC)

    assert [sample.cumulative_logprob for sample in samples] == [-0.5, -1.0]


def test_an_empty_prompt_is_refused_before_anything_is_sampled(server: FakeServer) -> None:
    """The message names its place."""
    with sampler(server.url) as engine, pytest.raises(InputError, match="prompt 1 is empty"):
        engine.sample(["a", ""], 1, SPEC)

    assert server.bodies == []


def test_a_closed_sampler_refuses_to_sample(server: FakeServer) -> None:
    """Closing twice is fine."""
    with sampler(server.url) as engine:
        pass
    engine.close()

    with pytest.raises(StepmarkError, match="not open"):
        engine.sample(["a"], 1, SPEC)


def test_sampling_works_inside_a_running_event_loop(server: FakeServer) -> None:
    """A notebook runs one."""

    async def cell() -> int:
        with sampler(server.url) as engine:
            return len(engine.sample(["a"], 3, SPEC)[0])

    assert asyncio.run(cell()) == 3
