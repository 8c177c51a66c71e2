"""Sampling in batches that are committed one by one, so that a kill loses at most the batch in flight.

Leaves out: what is asked for (generate.py, rollouts.py) and who samples (samplers.py).
"""

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import attrgetter
from types import TracebackType
from typing import TypeVar

from stepmark.models.sampling import Completion, Sampler, SamplingSpec

from .profile import SamplerSettings
from .progress import Progress
from .samplers import Engines


@dataclass(frozen=True, slots=True)
class Request:
    """Samples wanted from one prompt; they get the indexes from ``first_index`` on."""

    prompt: str
    first_index: int
    num_samples: int


RequestT = TypeVar("RequestT", bound=Request)
Commit = Callable[[Sequence[RequestT], Sequence[Sequence[Completion]]], None]


class SamplingRun:
    """Samples requests with one engine, which starts when the first ones come. A context manager.

    ``num_stored`` samples of this sampler exist already. It moves the engine's seed on: a second run with
    the first one's seed would draw the same samples again. ``total``: samples to expect, where it is known.
    """

    def __init__(
        self, settings: SamplerSettings, engines: Engines, num_stored: int, what: str, total: int = 0
    ) -> None:
        self._settings, self._engines, self._seed = settings, engines, settings.seed + num_stored
        self._what, self._num_stored = what, num_stored
        self._progress = Progress(what, total, "samples")
        self._stack = ExitStack()
        self._engine: Sampler | None = None
        self.num_sampled = 0

    def __enter__(self) -> "SamplingRun":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def sample(self, requests: Sequence[RequestT], commit: Commit[RequestT]) -> None:
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

    def _started(self) -> Sampler:
        if self._engine is None:
            if self._num_stored:
                kept = f"{self._what}: {self._num_stored:,} samples are kept from before"
                print(kept, file=sys.stderr, flush=True)
            self._engine = self._stack.enter_context(self._engines.open(self._settings, self._seed))
            self._stack.enter_context(self._progress)
        return self._engine


def batches(requests: Sequence[RequestT], max_samples: int) -> Iterator[list[RequestT]]:
    """Group requests of the same ``num_samples`` into batches of at most ``max_samples`` (at least one)."""
    ordered = sorted(requests, key=attrgetter("num_samples"))
    for num_samples, group in itertools.groupby(ordered, key=attrgetter("num_samples")):
        size = max(1, max_samples // num_samples)
        members = list(group)
        for start in range(0, len(members), size):
            yield members[start : start + size]
