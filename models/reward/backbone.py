"""Loading the language model under a reward model: whole, finite and with its own tokenizer, or not at all.

A weight that is missing would be drawn at random, and scores would come out as if nothing were wrong.
Leaves out: the head (checkpoint.py). Only safetensors are read, and no code from a checkpoint runs.
"""

import contextlib
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging as transformers_logging

from stepmark.labeling.errors import InputError
from stepmark.models.model_files import check_model_files, reason_of

_REMEDY = "give a folder with config.json, *.safetensors and tokenizer.json, all of one model"

# Its bars for single files would stand between our own lines of progress.
transformers_logging.disable_progress_bar()


def load_backbone(
    path: str, remedy: str = _REMEDY, *, is_whole: bool = False, dtype: torch.dtype = torch.float32
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """Load a causal language model and its tokenizer from a folder or a hub name (safetensors only).

    With ``is_whole`` the weights hold nothing but this model's, as when training saved them.

    Raises:
        InputError: if there is no such model, it has no safetensors, or one of its files is damaged.
    """
    if Path(path).is_dir():
        check_model_files(Path(path), remedy)
    with _as_input_error(path, "config.json", remedy):
        config = AutoConfig.from_pretrained(path, trust_remote_code=False)
    with _as_input_error(path, "the weights", remedy):
        # Tensors of another shape are let through here to be named below.
        model, loaded = cast(
            "tuple[PreTrainedModel, dict[str, Any]]",
            AutoModelForCausalLM.from_pretrained(
                path,
                config=config,
                dtype=dtype,
                use_safetensors=True,
                trust_remote_code=False,
                ignore_mismatched_sizes=True,
                output_loading_info=True,
            ),
        )
    _check_loaded(path, loaded, remedy, is_whole=is_whole)
    refuse_non_finite(path, model.named_parameters(), remedy)
    with _as_input_error(path, "the tokenizer", remedy):
        tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
        if isinstance(tokenizer, PreTrainedTokenizerFast):
            tokenizer("1 + 2 = 3", return_offsets_mapping=True, add_special_tokens=False)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise InputError(
            f"{path}: the tokenizer gives no character offsets; use a model with a fast tokenizer."
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def refuse_non_finite(path: object, tensors: Iterable[tuple[str, Tensor]], remedy: str) -> None:
    """Raise ``InputError`` for the first tensor that holds NaN or an infinity: all scores would be NaN."""
    for name, tensor in tensors:
        if not bool(torch.isfinite(tensor).all()):
            raise InputError.at(path, None, f"the weights {name} hold NaN or an infinity", remedy)


def _check_loaded(path: str, loaded: dict[str, Any], remedy: str, *, is_whole: bool) -> None:
    mismatched = sorted(loaded["mismatched_keys"])
    problems = [
        *(
            f"the weights {name} are {tuple(a)}, not {tuple(b)} as in config.json"
            for name, a, b in mismatched
        ),
        *(f"the weights {name} are missing" for name in sorted(loaded["missing_keys"])),
        *(f"the weights {name} are no part of it" for name in sorted(loaded["unexpected_keys"]) if is_whole),
        *map(str, loaded["error_msgs"]),
    ]
    if problems:
        more = f" (and {len(problems) - 1:,} more like it)" if problems[1:] else ""
        raise InputError.at(path, None, f"cannot load a language model: {problems[0]}{more}", remedy)


@contextlib.contextmanager
def _as_input_error(path: str, what: str, remedy: str) -> Iterator[None]:
    """Turn whatever the libraries raise into one sentence, without what they log on the way to it."""
    before = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity(logging.CRITICAL)
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # the errors of transformers and tokenizers have no common base
        problem = f"cannot load a language model: {what} cannot be used ({reason_of(error)})"
        raise InputError.at(path, None, problem, remedy) from error
    finally:
        transformers_logging.set_verbosity(before)
