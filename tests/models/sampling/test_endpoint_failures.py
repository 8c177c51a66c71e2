"""Failures of servers while they are asked: which are tried again, and how the others are told."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stepmark.labeling.errors import InputError, StepmarkError

from .fake_server import SPEC, FakeServer, Reply, failure, sampler


@pytest.mark.parametrize(
    "bad",
    [
        failure(500),
        failure(503),
        failure(429, Retry_After="0"),
        (200, b"<html>", {}),
        (200, {"choices": []}, {}),
        (200, {"choices": [{"index": 0, "text": "x", "finish_reason": "stop", "token_ids": [1]}]}, {}),
        (200, {"choices": [{"index": i, "text": "", "finish_reason": "abort"} for i in (0, 1)]}, {}),
    ],
    ids=["crash", "overload", "busy", "no JSON", "none", "one of two", "aborted"],
)
def test_a_passing_failure_is_tried_again(bad: Reply) -> None:
    """Fewer completions than asked for, and aborted ones, are failures too."""
    with FakeServer(replies=(bad, bad)) as server, sampler(server.url) as engine:
        (samples,) = engine.sample(["a"], 2, SPEC)

    assert [sample.text for sample in samples] == ["a/0", "a/1"]
    assert len(server.bodies) == 3


def test_a_lasting_failure_names_url_status_and_remedy() -> None:
    """And no completion of the call comes back."""
    with (
        FakeServer(replies=(failure(500, "engine is dead"),) * 3) as server,
        sampler(server.url) as engine,
        pytest.raises(StepmarkError) as raised,
    ):
        engine.sample(["a"], 2, SPEC)

    assert str(raised.value) == (
        f"{server.url}/v1/completions: status 500 (engine is dead) for prompt 0 after 3 tries;"
        " check the server's log and sample again, nothing of this call is kept."
    )


def test_a_refused_prompt_is_not_tried_again() -> None:
    """The message names the prompt and repeats what the server says."""
    refusal = failure(400, "maximum context length is 512 tokens")
    with (
        FakeServer(replies=(refusal,)) as server,
        sampler(server.url) as engine,
        pytest.raises(InputError, match=r"prompt 0: .* status 400 \(maximum context length is 512"),
    ):
        engine.sample(["a"], 2, SPEC)

    assert len(server.bodies) == 1


@pytest.mark.parametrize(("status", "remedy"), [(401, "api_key_variable"), (404, "check the url")])
def test_a_refusal_for_another_reason_says_what_to_change(status: int, remedy: str) -> None:
    """A wrong key or path does not get better by trying again."""
    with (
        FakeServer(replies=(failure(status),)) as server,
        sampler(server.url) as engine,
        pytest.raises(StepmarkError, match=rf"status {status}.*{remedy}"),
    ):
        engine.sample(["a"], 1, SPEC)

    assert len(server.bodies) == 1


def test_a_server_that_does_not_count_tokens_is_refused() -> None:
    """The token counts of several samples cannot be guessed from their total."""
    choices = [{"index": index, "text": "x", "finish_reason": "stop"} for index in (0, 1)]
    reply = (200, {"choices": choices, "usage": {"completion_tokens": 7}}, {})
    with (
        FakeServer(replies=(reply,)) as server,
        sampler(server.url) as engine,
        pytest.raises(StepmarkError, match=r"token_ids.*vLLM 0\.11 or newer"),
    ):
        engine.sample(["a"], 2, SPEC)


def test_a_failure_cancels_what_is_still_waiting(server: FakeServer) -> None:
    """A refused prompt does not wait for a server that takes its time."""
    release = threading.Event()
    with FakeServer(replies=(failure(400),)) as refusing:
        server.on_request = lambda: release.wait(30) and None
        with sampler(server.url, refusing.url) as engine, ThreadPoolExecutor(1) as pool:
            work = pool.submit(engine.sample, ["a", "b"], 1, SPEC)
            with pytest.raises(InputError):
                work.result(timeout=10)
        release.set()
