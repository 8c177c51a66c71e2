"""The reward network: a causal language model read twice, by its hidden states and by its surprise.

A language model that knows the subject is surprised at the very token where a step goes wrong; a fresh
head on the hidden state at a step's end does not find that from a few thousand labels. So each token
gives the head its hidden state beside its own likelihood under the model, the tokens of a step are pooled
by a maximum (a step is as bad as its worst token), and three classes are read. Either input can be left out;
without the likelihood only the hidden state at the step's end is read: the plain token classifier.

Leaves out: reading (reader.py), targets and the loss (training.py), files (checkpoint.py).
Legend: B solutions, T tokens, S steps, H hidden size, F head size.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from stepmark.labeling.errors import InputError

from .encoding import NO_STEP, Batch
from .likelihood import NUM_LIKELIHOOD_FEATURES
from .reader import Reader, Reading

NUM_CLASSES = 3  # negative, neutral, positive, in the order of the ratings -1, 0, +1


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """``head_size``: width of the token features. What the head reads of each token: see the module."""

    head_size: int = 64
    reads_hidden: bool = True
    reads_likelihood: bool = True

    def __post_init__(self) -> None:
        if not (self.reads_hidden or self.reads_likelihood):
            raise InputError(
                "a reward head that reads neither hidden states nor likelihoods sees nothing;"
                " set reads_hidden or reads_likelihood."
            )


class RewardNetwork(nn.Module):
    """Backbone and head. ``forward`` gives logits, (B, S, 3); those past a solution's last step mean nothing.

    It is ``judge`` of what ``reader`` reads: a frozen backbone reads each solution once, however often the
    head trains.
    """

    def __init__(self, backbone: PreTrainedModel, config: HeadConfig) -> None:
        super().__init__()
        self.backbone = backbone
        self.config = config
        self.reader = Reader(
            backbone, reads_hidden=config.reads_hidden, reads_likelihood=config.reads_likelihood
        )
        # Two projections: in one, a few likelihood features would start out drowned by the hidden state.
        self.from_hidden: nn.Module | None = None
        self.from_likelihood: nn.Module | None = None
        if config.reads_hidden:
            size = self.reader.hidden_size
            self.from_hidden = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, config.head_size))
        if config.reads_likelihood:
            self.from_likelihood = nn.Linear(NUM_LIKELIHOOD_FEATURES, config.head_size)
        num_pooled = 2 if config.reads_likelihood else 1
        self.classes = nn.Linear(num_pooled * config.head_size, NUM_CLASSES)

    @property
    def num_backbone_bytes(self) -> int:
        """Size of the backbone's weights."""
        return self.reader.num_bytes

    def forward(self, batch: Batch) -> Tensor:
        """Class logits at each step, (B, S, 3)."""
        batch = batch.to(self.backbone.device)
        return self.judge(self.reader.read_batch(batch), batch)

    def judge(self, reading: Reading, batch: Batch) -> Tensor:
        """Run the head over what the backbone read: class logits at each step, (B, S, 3)."""
        parts = (self.from_hidden, reading.hidden), (self.from_likelihood, reading.likelihood)
        inputs = [layer(part) for layer, part in parts if layer is not None]
        features = nn.functional.gelu(torch.stack(inputs).sum(dim=0))
        at_end = _at_step_ends(features, batch.step_ends)
        if self.from_likelihood is None:
            return self.classes(at_end)  # type: ignore[no-any-return]
        worst = max_over_steps(features, batch.step_of_token, batch.step_ends)
        return self.classes(torch.cat([at_end, worst], dim=-1))  # type: ignore[no-any-return]


def _at_step_ends(features: Tensor, step_ends: Tensor) -> Tensor:
    """Features at the last token of each step: (B, T, F) and (B, S) to (B, S, F)."""
    index = step_ends.clamp(min=0)[:, :, None].expand(-1, -1, features.shape[-1])
    return features.gather(1, index)


def max_over_steps(features: Tensor, step_of_token: Tensor, step_ends: Tensor) -> Tensor:
    """Maximum of each feature over a step's tokens: (B, T, F), (B, T) and (B, S) to (B, S, F).

    A step's tokens are those up to its end: the white space after it says nothing about it. Steps without
    tokens get -1 (GELU's values lie above it).
    """
    batch_size, num_tokens, size = features.shape
    num_steps = step_ends.shape[1]
    own_end = step_ends.gather(1, step_of_token.clamp(min=0, max=num_steps - 1))
    position = torch.arange(num_tokens, device=features.device)
    # True: the token is part of a step that is scored.
    counts = (step_of_token != NO_STEP) & (step_of_token < num_steps) & (position <= own_end)
    row = torch.where(counts, step_of_token, num_steps)  # the last row is dropped
    pooled = features.new_full((batch_size, num_steps + 1, size), -1.0)
    index = row[:, :, None].expand(-1, -1, size)
    return pooled.scatter_reduce(1, index, features, reduce="amax")[:, :num_steps]
