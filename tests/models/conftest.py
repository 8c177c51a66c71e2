"""A tiny random language model on disk, shared by the tests of samplers and reward models."""

from pathlib import Path

import pytest

NUM_TOKENS = 300


@pytest.fixture(scope="session")
def tiny_model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random two-layer Llama in safetensors; each of its tokens is one character.

    Token 0 is the end and the padding; the others are the newline and the characters from chr(32) on. The
    model is close to uniform, so samples hardly ever agree and one in 300 tokens ends the text.
    """
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    pieces = ["<end>", "\n", *(chr(32 + index) for index in range(NUM_TOKENS - 2))]
    tokenizer = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("[\\s\\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    config = LlamaConfig(
        vocab_size=NUM_TOKENS,
        hidden_size=64,  # two heads of 32: the smallest that vLLM takes on CPU
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    folder = tmp_path_factory.mktemp("tiny-model")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        LlamaForCausalLM(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<end>", eos_token="<end>", clean_up_tokenization_spaces=False
    ).save_pretrained(folder)
    return folder
