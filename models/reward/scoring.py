"""Scoring solutions with a reward network, and with a language model's own likelihood as the baseline.

Leaves out: aggregation of step scores (stepmark.models.metrics) and the store.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor
from transformers import PreTrainedModel

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import StepSpan
from stepmark.models.batches import batches

from .encoding import Batch, Encoded, Encoder
from .network import RewardNetwork
from .reader import Reader, stack_readings
from .readings import Readings

_T = TypeVar("_T")


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
    readings: Readings | None = None,
) -> list[list[StepProbabilities] | None]:
    """Score every step of each solution, in order; None where the length limit cut steps off.

    A solution that is only partly read has no score: fewer scores than steps would pass as a full set.
    ``readings``: what earlier heads on the same base have read, and later ones need not read again.

    Raises:
        InputError: if the model answers NaN, as damaged weights make it.
    """
    network.eval()
    reader = network.reader
    memory = (readings or Readings()).of(reader)

    def judge(rows: Sequence[Encoded]) -> list[list[StepProbabilities]]:
        steps = [range(row.num_steps) for row in rows]
        positions = [row.positions_of(each) for row, each in zip(rows, steps, strict=True)]
        read = reader.read_new([row.input_ids for row in rows], positions, memory)
        batch = encoder.collate([row.only(each) for row, each in zip(rows, steps, strict=True)])
        logits = network.judge(stack_readings(read), batch.to(reader.backbone.device))
        probabilities = logits.float().softmax(dim=-1)
        _refuse_nan(reader, probabilities)
        return [[StepProbabilities(*step) for step in row] for row in probabilities.tolist()]

    return _in_batches(reader, encoder, solutions, batch_solutions, progress, judge)


def likelihood_of_steps(
    model: PreTrainedModel,
    encoder: Encoder,
    solutions: Sequence[Scorable],
    batch_solutions: int = 128,
    progress: Callable[[int], None] = lambda num_done: None,
) -> list[list[StepLikelihood] | None]:
    """A language model's likelihood of every step, in order; None where steps were cut off.

    Raises ``InputError`` as ``score_solutions`` does.
    """
    reader = Reader(model, reads_hidden=False, reads_likelihood=True)

    def judge(rows: Sequence[Encoded]) -> list[list[StepLikelihood]]:
        logprobs = reader.read_logprobs([row.input_ids for row in rows])
        batch = encoder.collate(rows).to(model.device)
        padded = torch.nn.utils.rnn.pad_sequence(logprobs, batch_first=True)
        _refuse_nan(reader, padded)
        return _likelihood_per_step(padded, batch)

    return _in_batches(reader, encoder, solutions, batch_solutions, progress, judge)


def _refuse_nan(reader: Reader, values: Tensor) -> None:
    # One NaN makes all that follows from it NaN, down to a published table; rows of padding have none.
    if bool(values.isnan().any()):
        where = reader.backbone.name_or_path or "the model"
        problem = "the model answers NaN (not a number) where a probability belongs"
        raise InputError.at(where, None, problem, "train it again, or use another model")


def _likelihood_per_step(logprob: Tensor, batch: Batch) -> list[list[StepLikelihood]]:
    num_rows, num_steps = batch.step_ends.shape
    row = torch.where(batch.step_of_token < 0, num_steps, batch.step_of_token).clamp(max=num_steps)
    sums = logprob.new_zeros(num_rows, num_steps + 1).scatter_add(1, row, logprob)
    minima = logprob.new_zeros(num_rows, num_steps + 1).scatter_reduce(1, row, logprob, reduce="amin")
    return [
        [StepLikelihood(*pair) for pair in zip(*both, strict=True)]
        for both in zip(sums[:, :num_steps].tolist(), minima[:, :num_steps].tolist(), strict=True)
    ]


@torch.inference_mode()
def _in_batches(
    reader: Reader,
    encoder: Encoder,
    solutions: Sequence[Scorable],
    batch_solutions: int,
    progress: Callable[[int], None],
    judge: Callable[[Sequence[Encoded]], list[list[_T]]],
) -> list[list[_T] | None]:
    """Run ``judge`` over batches, each different text once, and restore the order.

    In the order of their tokens solutions that share a beginning are read together.
    """
    encoded: dict[tuple[str, str], Encoded] = {}
    for solution in solutions:
        key = (solution.problem, solution.solution)
        if key not in encoded:
            encoded[key] = encoder.encode(solution.problem, solution.solution, solution.steps)
    results: dict[tuple[str, str], list[_T] | None] = {}
    whole = {key: row for key, row in encoded.items() if len(row.step_ends) == row.num_steps > 0}
    longest = max((len(row.input_ids) for row in whole.values()), default=1)
    size = max(1, min(batch_solutions, reader.max_kept_tokens // longest))
    with reader.threads:
        for keys in batches(sorted(whole, key=lambda key: whole[key].input_ids), size):
            reader.threads.fit()
            rows = [whole[key] for key in keys]
            for key, row, values in zip(keys, rows, judge(rows), strict=True):
                results[key] = values[: row.num_steps]
            progress(len(results))
    return [results.get((solution.problem, solution.solution)) for solution in solutions]
