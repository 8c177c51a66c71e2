"""Training a reward network on step targets. One loss, whatever the labels' source.

Leaves out: where examples come from, and files (checkpoint.py). Legend: B solutions, S steps.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from stepmark.labeling.errors import InputError
from stepmark.models.batches import batches

from .encoding import Batch, Encoded, Encoder
from .examples import Example
from .network import NUM_CLASSES, RewardNetwork
from .reader import Reading, stack_readings
from .readings import Readings

_SORTED_BATCHES = 16  # a backbone reads batches of like lengths faster


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """``backbone_rate_factor`` scales the backbone's learning rate; 0 freezes it and trains the head only."""

    num_epochs: float = 2.0
    batch_solutions: int = 32
    learning_rate: float = 1e-3
    backbone_rate_factor: float = 0.3
    weight_decay: float = 0.01
    warmup_share: float = 0.1
    num_evaluations: int = 8
    seed: int = 0


@dataclass(slots=True)
class TrainingReport:
    """What a run saw and reached. Losses are nats per labeled step; a history entry is (step, loss).

    Labels and their mass are those learned from; labels cut off are counted in both sets.
    """

    num_train_solutions: int = 0
    num_validation_solutions: int = 0
    num_labeled_steps: int = 0
    num_labels_cut_off: int = 0
    label_mass: list[float] = field(default_factory=lambda: [0.0] * NUM_CLASSES)
    train_losses: list[tuple[int, float]] = field(default_factory=list)
    validation_losses: list[tuple[int, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Row:
    encoded: Encoded
    targets: list[tuple[float, float, float] | None]
    reading: Reading | None = None  # of a frozen backbone


def train(
    network: RewardNetwork,
    encoder: Encoder,
    train_examples: Sequence[Example],
    validation_examples: Sequence[Example],
    config: TrainingConfig,
    progress: Callable[[int, int, float], None] = lambda step, total, loss: None,
    reading_progress: Callable[[int, int], None] = lambda num_read, num_solutions: None,
    readings: Readings | None = None,
) -> TrainingReport:
    """Train ``network`` in place. ``progress(step, num_steps, loss)`` is called after every step.

    A frozen backbone reads every solution once, before the first step, if memory holds what it reads;
    ``reading_progress(num_read, num_solutions)`` is called meanwhile. ``readings``: what earlier heads on the
    same base have read, and later ones need not read again.

    The two example sets share no problem, as the caller sees to; the second one is only measured.

    Raises:
        InputError: if no train example carries a label that the length limit leaves.
    """
    report = TrainingReport()
    train_rows, validation_rows = _both_sets(encoder, train_examples, validation_examples, report)
    if config.backbone_rate_factor == 0:
        read = _read(network, train_rows + validation_rows, readings or Readings(), reading_progress)
        train_rows, validation_rows = read[: len(train_rows)], read[len(train_rows) :]
    torch.manual_seed(config.seed)
    num_batches = math.ceil(len(train_rows) / config.batch_solutions)  # an epoch's: the last may be short
    num_steps = max(1, round(config.num_epochs * num_batches))
    optimizer, scheduler = _optimizer(network, config, num_steps)
    check_every = max(1, num_steps // config.num_evaluations)
    _validate(network, encoder, validation_rows, config, report, 0)
    losses: list[float] = []
    num_labels = 0
    labels_per_batch = config.batch_solutions * report.num_labeled_steps / len(train_rows)
    with network.reader.threads as threads:
        for step, rows in enumerate(_batches(train_rows, config, num_steps), start=1):
            threads.fit()
            network.train()
            logits, targets = _logits_and_targets(network, encoder, rows)
            # Every labeled step weighs the same: a mean per batch would favour the labels of sparse batches.
            summed = _summed_loss(logits, targets)
            (summed / labels_per_batch).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            num_now = int((targets.sum(dim=-1) > 0).sum())
            losses.append(summed.item())
            num_labels += num_now
            progress(step, num_steps, summed.item() / num_now)
            if step % check_every == 0 or step == num_steps:
                report.train_losses.append((step, sum(losses) / num_labels))
                losses.clear()
                num_labels = 0
                _validate(network, encoder, validation_rows, config, report, step)
    network.eval()
    return report


def _both_sets(
    encoder: Encoder,
    train_examples: Sequence[Example],
    validation_examples: Sequence[Example],
    report: TrainingReport,
) -> tuple[list[_Row], list[_Row]]:
    """Encode both sets and count them in ``report``; refuse a train set that teaches nothing."""
    train_rows = _rows(encoder, train_examples, report)
    if not train_rows:
        raise InputError(
            f"none of the {len(train_examples)} train examples carries a label within {encoder.max_tokens}"
            f" tokens ({report.num_labels_cut_off} labels lie beyond); label some or raise max_tokens."
        )
    measured = TrainingReport()
    validation_rows = _rows(encoder, validation_examples, measured)
    report.num_labels_cut_off += measured.num_labels_cut_off
    report.num_train_solutions, report.num_validation_solutions = len(train_rows), len(validation_rows)
    return train_rows, validation_rows


def _rows(encoder: Encoder, examples: Sequence[Example], report: TrainingReport) -> list[_Row]:
    """Encode examples; count in ``report`` what is labeled, and what the length limit cuts off."""
    rows: list[_Row] = []
    for example in examples:
        encoded = encoder.encode(example.problem, example.solution, example.steps)
        targets = list(example.targets[: len(encoded.step_ends)])
        report.num_labels_cut_off += sum(target is not None for target in example.targets[len(targets) :])
        for target in targets:
            if target is not None:
                report.num_labeled_steps += 1
                report.label_mass = [a + b for a, b in zip(report.label_mass, target, strict=True)]
        if any(target is not None for target in targets):
            rows.append(_Row(encoded, targets))
    return rows


def _optimizer(
    network: RewardNetwork, config: TrainingConfig, num_steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    rates = [config.learning_rate]
    backbone = list(network.backbone.parameters())
    in_backbone = {id(parameter) for parameter in backbone}
    head = [p for p in network.parameters() if id(p) not in in_backbone]
    groups: list[dict[str, object]] = [{"params": head, "lr": config.learning_rate}]
    for parameter in backbone:
        parameter.requires_grad_(config.backbone_rate_factor > 0)
    if config.backbone_rate_factor > 0:
        rates.append(config.learning_rate * config.backbone_rate_factor)
        groups.append({"params": backbone, "lr": rates[-1]})
    optimizer = torch.optim.AdamW(groups, weight_decay=config.weight_decay)
    total_steps, warmup_share = num_steps + 1, config.warmup_share
    if warmup_share * total_steps == 1.0:
        warmup_share *= 1.01  # the scheduler divides by their product less one
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=rates, total_steps=total_steps, pct_start=warmup_share
    )
    return optimizer, scheduler


def _batches(rows: list[_Row], config: TrainingConfig, num_steps: int) -> Iterator[Sequence[_Row]]:
    """``num_steps`` batches; rows still to be read are sorted by length within chunks of some batches.

    Length goes with the labels, so sorted batches are lopsided: rows that are read already are not sorted.
    """
    rng = random.Random(config.seed)
    order, num_given = list(rows), 0
    chunk_size = config.batch_solutions * (_SORTED_BATCHES if rows[0].reading is None else 1)
    while num_given < num_steps:
        rng.shuffle(order)
        epoch = [
            batch
            for chunk in batches(order, chunk_size)
            for batch in batches(
                sorted(chunk, key=lambda row: len(row.encoded.input_ids)), config.batch_solutions
            )
        ]
        rng.shuffle(epoch)
        yield from epoch[: num_steps - num_given]
        num_given += len(epoch)


def _read(
    network: RewardNetwork, rows: list[_Row], readings: Readings, progress: Callable[[int, int], None]
) -> list[_Row]:
    """Rows of labeled steps alone, with what the backbone reads of them; as they are if memory is short."""
    reader = network.reader
    labeled = [[step for step, target in enumerate(row.targets) if target is not None] for row in rows]
    positions = [row.encoded.positions_of(steps) for row, steps in zip(rows, labeled, strict=True)]
    if sum(map(len, positions)) > reader.max_kept_tokens:
        return rows
    ids = [row.encoded.input_ids for row in rows]
    read = reader.read_new(ids, positions, readings.of(reader), progress)
    return [
        _Row(row.encoded.only(steps), [row.targets[step] for step in steps], reading)
        for row, steps, reading in zip(rows, labeled, read, strict=True)
    ]


def _logits_and_targets(
    network: RewardNetwork, encoder: Encoder, rows: Sequence[_Row]
) -> tuple[Tensor, Tensor]:
    batch = encoder.collate([row.encoded for row in rows])
    targets = _targets(rows, batch)
    readings = [row.reading for row in rows if row.reading is not None]
    if len(readings) < len(rows):
        return network(batch), targets
    return network.judge(stack_readings(readings), batch.to(network.backbone.device)), targets


def _targets(rows: Sequence[_Row], batch: Batch) -> Tensor:
    """Target distributions, (B, S, 3); all-zero rows where a step has no label."""
    targets = torch.zeros(*batch.step_ends.shape, NUM_CLASSES)
    for index, row in enumerate(rows):
        for step, target in enumerate(row.targets):
            if target is not None:
                targets[index, step] = torch.tensor(target)
    return targets


def _summed_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy against distributions, a sum over labeled steps. Both (B, S, 3)."""
    targets = targets.to(logits.device)
    labeled = targets.sum(dim=-1) > 0  # True: the step counts
    return nn.functional.cross_entropy(logits[labeled].float(), targets[labeled], reduction="sum")


def _validate(
    network: RewardNetwork,
    encoder: Encoder,
    rows: Sequence[_Row],
    config: TrainingConfig,
    report: TrainingReport,
    step: int,
) -> None:
    if rows:  # without validation problems the history stays empty: no loss is not a loss of 0
        loss = _mean_loss(network, encoder, rows, config.batch_solutions)
        report.validation_losses.append((step, loss))


@torch.no_grad()
def _mean_loss(network: RewardNetwork, encoder: Encoder, rows: Sequence[_Row], size: int) -> float:
    """Mean loss over all labeled steps of ``rows``, of which there is at least one."""
    network.eval()
    total, count = 0.0, 0
    for batch in batches(rows, size):
        logits, targets = _logits_and_targets(network, encoder, batch)
        total += _summed_loss(logits, targets).item()
        count += int((targets.sum(dim=-1) > 0).sum())
    return total / count
