"""What a frozen base has read is kept for the next head, and only for that base."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from stepmark.labeling.steps import split_steps
from stepmark.models.reward.encoding import Encoder
from stepmark.models.reward.examples import Example
from stepmark.models.reward.network import HeadConfig, RewardNetwork
from stepmark.models.reward.reader import Reader
from stepmark.models.reward.readings import Memory, Readings
from stepmark.models.reward.scoring import Scorable, score_solutions
from stepmark.models.reward.training import TrainingConfig, train

from .conftest import random_model

SURPRISE = HeadConfig(head_size=16, reads_hidden=False)
TEXTS = ["So: $x = 1$.\nSo: $y = 2$.", "So: $x = 1$.\nSo: $y = 7$.", "So: $x = 1$.\nSo: $y = 2$."]
SOLUTIONS = [Scorable("Solve it.", text, tuple(split_steps(text))) for text in TEXTS]
EXAMPLES = [
    Example("p", "Solve it.", text, tuple(split_steps(text)), ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
    for text in TEXTS
]


@pytest.fixture
def num_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many solutions each reading was of."""
    counts: list[int] = []
    read = Reader.read

    def counting(reader: Reader, rows: Sequence[Any], *rest: Any) -> Any:
        counts.append(len(rows))
        return read(reader, rows, *rest)

    monkeypatch.setattr(Reader, "read", counting)
    return counts


def network_of(encoder: Encoder, config: HeadConfig = SURPRISE) -> RewardNetwork:
    """A head with random weights on the random model, which is the same each time."""
    torch.manual_seed(len(config.__slots__))
    return RewardNetwork(random_model(len(encoder.tokenizer)), config)


def test_a_second_head_on_the_same_base_reads_nothing(encoder: Encoder, num_read: list[int]) -> None:
    """Its scores are those it would have given after reading."""
    first, second, readings = network_of(encoder), network_of(encoder), Readings()
    score_solutions(first, encoder, SOLUTIONS, readings=readings)
    scores = score_solutions(second, encoder, SOLUTIONS, readings=readings)

    assert num_read == [2, 0]
    assert scores == score_solutions(second, encoder, SOLUTIONS)


def test_a_second_head_on_the_same_base_trains_without_reading(encoder: Encoder, num_read: list[int]) -> None:
    """It comes out as it would have after reading; scoring goes on from there."""
    first, second, alone, readings = (*(network_of(encoder) for _ in range(3)), Readings())
    config = TrainingConfig(num_epochs=1, backbone_rate_factor=0.0)
    train(first, encoder, EXAMPLES, [], config, readings=readings)
    train(second, encoder, EXAMPLES, [], config, readings=readings)
    score_solutions(second, encoder, SOLUTIONS, readings=readings)
    train(alone, encoder, EXAMPLES, [], config)

    assert num_read == [2, 0, 0, 2]
    assert torch.equal(second.classes.weight, alone.classes.weight)


def test_another_base_reads_for_itself(encoder: Encoder, num_read: list[int]) -> None:
    """One changed weight, and nothing that was read holds."""
    network, readings = network_of(encoder), Readings()
    score_solutions(network, encoder, SOLUTIONS, readings=readings)
    with torch.no_grad():
        next(network.backbone.parameters()).view(-1)[0] += 1
    score_solutions(network, encoder, SOLUTIONS, readings=readings)

    assert num_read == [2, 2]


def test_hidden_states_are_not_kept(encoder: Encoder, network: RewardNetwork) -> None:
    """They would fill the memory."""
    assert Readings().of(network.reader) is None
    assert Readings().of(network_of(encoder, HeadConfig(16, reads_likelihood=False)).reader) is None


def test_a_full_memory_keeps_what_it_has() -> None:
    """What does not fit is read again, not put in the place of something else."""
    memory = Memory(max_tokens=3)
    memory.keep((1, 2), torch.zeros(2, 4))
    memory.keep((3, 4), torch.zeros(2, 4))

    assert memory.get((1, 2)) is not None
    assert memory.get((3, 4)) is None
