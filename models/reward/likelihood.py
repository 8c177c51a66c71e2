"""How likely a language model finds the tokens it reads, and what a reward head sees of that.

Leaves out: running the model (reader.py).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

NUM_LIKELIHOOD_FEATURES = 4
_SURPRISE_LIMIT = 10.0  # nats: beyond it a token is as surprising as can be


@dataclass(frozen=True, slots=True)
class TokenLikelihood:
    """What the language model thought of tokens it then read; all of one shape, 0 at the first token.

    ``logprob``: of the token itself. ``surprise``: how far that lies under the likeliest token's, in nats.
    ``entropy``: of the prediction, in nats.
    """

    logprob: Tensor
    surprise: Tensor
    entropy: Tensor


def likelihood_of(logits: Tensor, tokens: Tensor) -> TokenLikelihood:
    """Likelihood of tokens, (...), under the logits that predict them, (..., vocabulary)."""
    logprobs = logits.float().log_softmax(dim=-1)
    observed = logprobs.gather(-1, tokens[..., None]).squeeze(-1)
    entropy = -(logprobs.exp() * logprobs).sum(dim=-1)
    return TokenLikelihood(observed, logprobs.amax(dim=-1) - observed, entropy)


def likelihood_features(likelihood: TokenLikelihood) -> Tensor:
    """(..., NUM_LIKELIHOOD_FEATURES), each of the order of 1."""
    surprise = likelihood.surprise.clamp(max=_SURPRISE_LIMIT)
    return torch.stack(
        [
            surprise / 4,
            likelihood.logprob.clamp(min=-_SURPRISE_LIMIT) / 4,
            likelihood.entropy,
            (surprise > 1.0).to(surprise.dtype),
        ],
        dim=-1,
    )
