"""The part of the OpenAI completions API that sampling needs, as vLLM serves it.

Leaves out: choosing a server and trying again (endpoints.py). Answers are read as untrusted input: what is
missing or short is refused, never filled in.
"""

from http import HTTPStatus
from typing import Any

import httpx

from stepmark.labeling.errors import InputError, StepmarkError

from .protocol import FINISH_REASONS, Completion, SamplingSpec

_MAX_QUOTED = 300
_RETRIED = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
_REFUSED_INPUT = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
_KEY = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


class RetryableError(Exception):
    """A failure worth another try. A busy server is not ``is_at_fault``; it may ask to wait ``wait_s``."""

    def __init__(self, reason: str, *, is_at_fault: bool = True, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.is_at_fault = is_at_fault
        self.wait_s = wait_s


def completion_body(
    model: str, prompt: str, num_samples: int, spec: SamplingSpec, *, logprobs: bool
) -> dict[str, Any]:
    """One request's JSON. Names every parameter that a server would otherwise take from its checkpoint."""
    body = {
        "model": model,
        "prompt": prompt,
        "n": num_samples,
        "temperature": spec.temperature,
        "top_p": spec.top_p,
        "max_tokens": spec.max_tokens,
        "stop": list(spec.stop),
        "top_k": 0,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "return_token_ids": True,
    }
    return {**body, "logprobs": 0} if logprobs else body


async def post_completion(client: httpx.AsyncClient, server: str, body: dict[str, Any]) -> dict[str, Any]:
    """Post one request and return the answer's JSON.

    Raises:
        RetryableError: if the server is busy, fails, or cannot be reached.
        InputError: if it refuses the prompt or the parameters.
        StepmarkError: if it refuses for another reason.
    """
    url = f"{server}/v1/completions"
    try:
        answer = await client.post(url, json=body)
    except httpx.HTTPError as error:
        raise RetryableError(_describe(error)) from error
    status = answer.status_code
    if status in _RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise RetryableError(
            f"status {status} ({_message(answer)})",
            is_at_fault=status not in _RETRIED,
            wait_s=_retry_after_s(answer),
        )
    if status in _REFUSED_INPUT:
        raise InputError(
            f"{url} refuses the request with status {status} ({_message(answer)});"
            " shorten the prompt or change the sampling parameters."
        )
    if status in _KEY:
        raise StepmarkError(
            f"{url} answers status {status}; name the environment variable that holds its API key"
            " (api_key_variable) and check the key."
        )
    if status != HTTPStatus.OK:
        raise StepmarkError(
            f"{url} answers status {status} ({_message(answer)}); check the url and the model's name."
        )
    return _json(answer)


def read_completions(answer: dict[str, Any], num_samples: int, *, logprobs: bool) -> list[Completion]:
    """Completions of one answer, in the order of their index.

    Raises:
        RetryableError: if there are not ``num_samples``, or one neither stopped nor ran out of tokens.
        StepmarkError: if the server does not say what a completion must know.
    """
    try:
        choices = sorted(answer["choices"], key=lambda choice: choice["index"])
        reasons = [choice["finish_reason"] for choice in choices]
        if len(choices) != num_samples:
            raise RetryableError(f"{len(choices)} completions came back for {num_samples}")
        if not set(reasons) <= set(FINISH_REASONS):
            raise RetryableError(f"finish reasons {sorted(set(map(str, reasons)))}")
        return [
            Completion(
                choice["text"],
                choice["finish_reason"],
                _num_tokens(answer, choice),
                sum(choice["logprobs"]["token_logprobs"]) if logprobs else None,
            )
            for choice in choices
        ]
    except (KeyError, TypeError) as error:
        raise StepmarkError(
            f"a completions answer cannot be read ({type(error).__name__}: {error});"
            " serve the model with vLLM 0.11 or newer."
        ) from error


def _num_tokens(answer: dict[str, Any], choice: dict[str, Any]) -> int:
    if choice.get("token_ids") is not None:
        return len(choice["token_ids"])
    if len(answer["choices"]) == 1:
        return int(answer["usage"]["completion_tokens"])
    raise KeyError("token_ids")


async def served_models(client: httpx.AsyncClient, server: str) -> dict[str, int | None]:
    """Names of the models a server has, with the tokens each takes (None: it does not say).

    Raises:
        RetryableError: if the server does not answer with a list of models.
    """
    try:
        answer = await client.get(f"{server}/v1/models")
    except httpx.HTTPError as error:
        raise RetryableError(_describe(error)) from error
    if answer.status_code != HTTPStatus.OK:
        raise RetryableError(f"status {answer.status_code} ({_message(answer)})")
    try:
        return {card["id"]: card.get("max_model_len") for card in _json(answer)["data"]}
    except (KeyError, TypeError, AttributeError) as error:
        raise RetryableError(f"no list of models ({type(error).__name__}: {error})") from error


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise RetryableError(f"the answer is no JSON object ({answer.text[:_MAX_QUOTED]!r})")
    return body


def _message(answer: httpx.Response) -> str:
    try:
        body = answer.json()
        return str(body["error"]["message"])[:_MAX_QUOTED]
    except (ValueError, KeyError, TypeError):
        return answer.text[:_MAX_QUOTED].strip() or answer.reason_phrase


def _retry_after_s(answer: httpx.Response) -> float:
    value = answer.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else 0.0


def _describe(error: httpx.HTTPError) -> str:
    return f"{type(error).__name__} {error}".strip()
