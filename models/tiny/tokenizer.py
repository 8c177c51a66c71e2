"""The tiny models' tokenizer: words and digits, lossless on minimath text.

Pieces keep the space before them, so decoding is joining. Leaves out: text beyond minimath's words, which
becomes ``<unk>`` and is counted by whoever encodes it.
"""

import itertools
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from stepmark.labeling.minimath import stream

PAD, EOS, UNKNOWN = "<pad>", "<eos>", "<unk>"
# Longest first: an operator with its spaces, a command with its brace, a word, a digit, any character.
_PIECE = r" [-+=] | \\(?:cdot|equiv) |\\[a-z]+[{(]?|: \$|\$\.| \$| ?[A-Za-z]+|\}\{|[0-9]|\n|."
_NUM_SAMPLE_DOCUMENTS = 4000


def build_tokenizer(documents: Iterable[str] | None = None) -> PreTrainedTokenizerFast:
    """Build the tokenizer whose vocabulary is every piece of ``documents`` (default: of minimath)."""
    texts = _minimath_documents() if documents is None else documents
    splitter = pre_tokenizers.Split(Regex(_PIECE), behavior="isolated")
    # Digits and letters are always in: they are minimath's numbers and unknowns.
    pieces = set("0123456789abcdefghijklmnopqrstuvwxyz \n$.,:?()+-=^{}")
    for text in texts:
        pieces.update(piece for piece, _ in splitter.pre_tokenize_str(text))
    vocabulary = {piece: index for index, piece in enumerate([PAD, EOS, UNKNOWN, *sorted(pieces)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=EOS,
        unk_token=UNKNOWN,
        clean_up_tokenization_spaces=False,
    )


def _minimath_documents() -> list[str]:
    from .corpus import check, document  # noqa: PLC0415  (the corpus needs no tokenizer, but shares this folder)

    worked = itertools.islice(stream(0, "train"), _NUM_SAMPLE_DOCUMENTS)
    return [text for problem in worked for text in (document(problem), check(problem))]
