"""Sampling from servers: balance, retries, refusals. The servers are fakes on the loopback address."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.models.sampling import Completion, EngineConfig, SamplingSpec
from stepmark.models.sampling.balance import Server, pick
from stepmark.models.sampling.endpoints import EndpointsSampler

Reply = tuple[int, Any, dict[str, str]]
SPEC = SamplingSpec(temperature=0.7, top_p=0.9, max_tokens=16, stop=("\n\n",))


class FakeServer:
    """Serves model "m". ``replies`` are given first, one a request; then every prompt is answered well."""

    def __init__(self, replies: tuple[Reply, ...] = (), models: tuple[str, ...] = ("m",)) -> None:
        self.replies, self.models = list(replies), models
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.most_at_once = 0
        self.on_request: Callable[[], None] = lambda: None
        self._at_once = 0
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def complete(self, body: dict[str, Any]) -> Reply:
        """The next scripted reply, or a good one."""
        with self._lock:
            self.bodies.append(body)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            reply = self.replies.pop(0) if self.replies else (200, good_answer(body), {})
        self.on_request()
        with self._lock:
            self._at_once -= 1
        return reply

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                cards = [{"id": name, "max_model_len": 512} for name in fake.models]
                self._send((200, {"data": cards}, {}))

            def do_POST(self) -> None:
                fake.keys.append(self.headers.get("Authorization"))
                length = int(self.headers["Content-Length"])
                self._send(fake.complete(json.loads(self.rfile.read(length))))

            def _send(self, reply: Reply) -> None:
                status, content, headers = reply
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: Any) -> None:
                pass

        return Handler


def good_answer(body: dict[str, Any]) -> dict[str, Any]:
    """What vLLM answers; the choices come in reverse, which the API allows."""
    choices = [
        {
            "index": index,
            "text": f"{body['prompt']}/{index}",
            "finish_reason": "stop",
            "token_ids": [5] * (index + 1),
            "logprobs": {"token_logprobs": [-0.5] * (index + 1)} if "logprobs" in body else None,
        }
        for index in reversed(range(body["n"]))
    ]
    return {"choices": choices, "usage": {"completion_tokens": 99}}


def sampler(*urls: str, **settings: Any) -> EndpointsSampler:
    """A sampler of model "m" that waits little between its tries."""
    config = EngineConfig(kind="endpoints", model="m", urls=urls, **{"max_tries": 3, **settings})
    return EndpointsSampler(config, backoff_s=0.01)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """One fake server that answers everything."""
    with FakeServer() as fake:
        yield fake


def failure(status: int, message: str = "no", **headers: str) -> Reply:
    """An answer with an error, as vLLM words it."""
    return status, {"error": {"message": message}}, {k.replace("_", "-"): v for k, v in headers.items()}


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


def test_work_is_balanced_over_servers() -> None:
    """Two servers that wait for each other are both at work, and share the prompts evenly."""
    meeting = threading.Barrier(2, timeout=10)
    with FakeServer() as one, FakeServer() as two, sampler(one.url, two.url, max_num_seqs=4) as engine:
        one.on_request = two.on_request = lambda: meeting.wait() and None

        completions = engine.sample(["a", "b", "c", "d"], 4, SPEC)

    assert [samples[0].text for samples in completions] == ["a/0", "b/0", "c/0", "d/0"]
    assert (len(one.bodies), len(two.bodies)) == (2, 2)


def test_a_server_gets_no_more_sequences_than_it_is_meant_to(server: FakeServer) -> None:
    """Eight sequences at a time are two requests of four."""
    with sampler(server.url, max_num_seqs=8) as engine:
        engine.sample([str(index) for index in range(12)], 4, SPEC)

    assert server.most_at_once <= 2


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


def test_a_server_that_keeps_failing_is_passed_over() -> None:
    """After three failures in a row the other server gets everything."""
    broken_replies = (failure(500),) * 100
    with (
        FakeServer(replies=broken_replies) as broken,
        FakeServer() as healthy,
        sampler(broken.url, healthy.url, max_num_seqs=1, max_tries=6) as engine,
    ):
        completions = engine.sample([str(index) for index in range(20)], 1, SPEC)

    assert len(completions) == 20
    assert len(healthy.bodies) == 20
    assert len(broken.bodies) <= 5


def test_a_server_that_is_back_is_used_again() -> None:
    """It is looked at before the next call."""
    with (
        FakeServer(replies=(failure(500),) * 3) as one,
        FakeServer() as two,
        sampler(one.url, two.url, max_num_seqs=1, max_tries=6) as engine,
    ):
        while one.replies:
            engine.sample(["a"] * 8, 1, SPEC)
        num_before = len(one.bodies)
        engine.sample(["a"] * 8, 1, SPEC)

    assert len(one.bodies) > num_before


def test_a_server_that_is_down_at_the_start_does_not_stop_the_others(server: FakeServer) -> None:
    """Only when none answers is there nothing to do."""
    with FakeServer() as gone:
        pass

    with sampler(gone.url, server.url) as engine:
        assert len(engine.sample(["a", "b", "c"], 1, SPEC)) == 3


def test_no_server_at_all_names_one_and_the_remedy() -> None:
    """Connection refused is said in one sentence."""
    with FakeServer() as gone:
        pass

    with (
        pytest.raises(StepmarkError, match=rf"{gone.url}/v1/models: ConnectError .*; start the server"),
        sampler(gone.url),
    ):
        pass


def test_a_model_that_is_not_served_is_refused_with_those_that_are() -> None:
    """Sampling from another model under this name would poison the labels."""
    with (
        FakeServer(models=("other", "third")) as server,
        pytest.raises(StepmarkError, match="serves no model 'm'; name one of its own: other, third"),
        sampler(server.url),
    ):
        pass


def test_a_server_with_too_short_a_context_is_refused(server: FakeServer) -> None:
    """Its completions would be cut off sooner than the profile says."""
    with (
        pytest.raises(StepmarkError, match="takes 512 tokens and max_model_len asks for 1024"),
        sampler(server.url, max_model_len=1024),
    ):
        pass


def test_the_api_key_comes_from_the_environment(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile names the variable, never the key."""
    monkeypatch.setenv("MY_KEY", "abc")

    with sampler(server.url, api_key_variable="MY_KEY") as engine:
        engine.sample(["a"], 1, SPEC)

    assert server.keys == ["Bearer abc"]


def test_an_unset_api_key_is_named(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found before anything is sampled."""
    monkeypatch.delenv("MY_KEY", raising=False)

    with (
        pytest.raises(InputError, match="MY_KEY holds no API key"),
        sampler(server.url, api_key_variable="MY_KEY"),
    ):
        pass


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


def test_an_empty_prompt_is_refused_before_anything_is_sampled(server: FakeServer) -> None:
    """The message names its place."""
    with sampler(server.url) as engine, pytest.raises(InputError, match="prompt 1 is empty"):
        engine.sample(["a", ""], 1, SPEC)

    assert server.bodies == []


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


def test_the_least_busy_server_is_picked_and_failing_ones_last() -> None:
    """When all fail, the least busy of all."""
    busy, idle, failing = Server("busy", 2, 0), Server("idle", 1, 2), Server("failing", 0, 3)

    assert pick([busy, idle, failing]) is idle
    assert pick([failing]) is failing
