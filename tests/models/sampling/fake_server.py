"""A fake server of vLLM's API on the loopback address, and a sampler that asks it."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from stepmark.models.sampling import EngineConfig, SamplingSpec
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


def failure(status: int, message: str = "no", **headers: str) -> Reply:
    """An answer with an error, as vLLM words it."""
    return status, {"error": {"message": message}}, {k.replace("_", "-"): v for k, v in headers.items()}
