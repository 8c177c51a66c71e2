"""A language model that reads solutions: hidden states and likelihoods of their tokens.

A backbone that trains reads a padded batch, with gradients. One that does not change reads solutions packed
(packing.py), without gradients: what they share is read once. Leaves out: judging what was read (network.py)
and keeping it from one head to the next (readings.py).
Legend: B solutions, T tokens, K tokens kept of a solution, H hidden size.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from stepmark.labeling.errors import InputError
from stepmark.models.threads import FittingThreads

from .encoding import Batch
from .likelihood import NUM_LIKELIHOOD_FEATURES, TokenLikelihood, likelihood_features, likelihood_of
from .packing import Pack, pack_solutions
from .readings import Memory

_MAX_LOGITS = 2**26  # at a time: 256 MB in float32, and a few copies of it
_MAX_KEPT_BYTES = 2**31
_BYTES_PER_NUMBER = 4
_MIN_PACK_TOKENS = 256
_PACK_LENGTHS = 3  # a pack's tokens over its longest solution's: attention costs the square of a pack
_TOLERANCE = 1e-2  # relative, of hidden states; bfloat16 carries 8 bits

Rows = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the backbone saw, all that the head needs; None is what the head does not read.

    Of a batch, ``hidden`` is (B, T, H) and ``likelihood`` (B, T, NUM_LIKELIHOOD_FEATURES); of one solution
    (K, H) and (K, NUM_LIKELIHOOD_FEATURES).
    """

    hidden: Tensor | None
    likelihood: Tensor | None


class Reader:
    """Reads with ``backbone`` what a head asks for: hidden states, likelihood features, or both.

    ``reads_packs``: whether the backbone obeys a pack's mask and positions; None until a pack has shown it.
    """

    def __init__(self, backbone: PreTrainedModel, *, reads_hidden: bool, reads_likelihood: bool) -> None:
        self.backbone = backbone
        self.reads_hidden = reads_hidden
        self.reads_likelihood = reads_likelihood
        self.reads_packs: bool | None = None
        self.threads = FittingThreads(self.num_bytes)

    @property
    def num_bytes(self) -> int:
        """Size of the backbone's weights."""
        return sum(weight.numel() * weight.element_size() for weight in self.backbone.parameters())

    @property
    def hidden_size(self) -> int:
        """H."""
        return int(self.backbone.config.get_text_config().hidden_size)

    @property
    def max_kept_tokens(self) -> int:
        """How many tokens' readings can be kept in memory at a time."""
        size = self.hidden_size if self.reads_hidden else 0
        size += NUM_LIKELIHOOD_FEATURES if self.reads_likelihood else 0
        return _MAX_KEPT_BYTES // (size * _BYTES_PER_NUMBER)

    def read_batch(self, batch: Batch) -> Reading:
        """Run the backbone over a batch on its device."""
        hidden = self.backbone.base_model(
            input_ids=batch.input_ids, attention_mask=batch.attention_mask, use_cache=False
        ).last_hidden_state
        likelihood = None
        if self.reads_likelihood:
            found = self._likelihood(hidden[:, :-1].flatten(0, 1), batch.input_ids[:, 1:].flatten())
            features = likelihood_features(found).reshape(len(hidden), -1, NUM_LIKELIHOOD_FEATURES)
            # Nothing predicts the first token.
            likelihood = nn.functional.pad(features.to(hidden.dtype), (0, 0, 1, 0))
        return Reading(hidden if self.reads_hidden else None, likelihood)

    @torch.no_grad()
    def read(
        self,
        rows: Rows,
        positions: Rows,
        progress: Callable[[int, int], None] = lambda num_read, num_rows: None,
    ) -> list[Reading]:
        """Read token ids ``rows`` and keep what is seen at ``positions`` of each.

        ``progress(num_read, num_rows)`` is called now and then. Raises ``InputError`` for a token that the
        backbone does not know, as from a tokenizer of another model.
        """
        readings: dict[int, Reading] = {}
        for pack in self._packs(rows):
            readings |= self._read_pack(pack, positions)
            progress(len(readings), len(rows))
        return [readings[index] for index in range(len(rows))]

    def read_new(
        self,
        rows: Rows,
        positions: Rows,
        memory: Memory | None,
        progress: Callable[[int, int], None] = lambda num_read, num_rows: None,
    ) -> list[Reading]:
        """``read``, but for what ``memory`` holds; it keeps the rest, so that it is read once."""
        if memory is None:
            return self.read(rows, positions, progress)
        known = {ids: features for ids in map(tuple, rows) if (features := memory.get(ids)) is not None}
        new = [ids for ids in dict.fromkeys(map(tuple, rows)) if ids not in known]
        for ids, reading in zip(new, self.read(new, [range(len(ids)) for ids in new], progress), strict=True):
            if reading.likelihood is None:
                raise ValueError("a reader without likelihoods has nothing to keep")
            known[ids] = reading.likelihood
            memory.keep(ids, reading.likelihood)
        return [
            Reading(None, known[tuple(row)][list(wanted)])
            for row, wanted in zip(rows, positions, strict=True)
        ]

    @torch.no_grad()
    def read_logprobs(self, rows: Rows) -> list[Tensor]:
        """Log-probability of every token given those before it, 0 for the first: one (T,) per row.

        Raises ``InputError`` as ``read`` does.
        """
        logprobs: dict[int, Tensor] = {}
        for pack in self._packs(rows):
            of_nodes = self._likelihood_in(pack, self._hidden(pack), range(len(pack.tokens))).logprob
            logprobs |= {row: of_nodes[path] for row, path in zip(pack.rows, pack.paths, strict=True)}
        return [logprobs[index] for index in range(len(rows))]

    def _packs(self, rows: Rows) -> Iterator[Pack]:
        """Packs as the backbone can read them, on as many threads as are worth it."""
        self.backbone.eval()
        self._refuse_unknown_tokens(rows)
        max_tokens = max(_MIN_PACK_TOKENS, _PACK_LENGTHS * max(map(len, rows), default=0))
        if self.reads_packs is None:
            self.reads_packs = self._can_read_packs(rows, max_tokens)
        with self.threads:
            for pack in pack_solutions(rows, max_tokens if self.reads_packs else 1):
                self.threads.fit()
                yield pack

    def _refuse_unknown_tokens(self, rows: Rows) -> None:
        num_known = len(cast("Tensor", self.backbone.get_input_embeddings().weight))
        largest = max((max(row, default=0) for row in rows), default=0)
        if largest >= num_known:
            problem = f"the tokenizer gives the token {largest:,}, and the model knows {num_known:,}"
            where = self.backbone.name_or_path or "the model"
            raise InputError.at(where, None, problem, "put the model's own tokenizer beside it")

    def _can_read_packs(self, rows: Rows, max_tokens: int) -> bool | None:
        """Whether the backbone obeys a pack's mask and positions, as not every one does; None without a tree.

        Tried on the longest solution whose tokens do not simply follow one another in its pack.
        """
        branches = [
            (path, pack)
            for pack in pack_solutions(rows, max_tokens)
            for path in pack.paths
            if path != list(range(len(path)))
        ]
        if not branches:
            return None
        path, pack = max(branches, key=lambda branch: len(branch[0]))
        alone = Pack()
        alone.add(0, [pack.tokens[node] for node in path], 0)
        plain = self._hidden(alone)
        try:
            packed = self._hidden(pack)[path]
        except (RuntimeError, TypeError, ValueError):  # it takes no such mask, or no positions
            return False
        return bool((packed - plain).norm() <= _TOLERANCE * plain.norm())

    def _hidden(self, pack: Pack) -> Tensor:
        """Hidden states of a pack's tokens, (T, H)."""
        device = self.backbone.device
        tree = {
            "position_ids": torch.tensor([pack.depths], device=device),
            "attention_mask": pack.attention_mask().to(device),
        }
        output = self.backbone.base_model(
            input_ids=torch.tensor([pack.tokens], device=device),
            use_cache=False,
            **(tree if len(pack.rows) > 1 else {}),
        )
        return output.last_hidden_state[0]  # type: ignore[no-any-return]

    def _read_pack(self, pack: Pack, positions: Rows) -> dict[int, Reading]:
        hidden = self._hidden(pack)
        nodes_of = {
            row: [path[position] for position in positions[row]]
            for row, path in zip(pack.rows, pack.paths, strict=True)
        }
        features = None
        if self.reads_likelihood:
            wanted = sorted({node for nodes in nodes_of.values() for node in nodes})
            features = likelihood_features(self._likelihood_in(pack, hidden, wanted)).to(hidden.dtype)
        return {
            row: Reading(
                hidden[nodes] if self.reads_hidden else None,
                None if features is None else features[nodes],
            )
            for row, nodes in nodes_of.items()
        }

    def _likelihood_in(self, pack: Pack, hidden: Tensor, nodes: Sequence[int]) -> TokenLikelihood:
        """Likelihood of ``nodes``, (T,) each; 0 elsewhere and at first tokens, as in a batch."""
        predicted = [node for node in nodes if pack.parents[node] >= 0]
        tokens = torch.tensor(
            [pack.tokens[node] for node in predicted], device=hidden.device, dtype=torch.long
        )
        found = self._likelihood(hidden[[pack.parents[node] for node in predicted]], tokens)
        spread = [found.logprob.new_zeros(len(pack.tokens)) for _ in range(3)]
        for target, values in zip(spread, (found.logprob, found.surprise, found.entropy), strict=True):
            target[predicted] = values
        return TokenLikelihood(*spread)

    def _likelihood(self, hidden: Tensor, tokens: Tensor) -> TokenLikelihood:
        """Likelihood of tokens, (T,), under the hidden states before them, (T, H).

        Piece by piece: the logits of a whole batch over a vocabulary of 150,000 would not fit in memory.
        """
        head = self.backbone.get_output_embeddings()
        size = max(1, _MAX_LOGITS // head.weight.shape[0])
        pieces = [
            likelihood_of(head(hidden[start : start + size]), tokens[start : start + size])
            for start in range(0, max(1, len(tokens)), size)
        ]
        return TokenLikelihood(
            *(torch.cat([getattr(piece, name) for piece in pieces]) for name in TokenLikelihood.__slots__)
        )


def stack_readings(readings: Sequence[Reading]) -> Reading:
    """Readings of single solutions as a batch, padded on the right as ``Encoder.collate`` pads."""
    return Reading(_stacked([one.hidden for one in readings]), _stacked([one.likelihood for one in readings]))


def _stacked(parts: Sequence[Tensor | None]) -> Tensor | None:
    present = [part for part in parts if part is not None]
    return nn.utils.rnn.pad_sequence(present, batch_first=True) if present else None
