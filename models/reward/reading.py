"""What a frozen backbone reads of each solution, read once and kept while the head trains.

A head of a few thousand weights trains in seconds; reading the solutions again in every epoch and at every
validation is nearly the whole cost. Leaves out: backbones that train, whose reading changes with each step.
Legend: T tokens of a pack, K tokens kept of a solution, H hidden size.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import torch
from torch import Tensor

from stepmark.labeling.errors import InputError
from stepmark.models.threads import fitting_threads

from .encoding import NO_STEP, Encoded
from .network import NUM_LIKELIHOOD_FEATURES, Reading, RewardNetwork, TokenLikelihood, likelihood_features
from .packing import Pack, pack_solutions

_MAX_KEPT_BYTES = 2**31
_BYTES_PER_NUMBER = 4
_MIN_PACK_TOKENS, _PACK_LENGTHS = (
    256,
    3,
)  # tokens, lengths of the longest solution: attention costs its square
_TOLERANCE = 1e-2  # relative, of hidden states; bfloat16 carries 8 bits


def positions_of_steps(row: Encoded, steps: Sequence[int]) -> list[int]:
    """The tokens that the head reads to judge ``steps``, in order."""
    wanted = set(steps)
    inside = {
        position
        for position, step in enumerate(row.step_of_token)
        if step in wanted and position <= row.step_ends[step]
    }
    return sorted(inside | {row.step_ends[step] for step in steps})


def only_steps(row: Encoded, steps: Sequence[int]) -> Encoded:
    """The row as if it held the tokens of ``steps`` alone, which are then numbered from 0."""
    positions = positions_of_steps(row, steps)
    new_step = {step: index for index, step in enumerate(steps)}
    new_position = {position: index for index, position in enumerate(positions)}
    return Encoded(
        [row.input_ids[position] for position in positions],
        [new_step.get(row.step_of_token[position], NO_STEP) for position in positions],
        [new_position[row.step_ends[step]] for step in steps],
        len(steps),
    )


def max_kept_tokens(network: RewardNetwork) -> int:
    """How many tokens' readings can be kept in memory at a time."""
    size = network.hidden_size if network.config.reads_hidden else 0
    size += NUM_LIKELIHOOD_FEATURES if network.config.reads_likelihood else 0
    return _MAX_KEPT_BYTES // (size * _BYTES_PER_NUMBER)


@torch.no_grad()
def read_solutions(
    network: RewardNetwork,
    rows: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
    progress: Callable[[int, int], None] = lambda num_done, total: None,
) -> list[Reading]:
    """Read token ids ``rows`` and keep what is seen at ``positions``: one (K, H) and (K, features) per row.

    ``progress(num_read, num_rows)`` is called now and then.
    """
    readings: dict[int, Reading] = {}
    for pack in _packs(network, rows):
        for row, reading in _read_pack(network, pack, positions):
            readings[row] = reading
        progress(len(readings), len(rows))
    return [readings[index] for index in range(len(rows))]


@torch.no_grad()
def read_logprobs(network: RewardNetwork, rows: Sequence[Sequence[int]]) -> list[Tensor]:
    """Log-probability of every token given those before it, 0 for the first: one (T,) per row."""
    logprobs: dict[int, Tensor] = {}
    for pack in _packs(network, rows):
        of_nodes = _likelihood(network, pack, _hidden(network, pack), range(len(pack.tokens))).logprob
        logprobs |= {row: of_nodes[path] for row, path in zip(pack.rows, pack.paths, strict=True)}
    return [logprobs[index] for index in range(len(rows))]


def _packs(network: RewardNetwork, rows: Sequence[Sequence[int]]) -> Iterator[Pack]:
    """Packs as the backbone can read them, on as many threads as are worth it.

    Raises:
        InputError: for a token that the backbone does not know, as from a tokenizer of another model.
    """
    network.eval()
    num_known = len(cast("Tensor", network.backbone.get_input_embeddings().weight))
    largest = max((max(row, default=0) for row in rows), default=0)
    if largest >= num_known:
        problem = f"the tokenizer gives the token {largest:,}, and the model knows {num_known:,}"
        where = network.backbone.name_or_path or "the model"
        raise InputError.at(where, None, problem, "put the model's own tokenizer beside it")
    max_tokens = max(_MIN_PACK_TOKENS, _PACK_LENGTHS * max(map(len, rows), default=0))
    if network.reads_packs is None:
        network.reads_packs = _reads_packs(network, rows, max_tokens)
    with fitting_threads(network.num_backbone_bytes) as look:
        for pack in pack_solutions(rows, max_tokens if network.reads_packs else 1):
            look()
            yield pack


def _reads_packs(network: RewardNetwork, rows: Sequence[Sequence[int]], max_tokens: int) -> bool | None:
    """Whether the backbone heeds a pack's mask and positions, as not every one does; None without a pack.

    Looked at is the longest solution whose tokens do not simply follow one another in its pack.
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
    plain = _hidden(network, alone)
    try:
        packed = _hidden(network, pack)[path]
    except (RuntimeError, TypeError, ValueError):  # it takes no such mask, or no positions
        return False
    return bool((packed - plain).norm() <= _TOLERANCE * plain.norm())


def _hidden(network: RewardNetwork, pack: Pack) -> Tensor:
    """Hidden states of a pack's tokens, (T, H)."""
    device = network.backbone.device
    tree = {
        "position_ids": torch.tensor([pack.depths], device=device),
        "attention_mask": pack.attention_mask().to(device),
    }
    output = network.backbone.base_model(
        input_ids=torch.tensor([pack.tokens], device=device),
        use_cache=False,
        **(tree if len(pack.rows) > 1 else {}),
    )
    return output.last_hidden_state[0]  # type: ignore[no-any-return]


def _read_pack(
    network: RewardNetwork, pack: Pack, positions: Sequence[Sequence[int]]
) -> list[tuple[int, Reading]]:
    hidden = _hidden(network, pack)
    kept = [
        [path[position] for position in positions[row]]
        for row, path in zip(pack.rows, pack.paths, strict=True)
    ]
    features = None
    if network.from_likelihood is not None:
        nodes = sorted({node for nodes in kept for node in nodes})
        features = likelihood_features(_likelihood(network, pack, hidden, nodes)).to(hidden.dtype)
    return [
        (
            row,
            Reading(
                hidden[nodes] if network.from_hidden is not None else None,
                features[nodes] if features is not None else None,
            ),
        )
        for row, nodes in zip(pack.rows, kept, strict=True)
    ]


def _likelihood(network: RewardNetwork, pack: Pack, hidden: Tensor, nodes: Sequence[int]) -> TokenLikelihood:
    """Likelihood of ``nodes``, (T,) each; 0 elsewhere and at first tokens, as in plain reading."""
    predicted = [node for node in nodes if pack.parents[node] >= 0]
    tokens = torch.tensor([pack.tokens[node] for node in predicted], device=hidden.device, dtype=torch.long)
    seen = network.likelihood(hidden[[pack.parents[node] for node in predicted]], tokens)
    spread = [seen.logprob.new_zeros(len(pack.tokens)) for _ in range(3)]
    for target, values in zip(spread, (seen.logprob, seen.surprise, seen.entropy), strict=True):
        target[predicted] = values
    return TokenLikelihood(*spread)


def stack_readings(readings: Sequence[Reading]) -> Reading:
    """Readings of single solutions as a batch, padded on the right as ``Encoder.collate`` pads."""
    return Reading(_padded([one.hidden for one in readings]), _padded([one.likelihood for one in readings]))


def _padded(rows: Sequence[Tensor | None]) -> Tensor | None:
    present = [row for row in rows if row is not None]
    return torch.nn.utils.rnn.pad_sequence(present, batch_first=True) if present else None
