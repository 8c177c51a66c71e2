"""The reward network's parts, against values worked by hand."""

import pytest
import torch

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import split_steps
from stepmark.models.reward.encoding import NO_STEP, Encoder
from stepmark.models.reward.likelihood import likelihood_of
from stepmark.models.reward.network import HeadConfig, RewardNetwork, max_over_steps

SOLUTION = "So: $2x = 6$.\nDivide: $x = 3$."


def test_likelihood_of_a_token_under_the_logits_that_predict_it() -> None:
    """A vocabulary of two with probabilities 3/4 and 1/4, of which the second comes."""
    likelihood = likelihood_of(torch.log(torch.tensor([[0.75, 0.25]])), torch.tensor([1]))

    assert likelihood.logprob.tolist() == pytest.approx([-1.3863], abs=1e-4)
    assert likelihood.surprise.tolist() == pytest.approx([1.0986], abs=1e-4)
    assert likelihood.entropy.tolist() == pytest.approx([0.5623], abs=1e-4)


def test_likelihood_of_a_token_is_read_from_the_position_before_it(
    network: RewardNetwork, encoder: Encoder
) -> None:
    """The log-probabilities are those the language model itself gives; nothing predicts the first token."""
    ids = encoder.encode("p?", SOLUTION, split_steps(SOLUTION)).input_ids
    with torch.no_grad():
        logits = network.backbone(torch.tensor([ids])).logits[0]
    expected = logits.log_softmax(-1)[torch.arange(len(ids) - 1), ids[1:]]
    (logprobs,) = network.reader.read_logprobs([ids])

    assert logprobs[0] == 0
    torch.testing.assert_close(logprobs[1:], expected, atol=1e-5, rtol=1e-4)


def test_a_steps_features_are_pooled_over_its_own_tokens() -> None:
    """The problem's tokens, the space after a step and steps that were cut off stay out."""
    features = torch.tensor([[[9.0], [1.0], [3.0], [7.0], [2.0], [8.0]]])
    step_of_token = torch.tensor([[NO_STEP, 0, 0, 0, 1, 2]])
    step_ends = torch.tensor([[2, 4]])

    assert max_over_steps(features, step_of_token, step_ends).tolist() == [[[3.0], [2.0]]]


def test_a_padded_row_scores_as_it_does_alone(network: RewardNetwork, encoder: Encoder) -> None:
    """Neither padding nor neighbours move a score."""
    short = encoder.encode("p?", SOLUTION, split_steps(SOLUTION))
    longer = SOLUTION + "\n" + SOLUTION
    long = encoder.encode("What is $3 + 4$?", longer, split_steps(longer))
    network.eval()
    with torch.no_grad():
        alone = network(encoder.collate([short]))[0]
        padded = network(encoder.collate([short, long]))[0, :2]

    assert torch.allclose(alone, padded, atol=1e-5)


def test_a_later_step_does_not_move_an_earlier_score(network: RewardNetwork, encoder: Encoder) -> None:
    """The backbone is causal, and pooling stays within a step."""
    first = SOLUTION.split("\n")[0]
    network.eval()
    with torch.no_grad():
        prefix = network(encoder.collate([encoder.encode("p?", first, split_steps(first))]))
        whole = network(encoder.collate([encoder.encode("p?", SOLUTION, split_steps(SOLUTION))]))

    assert torch.allclose(prefix[0, 0], whole[0, 0], atol=1e-5)


def test_the_plain_head_reads_the_last_token_only(network: RewardNetwork, encoder: Encoder) -> None:
    """Without likelihoods it is a token classifier."""
    plain = RewardNetwork(network.backbone, HeadConfig(head_size=16, reads_likelihood=False))
    logits = plain(encoder.collate([encoder.encode("p?", SOLUTION, split_steps(SOLUTION))]))

    assert logits.shape == (1, 2, 3)
    assert plain.from_likelihood is None
    assert plain.classes.in_features == 16
    assert network.classes.in_features == 32


def test_a_head_that_reads_nothing_is_refused() -> None:
    """It would learn the labels' average and nothing else."""
    with pytest.raises(InputError, match="sees nothing"):
        HeadConfig(reads_hidden=False, reads_likelihood=False)
