"""Sampling in batches that are committed one by one, so that a kill loses at most the batch in flight.

Leaves out: what is asked for (generate.py, rollouts.py) and the engines (stepmark.models.sampling).
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from operator import attrgetter

import polars as pl

from stepmark.labeling.ids import sampler_id
from stepmark.models.sampling import Completion, EngineConfig, SamplingSpec, checkpoint_sha256, open_sampler
from stepmark.models.sampling import Sampler as SamplerEngine
from stepmark.models.tiny.shipped import resolve_model
from stepmark.store.store import Store

from .profile import Sampler
from .progress import Progress


@dataclass(frozen=True, slots=True)
class Request:
    """Samples wanted from one prompt; they get the indexes from ``first_index`` on."""

    key: str
    prompt: str
    first_index: int
    num_samples: int


@dataclass(frozen=True, slots=True)
class Identity:
    """A sampler's row in ``samplers``: what makes its samples what they are."""

    sampler_id: str
    model: str
    checkpoint_sha256: str | None
    sampling: str
    engine: str
    seed: int


def identify(settings: Sampler) -> Identity:
    """Work out a sampler's identity without starting its engine."""
    model = resolve_model(settings.model)
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
    checksum = checkpoint_sha256(model) if settings.engine.kind == "in_process" else None
    key = sampler_id(settings.name, checksum or model, sampling)
    return Identity(key, settings.model, checksum, sampling, settings.engine.kind, settings.seed)


def register(store: Store, identity: Identity) -> None:
    """Write the sampler's row unless it is there."""
    row = {
        "sampler_id": identity.sampler_id,
        "model": identity.model,
        "checkpoint_sha256": identity.checkpoint_sha256,
        "sampling": identity.sampling,
        "engine": identity.engine,
        "seed": identity.seed,
        "code_version": version("stepmark"),
        "created_at": datetime.now(UTC).replace(tzinfo=None),
    }
    store.insert_missing("samplers", pl.DataFrame([row], schema_overrides={"checkpoint_sha256": pl.String}))


def sample_in_batches(
    settings: Sampler,
    requests: Sequence[Request],
    num_stored: int,
    commit: Callable[[Sequence[Request], Sequence[Sequence[Completion]]], None],
    what: str,
) -> None:
    """Sample all requests; ``commit`` gets each batch as it comes.

    ``num_stored`` samples of this sampler exist already. It moves the engine's seed on: a second run with
    the first one's seed would draw the same samples again.
    """
    if not requests:
        return
    spec = SamplingSpec(
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        stop=settings.stop,
        seed=settings.seed + num_stored,
    )
    total = sum(request.num_samples for request in requests)
    with open_engine(settings, settings.seed + num_stored) as engine, Progress(what, total, "samples") as bar:
        for batch in batches(requests, settings.batch_tokens // settings.max_tokens):
            completions = engine.sample([request.prompt for request in batch], batch[0].num_samples, spec)
            commit(batch, completions)
            bar.advance(sum(request.num_samples for request in batch))


def open_engine(settings: Sampler, seed: int) -> AbstractContextManager[SamplerEngine]:
    """The engine a profile asks for; seeded as a whole, not by request."""
    model = resolve_model(settings.model)
    return open_sampler(EngineConfig(model=model, seed=seed, **settings.engine.model_dump()))


def batches(requests: Sequence[Request], max_samples: int) -> Iterator[list[Request]]:
    """Group requests of the same ``num_samples`` into batches of at most ``max_samples`` (at least one)."""
    ordered = sorted(requests, key=attrgetter("num_samples"))
    for num_samples, group in itertools.groupby(ordered, key=attrgetter("num_samples")):
        size = max(1, max_samples // num_samples)
        members = list(group)
        for start in range(0, len(members), size):
            yield members[start : start + size]
