"""A model in a GGUF file as a plain checkpoint: safetensors and tokenizer, which vLLM and trainers load.

Leaves out: architectures other than Llama's, and quantized inference; weights become bfloat16.
"""

from pathlib import Path

from stepmark.labeling.errors import InputError


def convert_gguf(gguf: Path, out: Path) -> None:
    """Write the model of ``gguf`` to the folder ``out``.

    Raises:
        InputError: if the file holds no Llama-like model that transformers can read.
    """
    import torch  # noqa: PLC0415 - slow to import
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig  # noqa: PLC0415

    try:
        loaded = AutoModelForCausalLM.from_pretrained(
            str(gguf.parent), gguf_file=gguf.name, dtype=torch.bfloat16
        )
        tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError.at(
            gguf, None, f"no model can be read ({reason})", "give a GGUF file of a Llama"
        ) from error
    if not isinstance(loaded.config, LlamaConfig):
        raise InputError.at(
            gguf,
            None,
            f"the model is a {type(loaded.config).__name__}, not a Llama",
            "give a GGUF file of a Llama",
        )
    # What transformers makes of a GGUF file remembers its quantization; a fresh model does not.
    config = LlamaConfig.from_dict(_settings(loaded.config))
    plain = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    plain.load_state_dict(loaded.state_dict())
    plain.save_pretrained(out, safe_serialization=True)
    tokenizer.save_pretrained(out)


def _settings(config: "object") -> dict[str, object]:
    names = (
        "vocab_size",
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "max_position_embeddings",
        "rms_norm_eps",
        "rope_parameters",
        "tie_word_embeddings",
        "bos_token_id",
        "eos_token_id",
        "pad_token_id",
    )
    return {name: getattr(config, name) for name in names}
