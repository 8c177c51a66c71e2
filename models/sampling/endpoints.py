"""Sampling from OpenAI-compatible vLLM servers over HTTP, balanced over their urls and tried again.

One request carries one prompt and all its samples: servers started with equal seeds would repeat each
other's samples of one prompt. Leaves out: starting servers, and tokenizing, which they do.
"""

import asyncio
import os
import random
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

import httpx

from stepmark.labeling.errors import InputError, StepmarkError

from .balance import Server, pick
from .engine_config import EngineConfig
from .openai_api import RetryableError, completion_body, post_completion, read_completions, served_models
from .protocol import Completion, Sampler, SamplingSpec, check_request

_MAX_WAIT_S = 30.0
_CONNECT_TIMEOUT_S = 10.0
_T = TypeVar("_T")


class EndpointsSampler(Sampler):
    """A ``Sampler`` on the servers at the config's ``urls``.

    Each server works on about ``max_num_seqs`` sequences at a time. A request is tried ``max_tries`` times,
    with waits that double from ``backoff_s``; a server that fails three times in a row is passed over while
    others work, and asked again at the next ``sample``. Servers that take fewer than ``max_model_len`` tokens
    are refused.
    """

    def __init__(self, config: EngineConfig, backoff_s: float = 0.5) -> None:
        if not config.urls:
            raise InputError("engine kind 'endpoints' has no urls; name at least one server.")
        self._servers = [Server(url.rstrip("/").removesuffix("/v1")) for url in dict.fromkeys(config.urls)]
        self._model = config.model
        self._api_key_variable = config.api_key_variable
        self._min_model_len = config.max_model_len
        self._max_num_seqs = config.max_num_seqs
        self._logprobs = config.logprobs
        self._timeout_s = config.timeout_s
        self._max_tries = config.max_tries
        self._backoff_s = backoff_s
        self._is_open = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Ask every server for its models.

        Raises:
            InputError: if the API key's variable is not set.
            StepmarkError: if no server answers, or one lacks the model or takes too few tokens.
        """
        problems = _run(self._ask_for_models(self._servers))
        if len(problems) == len(self._servers):
            url, problem = next(iter(problems.items()))
            raise StepmarkError(f"{url}/v1/models: {problem}; start the server or correct the url.")
        self._is_open = True
        return self

    def close(self) -> None:
        """Refuse further samples. Connections live as long as one call, so there is nothing to free."""
        self._is_open = False

    def sample(self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec) -> list[list[Completion]]:
        """Draw ``num_samples`` completions per prompt, in prompt order. See ``Sampler.sample``."""
        check_request(num_samples, spec)
        if not self._is_open:
            raise StepmarkError(f"{self._model}: the sampler is not open; use it in a `with` block.")
        if "" in prompts:
            raise InputError(f"prompt {list(prompts).index('')} is empty; leave it out.")
        with self._lock:
            return _run(self._sample_all(prompts, num_samples, spec))

    async def _sample_all(
        self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec
    ) -> list[list[Completion]]:
        await self._ask_for_models([server for server in self._servers if server.is_set_aside])
        slots = asyncio.Semaphore(max(1, self._max_num_seqs // num_samples) * len(self._servers))
        async with self._client(self._timeout_s) as client:

            async def one(index: int, prompt: str) -> list[Completion]:
                body = completion_body(self._model, prompt, num_samples, spec, logprobs=self._logprobs)
                async with slots:
                    return await self._request(client, f"prompt {index}", body)

            try:
                async with asyncio.TaskGroup() as group:  # the first failure cancels the other requests
                    tasks = [group.create_task(one(i, prompt)) for i, prompt in enumerate(prompts)]
            except ExceptionGroup as failures:
                raise failures.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _request(self, client: httpx.AsyncClient, what: str, body: dict[str, Any]) -> list[Completion]:
        problem = url = ""
        for try_index in range(self._max_tries):
            server = pick(self._servers)
            server.num_outstanding += 1
            try:
                answer = await post_completion(client, server.url, body)
                completions = read_completions(answer, body["n"], logprobs=self._logprobs)
                server.num_failures = 0
                return completions
            except RetryableError as failure:
                server.num_failures += failure.is_at_fault
                problem, url, wait_s = str(failure), server.url, failure.wait_s
            except InputError as failure:
                raise InputError(f"{what}: {failure}") from failure
            finally:
                server.num_outstanding -= 1
            if try_index + 1 < self._max_tries:
                await asyncio.sleep(max(wait_s, self._wait_s(try_index)))
        raise StepmarkError(
            f"{url}/v1/completions: {problem} for {what} after {self._max_tries} tries;"
            " check the server's log and sample again, nothing of this call is kept."
        )

    def _wait_s(self, try_index: int) -> float:
        """Seconds before the next try; random, so that requests that failed together come back apart."""
        return float(min(_MAX_WAIT_S, self._backoff_s * 2**try_index) * random.uniform(0.5, 1))

    async def _ask_for_models(self, servers: Sequence[Server]) -> dict[str, str]:
        """Ask servers for their models; set those that do not answer aside, and return why by url."""
        if not servers:
            return {}
        async with self._client(_CONNECT_TIMEOUT_S) as client:
            answers = await asyncio.gather(
                *(served_models(client, server.url) for server in servers), return_exceptions=True
            )
        problems = {}
        for server, answer in zip(servers, answers, strict=True):
            if isinstance(answer, RetryableError):
                server.set_aside()
                problems[server.url] = str(answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                server.num_failures = 0
                self._refuse_unfit(server.url, answer)
        return problems

    def _refuse_unfit(self, url: str, models: dict[str, int | None]) -> None:
        if self._model not in models:
            names = ", ".join(models) or "none"
            raise StepmarkError(f"{url} serves no model {self._model!r}; name one of its own: {names}.")
        limit = models[self._model]
        if self._min_model_len is not None and limit is not None and limit < self._min_model_len:
            raise StepmarkError(
                f"{url} takes {limit} tokens and max_model_len asks for {self._min_model_len};"
                " restart the server with --max-model-len or ask for fewer."
            )

    def _client(self, timeout_s: float) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=_authorization(self._api_key_variable),
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_TIMEOUT_S, pool=None),
            limits=httpx.Limits(max_connections=None),
        )


def _authorization(variable: str | None) -> dict[str, str]:
    if variable is None:
        return {}
    key = os.environ.get(variable)
    if not key:
        raise InputError(f"the environment variable {variable} holds no API key; set it or name another.")
    return {"Authorization": f"Bearer {key}"}


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end, also where an event loop runs already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
