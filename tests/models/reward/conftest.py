"""A tiny random language model over minimath's tokenizer, in memory and on disk."""

from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from stepmark.models.reward.encoding import Encoder
from stepmark.models.reward.network import HeadConfig, RewardNetwork
from stepmark.models.tiny.tokenizer import build_tokenizer

TEMPLATE = "{problem}\n"


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    """The tiny models' encoder."""
    return Encoder(build_tokenizer(), TEMPLATE, max_tokens=128)


def random_model(vocabulary_size: int) -> LlamaForCausalLM:
    """A seeded Llama of a few thousand parameters."""
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocabulary_size,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=256,
        )
    )


@pytest.fixture
def network(encoder: Encoder) -> RewardNetwork:
    """A fresh reward network that reads likelihoods."""
    return RewardNetwork(random_model(len(encoder.tokenizer)), HeadConfig(head_size=16))


@pytest.fixture(scope="session")
def base_path(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The random model's checkpoint folder."""
    folder = tmp_path_factory.mktemp("base")
    random_model(len(encoder.tokenizer)).save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    return folder
