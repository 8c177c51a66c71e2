"""Scoring solutions with a reward network, and with a language model's own likelihood as the baseline.

Leaves out: aggregation of step scores (stepmark.models.metrics) and the store.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor
from transformers import PreTrainedModel

from stepmark.labeling.steps import StepSpan
from stepmark.models.threads import fitting_threads

from .encoding import Batch, Encoded, Encoder
from .network import RewardNetwork, num_bytes, token_likelihood
from .reading import max_kept_tokens, only_steps, positions_of_steps, read_solutions, stack_readings

_T = TypeVar("_T")
_MAX_LOGITS = 2**27  # of one batch: 512 MB in float32, and a few copies of it


@dataclass(frozen=True, slots=True)
class Scorable:
    """A solution to score."""

    problem: str
    solution: str
    steps: tuple[StepSpan, ...]


@dataclass(frozen=True, slots=True)
class StepProbabilities:
    """Probabilities of the three ratings at one step; they sum to 1."""

    negative: float
    neutral: float
    positive: float


@dataclass(frozen=True, slots=True)
class StepLikelihood:
    """Log-probability of one step's tokens under a language model: their sum and their minimum, in nats."""

    sum_logprob: float
    min_logprob: float


def score_solutions(
    network: RewardNetwork,
    encoder: Encoder,
    solutions: Sequence[Scorable],
    batch_solutions: int = 128,
    progress: Callable[[int], None] = lambda num_done: None,
) -> list[list[StepProbabilities] | None]:
    """Score every step of each solution, in order; None where the length limit cut steps off.

    A solution that is only partly read has no score: fewer scores than steps would pass as a full set.
    """
    network.eval()

    def read(rows: Sequence[Encoded]) -> list[list[StepProbabilities]]:
        steps = [range(row.num_steps) for row in rows]
        positions = [positions_of_steps(row, each) for row, each in zip(rows, steps, strict=True)]
        readings = read_solutions(network, [row.input_ids for row in rows], positions)
        batch = encoder.collate([only_steps(row, each) for row, each in zip(rows, steps, strict=True)])
        logits = network.judge(stack_readings(readings), batch.to(network.backbone.device))
        probabilities = logits.float().softmax(dim=-1).tolist()
        return [[StepProbabilities(*step) for step in row] for row in probabilities]

    # In the order of their tokens solutions that share a beginning are read together.
    limits = _Limits(batch_solutions, max_kept_tokens(network), network.num_backbone_bytes)
    return _in_batches(encoder, solutions, limits, progress, read, lambda row: tuple(row.input_ids))


def likelihood_of_steps(
    model: PreTrainedModel,
    encoder: Encoder,
    solutions: Sequence[Scorable],
    batch_solutions: int = 128,
    progress: Callable[[int], None] = lambda num_done: None,
) -> list[list[StepLikelihood] | None]:
    """A language model's likelihood of every step, in order; None where steps were cut off."""
    model.eval()

    def read(rows: Sequence[Encoded]) -> list[list[StepLikelihood]]:
        batch = encoder.collate(rows).to(model.device)
        logits = model(input_ids=batch.input_ids, attention_mask=batch.attention_mask).logits
        logprob = token_likelihood(logits, batch.input_ids).logprob
        return _likelihood_per_step(logprob, batch)

    # A real vocabulary has 100,000 pieces and more.
    limits = _Limits(batch_solutions, _MAX_LOGITS // len(encoder.tokenizer), num_bytes(model))
    return _in_batches(encoder, solutions, limits, progress, read, lambda row: len(row.input_ids))


def _likelihood_per_step(logprob: Tensor, batch: Batch) -> list[list[StepLikelihood]]:
    num_rows, num_steps = batch.step_ends.shape
    row = torch.where(batch.step_of_token < 0, num_steps, batch.step_of_token).clamp(max=num_steps)
    sums = logprob.new_zeros(num_rows, num_steps + 1).scatter_add(1, row, logprob)
    minima = logprob.new_zeros(num_rows, num_steps + 1).scatter_reduce(1, row, logprob, reduce="amin")
    return [
        [StepLikelihood(*pair) for pair in zip(*both, strict=True)]
        for both in zip(sums[:, :num_steps].tolist(), minima[:, :num_steps].tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Limits:
    """Of one batch, padding included; and the size of the model."""

    solutions: int
    tokens: int
    num_weight_bytes: int


@torch.inference_mode()
def _in_batches(
    encoder: Encoder,
    solutions: Sequence[Scorable],
    limits: _Limits,
    progress: Callable[[int], None],
    read: Callable[[Sequence[Encoded]], list[list[_T]]],
    order: Callable[[Encoded], Any],
) -> list[list[_T] | None]:
    """Run ``read`` over batches in the given order, each different text once, and restore the order."""
    encoded: dict[tuple[str, str], Encoded] = {}
    for solution in solutions:
        key = (solution.problem, solution.solution)
        if key not in encoded:
            encoded[key] = encoder.encode(solution.problem, solution.solution, solution.steps)
    results: dict[tuple[str, str], list[_T] | None] = {}
    whole = {key: row for key, row in encoded.items() if len(row.step_ends) == row.num_steps > 0}
    longest = max((len(row.input_ids) for row in whole.values()), default=1)
    size = max(1, min(limits.solutions, limits.tokens // longest))
    with fitting_threads(limits.num_weight_bytes) as look:
        for chunk in _chunks(sorted(whole, key=lambda key: order(whole[key])), size):
            look()
            rows = [whole[key] for key in chunk]
            for key, row, values in zip(chunk, rows, read(rows), strict=True):
                results[key] = values[: row.num_steps]
            progress(len(results))
    return [results.get((solution.problem, solution.solution)) for solution in solutions]


def _chunks(items: list[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def step_score(probabilities: StepProbabilities) -> float:
    """A step's score: P(positive) + P(neutral), as neutral counts as positive (Lightman et al., 2023)."""
    return math.fsum((probabilities.positive, probabilities.neutral))
