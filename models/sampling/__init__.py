"""Sampling completions from a model: one ``Sampler`` protocol, two engines, chosen by an ``EngineConfig``.

Importing this loads neither torch nor vLLM nor an HTTP client: a profile is read without them. The engines
(``in_process``, ``endpoints``) load what they need when they are opened.
"""

from stepmark.labeling.errors import InputError

from .checkpoints import checkpoint_sha256, local_checkpoint
from .engine_config import EngineConfig, EngineSettings
from .protocol import FINISH_REASONS, Completion, Sampler, SamplingSpec

__all__ = [
    "FINISH_REASONS",
    "Completion",
    "EngineConfig",
    "EngineSettings",
    "Sampler",
    "SamplingSpec",
    "checkpoint_sha256",
    "local_checkpoint",
    "open_sampler",
]


def open_sampler(config: EngineConfig) -> Sampler:
    """The sampler that ``config`` describes; its engine starts when the ``with`` block is entered.

    Raises:
        InputError: if a copy with other values contradicts itself; a new ``EngineConfig`` cannot.
    """
    if config.kind == "endpoints":
        from .endpoints import EndpointsSampler  # noqa: PLC0415

        return EndpointsSampler(config)
    if config.kind == "in_process":
        if config.urls:
            raise InputError(
                f"engine kind 'in_process' reads no urls ({config.urls[0]});"
                " use kind 'endpoints' or remove them."
            )
        from .in_process import InProcessSampler  # noqa: PLC0415

        return InProcessSampler(config)
    raise InputError(f"engine kind {config.kind!r} is unknown; use 'in_process' or 'endpoints'.")
