"""What small backbones have read, remembered from one head to the next.

Several heads on one frozen base read the same solutions in the same way, in training and in scoring.
Only likelihood features are remembered, a few numbers a token. Leaves out: hidden states and large
backbones, whose readings would fill the memory.
"""

import hashlib
from collections.abc import Callable, Sequence

from torch import Tensor

from stepmark.models.threads import TINY_BYTES

from .network import Reading, RewardNetwork
from .reading import read_solutions

_MAX_TOKENS = 2**24  # 256 MB of features
_memories: dict[str, "Memory"] = {}  # by the backbone's weights; the last one alone


class Memory:
    """Features of all tokens of solutions, (T, features), by their token ids; full at some point."""

    def __init__(self) -> None:
        self._features: dict[tuple[int, ...], Tensor] = {}
        self._num_tokens = 0

    def get(self, ids: tuple[int, ...]) -> Tensor | None:
        """The features, if they are remembered."""
        return self._features.get(ids)

    def keep(self, ids: tuple[int, ...], features: Tensor) -> None:
        """Remember them, if there is room."""
        if ids not in self._features and self._num_tokens + len(ids) <= _MAX_TOKENS:
            self._features[ids] = features
            self._num_tokens += len(ids)


def memory_of(network: RewardNetwork) -> Memory | None:
    """What backbones with these weights have read; None where nothing is to be remembered.

    Ask again after the weights may have changed.
    """
    config = network.config
    if config.reads_hidden or not config.reads_likelihood or network.num_backbone_bytes >= TINY_BYTES:
        return None
    hasher = hashlib.sha256()
    for name, weight in sorted(network.backbone.state_dict().items()):
        hasher.update(name.encode())
        hasher.update(weight.detach().float().cpu().numpy().tobytes())
    key = hasher.hexdigest()
    if key not in _memories:
        _memories.clear()
        _memories[key] = Memory()
    return _memories[key]


def read_or_remember(
    network: RewardNetwork,
    memory: Memory | None,
    rows: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
    progress: Callable[[int, int], None] = lambda num_done, total: None,
) -> list[Reading]:
    """``read_solutions``, but for what is in ``memory``, which learns the rest."""
    if memory is None:
        return read_solutions(network, rows, positions, progress)
    known: dict[tuple[int, ...], Tensor] = {}
    for ids in map(tuple, rows):
        features = memory.get(ids)
        if features is not None:
            known[ids] = features
    new = [ids for ids in dict.fromkeys(map(tuple, rows)) if ids not in known]
    readings = read_solutions(network, new, [range(len(ids)) for ids in new], progress)
    for ids, reading in zip(new, readings, strict=True):
        if reading.likelihood is None:
            raise ValueError("a network that does not read likelihoods has nothing to remember")
        known[ids] = reading.likelihood
        memory.keep(ids, reading.likelihood)
    return [
        Reading(None, known[tuple(row)][list(wanted)]) for row, wanted in zip(rows, positions, strict=True)
    ]
