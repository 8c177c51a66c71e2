"""Solutions packed into trees of tokens, so that what they share from the start on is read once.

Rated alternatives of a step share all that comes before it, samples share their problem. In a pack each
token attends to its ancestors only and keeps the position it has in its solution, so it is read as in a
sequence of its own (SpecInfer, Miao et al. 2024, verifies trees of tokens alike). Leaves out: running a model
over packs (reading.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

_NO_PARENT = -1


@dataclass(slots=True)
class Pack:
    """A forest of tokens. ``parents[i] < i``, or -1; ``depths[i]`` is the token's position in its solution.

    ``paths[r]`` holds the nodes of solution ``rows[r]``, in order.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)

    def add(self, row: int, ids: Sequence[int], num_shared: int) -> None:
        """Add a solution that shares its first ``num_shared`` tokens with the one added last."""
        path = self.paths[-1][:num_shared] if num_shared else []
        for depth in range(num_shared, len(ids)):
            self.parents.append(path[-1] if path else _NO_PARENT)
            path.append(len(self.tokens))
            self.tokens.append(ids[depth])
            self.depths.append(depth)
        self.rows.append(row)
        self.paths.append(path)

    def attention_mask(self) -> Tensor:
        """(1, 1, T, T), True where the token of the row may see the token of the column."""
        mask = torch.eye(len(self.tokens), dtype=torch.bool)
        for node, parent in enumerate(self.parents):
            if parent != _NO_PARENT:
                mask[node] |= mask[parent]
        return mask[None, None]


def pack_solutions(rows: Sequence[Sequence[int]], max_tokens: int) -> Iterator[Pack]:
    """Packs of at most ``max_tokens`` tokens (or of one longer solution); every row is in one of them."""
    order = sorted(range(len(rows)), key=lambda index: tuple(rows[index]))
    pack = Pack()
    previous: Sequence[int] = ()
    for index in order:
        shared = _num_shared(previous, rows[index])
        if pack.rows and len(pack.tokens) + len(rows[index]) - shared > max_tokens:
            yield pack
            pack, shared = Pack(), 0
        pack.add(index, rows[index], shared)
        previous = rows[index]
    if pack.rows:
        yield pack


def _num_shared(one: Sequence[int], other: Sequence[int]) -> int:
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return min(len(one), len(other))
