"""What every sampler promises: prompts and sampling parameters in, completions in prompt order out.

Leaves out: the engines (in_process.py, endpoints.py), prompt templates (the caller formats prompts) and the
store (the caller commits each call's completions before it makes the next one).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from stepmark.labeling.errors import InputError

FINISH_REASONS = ("stop", "length")


@dataclass(frozen=True, slots=True)
class SamplingSpec:
    """How completions are drawn. ``max_tokens`` counts new tokens; a ``stop`` string is cut off the text.

    ``seed`` names a stream of random numbers of the in-process engine (None: the engine's own stream). Every
    call moves its stream on, so equal calls draw different completions; a new engine with the same seeds
    and the same calls repeats them. Endpoints do not read it: their numbers come from the server's seed.

    Raises:
        InputError: if a value is out of range.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        if not self.temperature >= 0:
            raise InputError(f"temperature {self.temperature} is negative; use 0 (greedy) or more.")
        if not 0 < self.top_p <= 1:
            raise InputError(f"top_p {self.top_p} is outside (0, 1]; use 1 to keep every token.")
        if self.max_tokens < 1:
            raise InputError(f"max_tokens {self.max_tokens} allows no token; use 1 or more.")
        if "" in self.stop:
            raise InputError("a stop string is empty, which would stop every completion; remove it.")


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion. ``finish_reason`` is "stop" (the model ended, or a stop string) or "length" (cut off).

    ``num_tokens`` counts sampled tokens, the end token included. ``cumulative_logprob`` sums their natural
    log probabilities under the model at temperature 1; None where the engine was not asked for it.
    """

    text: str
    finish_reason: str
    num_tokens: int
    cumulative_logprob: float | None


class Sampler(Protocol):
    """A model that samples. Use it in a ``with`` block: the engine starts on entry and is freed on exit."""

    def sample(self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec) -> list[list[Completion]]:
        """Draw ``num_samples`` completions for each prompt, in prompt order, or raise; never fewer.

        Raises:
            InputError: if a prompt or parameter cannot be sampled; no completion was drawn then.
            StepmarkError: if the engine fails, or the sampler is not open.
        """

    def close(self) -> None:
        """Free the engine. Closing twice, or after a failure, is fine."""

    def __enter__(self) -> Self:
        """Start the engine."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free the engine."""
        self.close()


def check_request(num_samples: int, spec: SamplingSpec) -> None:
    """Refuse a request that cannot give ``num_samples`` independent completions.

    Raises:
        InputError: if fewer than one is asked for, or several at temperature 0.
    """
    if num_samples < 1:
        raise InputError(f"num_samples {num_samples} asks for no completion; use 1 or more.")
    if spec.temperature == 0 and num_samples > 1:
        raise InputError(
            f"temperature 0 would repeat one completion {num_samples} times;"
            " ask for 1 sample or raise the temperature."
        )
