"""Decoding completions after their prompt."""

from tokenizers import Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

from stepmark.models.sampling.decoding import decode_completions


def _words_with_leading_spaces() -> PreTrainedTokenizerFast:
    """A tokenizer whose decoder, like Llama 2's, drops a space at the start of what it decodes."""
    tokenizer = Tokenizer(
        models.WordLevel({"<end>": 0, "▁x": 1, "▁=": 2, "▁5": 3, "5": 4}, unk_token="<end>")
    )
    tokenizer.decoder = decoders.Metaspace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")


def test_a_space_between_prompt_and_completion_is_kept() -> None:
    """Decoded alone, the completion would lose it, and prefix plus completion would read "x =5"."""
    assert decode_completions(_words_with_leading_spaces(), [1, 2], [[3], [4]]) == [" 5", "5"]


def test_special_tokens_are_no_text() -> None:
    """An end token in the middle of a completion does not show."""
    assert decode_completions(_words_with_leading_spaces(), [1, 2], [[3, 0, 4]]) == [" 55"]


def test_an_empty_completion_is_an_empty_text() -> None:
    """A model may end at once."""
    assert decode_completions(_words_with_leading_spaces(), [1, 2], [[]]) == [""]


def test_only_the_end_of_a_long_prompt_is_looked_at() -> None:
    """The completion of a prompt of 1,000 tokens is the same text."""
    assert decode_completions(_words_with_leading_spaces(), [1, 2] * 500, [[3]]) == [" 5"]
