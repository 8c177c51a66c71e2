"""What small backbones have read, kept from one head to the next by whoever trains or scores several.

Several heads on one frozen base read the same solutions in the same way, in training and in scoring.
Only likelihood features are kept, a few numbers a token. Leaves out: hidden states and large backbones,
whose readings would fill the memory.
"""

import hashlib
from typing import TYPE_CHECKING

from stepmark.models.threads import TINY_BYTES

if TYPE_CHECKING:  # an asset makes ``Readings`` without loading torch
    from torch import Tensor

    from .reader import Reader

_MAX_TOKENS = 2**24  # 256 MB of features


class Memory:
    """Features of all tokens of solutions, (T, features), by their token ids; full at ``max_tokens``."""

    def __init__(self, max_tokens: int = _MAX_TOKENS) -> None:
        self._max_tokens = max_tokens
        self._features: dict[tuple[int, ...], Tensor] = {}
        self._num_tokens = 0

    def get(self, ids: tuple[int, ...]) -> "Tensor | None":
        """The features, if they are kept."""
        return self._features.get(ids)

    def keep(self, ids: tuple[int, ...], features: "Tensor") -> None:
        """Keep them, if there is room."""
        if ids not in self._features and self._num_tokens + len(ids) <= self._max_tokens:
            self._features[ids] = features
            self._num_tokens += len(ids)


class Readings:
    """The memory of the backbone that read last; a backbone with other weights starts a new one."""

    def __init__(self) -> None:
        self._weights_sha256 = ""
        self._memory = Memory()

    def of(self, reader: "Reader") -> Memory | None:
        """What backbones with the weights of ``reader`` have read; None where nothing is to be kept.

        Ask again after the weights may have changed.
        """
        if reader.reads_hidden or not reader.reads_likelihood or reader.num_bytes >= TINY_BYTES:
            return None
        sha256 = _weights_sha256(reader)
        if sha256 != self._weights_sha256:
            self._weights_sha256, self._memory = sha256, Memory()
        return self._memory


def _weights_sha256(reader: "Reader") -> str:
    hasher = hashlib.sha256()
    for name, weight in sorted(reader.backbone.state_dict().items()):
        hasher.update(name.encode())
        hasher.update(weight.detach().float().cpu().numpy().tobytes())
    return hasher.hexdigest()
