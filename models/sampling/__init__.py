"""Sampling completions from a model: one ``Sampler`` protocol, two engines, chosen by an ``EngineConfig``.

Importing this loads neither torch nor vLLM; an engine does, when its ``with`` block is entered.
"""

from dataclasses import dataclass
from typing import Literal

from stepmark.labeling.errors import InputError

from .checkpoints import checkpoint_sha256, local_checkpoint
from .endpoints import EndpointsSampler
from .in_process import InProcessSampler
from .protocol import FINISH_REASONS, Completion, Sampler, SamplingSpec

__all__ = [
    "FINISH_REASONS",
    "Completion",
    "EndpointsSampler",
    "EngineConfig",
    "InProcessSampler",
    "Sampler",
    "SamplingSpec",
    "checkpoint_sha256",
    "local_checkpoint",
    "open_sampler",
]


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Where a model runs and how.

    Both kinds read ``model`` (a checkpoint folder or hub name; for endpoints the name the servers use),
    ``max_model_len`` (tokens of prompt and completion together; None: the model's own limit),
    ``max_num_seqs`` (sequences sampled together; for endpoints on each server) and ``logprobs``.
    In process only: ``dtype``, ``seed``, ``kv_cache_gib``, ``gpu_memory_utilization``, ``num_threads``.
    Endpoints only: ``urls``, ``api_key_variable`` (the environment variable that holds the key), and
    ``timeout_s`` and ``max_tries`` of one request.
    """

    kind: Literal["in_process", "endpoints"]
    model: str
    urls: tuple[str, ...] = ()
    api_key_variable: str | None = None
    dtype: str = "auto"
    max_model_len: int | None = None
    max_num_seqs: int = 1024
    seed: int = 0
    kv_cache_gib: float | None = None
    gpu_memory_utilization: float = 0.9
    num_threads: int | None = None
    logprobs: bool = False
    timeout_s: float = 3600.0
    max_tries: int = 8


def open_sampler(config: EngineConfig) -> Sampler:
    """The sampler that ``config`` describes; its engine starts when the ``with`` block is entered.

    Raises:
        InputError: if the configuration contradicts itself.
    """
    if config.kind == "endpoints":
        return EndpointsSampler(
            config.urls,
            config.model,
            api_key_variable=config.api_key_variable,
            min_model_len=config.max_model_len,
            max_num_seqs=config.max_num_seqs,
            logprobs=config.logprobs,
            timeout_s=config.timeout_s,
            max_tries=config.max_tries,
        )
    if config.kind == "in_process":
        if config.urls:
            raise InputError(
                f"engine kind 'in_process' reads no urls ({config.urls[0]});"
                " use kind 'endpoints' or remove them."
            )
        return InProcessSampler(
            config.model,
            dtype=config.dtype,
            max_model_len=config.max_model_len,
            max_num_seqs=config.max_num_seqs,
            seed=config.seed,
            kv_cache_gib=config.kv_cache_gib,
            gpu_memory_utilization=config.gpu_memory_utilization,
            num_threads=config.num_threads,
            logprobs=config.logprobs,
        )
    raise InputError(f"engine kind {config.kind!r} is unknown; use 'in_process' or 'endpoints'.")
