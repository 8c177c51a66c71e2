"""Sampling from a real vLLM server on the loopback address."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.sampling import EngineConfig, SamplingSpec
from stepmark.models.sampling.endpoints import EndpointsSampler

pytestmark = pytest.mark.slow
_START_TIMEOUT_S = 600.0


@pytest.fixture(scope="module")
def url(tiny_model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the tiny model under the name "tiny", with 64 tokens of context."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = {
        "model": str(tiny_model_path),
        "served-model-name": "tiny",
        "host": "127.0.0.1",
        "port": str(port),
        "dtype": "float32",
        "max-model-len": "64",
        "max-num-seqs": "64",
    }
    flags = [part for name, value in arguments.items() for part in (f"--{name}", value)]
    settings = {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    }
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *flags, "--enforce-eager"],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **settings},
            process_group=0,  # its engine process goes with it
        )
        try:
            _wait_until_up(server, f"http://127.0.0.1:{port}/health", log)
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def sampler_on(url: str, *, logprobs: bool = False) -> EndpointsSampler:
    """A sampler of the server's model."""
    return EndpointsSampler(
        EngineConfig(kind="endpoints", model="tiny", urls=(url,), max_model_len=64, logprobs=logprobs)
    )


def test_a_real_server_answers_like_the_protocol_says(url: str) -> None:
    """Different samples, both finish reasons, exact token counts and log probabilities."""
    with sampler_on(url, logprobs=True) as sampler:
        completions = sampler.sample(["1+1=", "2+2="], 32, SamplingSpec(max_tokens=48))
    samples = [sample for group in completions for sample in group]

    assert [len(group) for group in completions] == [32, 32]
    assert len({sample.text for sample in samples}) == 64
    assert {sample.finish_reason for sample in samples} == {"stop", "length"}
    assert {len(sample.text) for sample in samples if sample.finish_reason == "length"} == {48}
    assert all(sample.num_tokens == len(sample.text) + (sample.finish_reason == "stop") for sample in samples)
    assert all(
        # Nearly uniform over 300 tokens: log(1/300) is -5.7 a token.
        -6.5 < sample.cumulative_logprob / sample.num_tokens < -4.5
        for sample in samples
        if sample.cumulative_logprob is not None
    )
    assert None not in {sample.cumulative_logprob for sample in samples}


def test_a_real_server_refuses_a_prompt_that_does_not_fit(url: str) -> None:
    """Its own message comes through, with the prompt's place."""
    with (
        sampler_on(url) as sampler,
        pytest.raises(InputError, match=r"prompt 1: .*status 400.*64"),
    ):
        sampler.sample(["1+1=", "x" * 80], 2, SamplingSpec(max_tokens=8))


def _wait_until_up(server: subprocess.Popen[bytes], health: str, log: Path) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            if httpx.get(health, timeout=2).status_code == httpx.codes.OK:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text()[-2000:]}")
