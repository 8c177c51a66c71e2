"""Text of completions from their token ids, as it stands after the prompt.

Leaves out: stop strings, which the engine cuts off while it samples.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_NUM_CONTEXT_TOKENS = 8


def decode_completions(
    tokenizer: "PreTrainedTokenizerBase", prompt_ids: list[int], completions: list[list[int]]
) -> list[str]:
    """Decode each completion after the prompt's last tokens, without special tokens.

    A tokenizer may drop a space at the start of what it decodes, so a completion decoded alone would not join
    the prompt where the model wrote it.
    """
    context = prompt_ids[-_NUM_CONTEXT_TOKENS:]
    before, *texts = _decode(tokenizer, [context, *([*context, *ids] for ids in completions)])
    if all(text.startswith(before) for text in texts):
        return [text[len(before) :] for text in texts]
    return _decode(tokenizer, completions)


def _decode(tokenizer: "PreTrainedTokenizerBase", sequences: list[list[int]]) -> list[str]:
    texts: list[str] = tokenizer.batch_decode(
        sequences, skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    return texts
