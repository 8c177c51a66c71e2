"""The recipe of the tiny models: a Llama, the text it reads, and a seeded one-cycle training run.

The **tiny generator** reads little and makes mistakes; the **tiny base**, from which reward models start,
is wider, reads more, and reads checked equations too. Leaves out: fine-tuning on solutions or labels.
"""

import itertools
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from stepmark.models.batches import batches

from .corpus import CHECK_SHARE, documents
from .tokenizer import build_tokenizer

_HEAD_SIZE = 32
_SORTED_BATCHES = 16  # documents are sorted by length within so many batches: little padding, still mixed
_IGNORED = -100
_SEEDS_APART = 1000  # between the documents of two phases


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a tiny model. ``batch_documents`` documents a step.

    ``phase_steps``: the steps of each phase. A phase has a learning-rate cycle, an optimizer and documents of
    its own.
    """

    hidden_size: int
    num_layers: int
    phase_steps: tuple[int, ...]
    check_share: float
    batch_documents: int = 64
    peak_learning_rate: float = 3e-3
    warmup_share: float = 0.1
    seed: int = 0


GENERATOR = Recipe(hidden_size=128, num_layers=4, phase_steps=(1300,), check_share=0.0, seed=1)
BASE = Recipe(hidden_size=192, num_layers=4, phase_steps=(2500,), check_share=CHECK_SHARE, seed=2)
RECIPES = {"generator": GENERATOR, "base": BASE}


def train(recipe: Recipe, out: Path, report: Callable[[int, float], None], report_every: int = 50) -> None:
    """Train a tiny model and save it to ``out`` with its tokenizer and its recipe.

    ``report(step, loss)`` is called with the mean loss (nats per solution token) of the last steps.
    """
    torch.manual_seed(recipe.seed)
    tokenizer = build_tokenizer()
    model = _fresh_model(recipe, len(tokenizer))
    for phase in range(len(recipe.phase_steps)):
        train_phase(model, tokenizer, recipe, phase, report, report_every)
    save(model, tokenizer, recipe, out)


def train_phase(
    model: nn.Module,
    tokenizer: PreTrainedTokenizerFast,
    recipe: Recipe,
    phase: int,
    report: Callable[[int, float], None],
    report_every: int,
) -> None:
    """Run one phase on ``model`` in place."""
    optimizers = _optimizers(model, recipe)
    num_steps = recipe.phase_steps[phase]
    losses: list[float] = []
    for step, (input_ids, labels) in enumerate(_batches(recipe, phase, tokenizer)):
        factor = _learning_rate_factor(step / num_steps, recipe.warmup_share)
        loss = _loss(model, input_ids, labels)
        loss.backward()  # type: ignore[no-untyped-call]
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = recipe.peak_learning_rate * factor
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
        if (step + 1) % report_every == 0:
            report(sum(recipe.phase_steps[:phase]) + step + 1, sum(losses[-report_every:]) / report_every)


def save(model: nn.Module, tokenizer: PreTrainedTokenizerFast, recipe: Recipe, out: Path) -> None:
    """Write safetensors, config, tokenizer and ``recipe.json`` to the folder ``out``."""
    model.save_pretrained(out, safe_serialization=True)  # type: ignore[operator]
    tokenizer.save_pretrained(out)
    (out / "recipe.json").write_text(json.dumps(asdict(recipe), indent=2) + "\n")


def _fresh_model(recipe: Recipe, vocabulary_size: int) -> LlamaForCausalLM:
    num_heads = recipe.hidden_size // _HEAD_SIZE
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocabulary_size,
            hidden_size=recipe.hidden_size,
            intermediate_size=recipe.hidden_size * 11 // 4 // 16 * 16,
            num_hidden_layers=recipe.num_layers,
            num_attention_heads=num_heads,
            num_key_value_heads=num_heads,
            max_position_embeddings=512,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=1,
            pad_token_id=0,
        )
    )


def _optimizers(model: nn.Module, recipe: Recipe) -> list[torch.optim.Optimizer]:
    # Muon for the matrices inside the blocks: at equal steps it read a third further down the loss curve
    # than AdamW alone. Embeddings and norms are not what it is made for.
    named = list(model.named_parameters())
    matrices = [p for name, p in named if p.ndim == 2 and "embed" not in name and "lm_head" not in name]
    chosen = {id(p) for p in matrices}
    others = [p for _, p in named if id(p) not in chosen]
    rate = recipe.peak_learning_rate
    return [
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    ]


def _learning_rate_factor(progress: float, warmup_share: float) -> float:
    if progress < warmup_share:
        return (progress + 1e-3) / warmup_share
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup_share) / (1 - warmup_share)))


def _loss(model: nn.Module, input_ids: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy over the tokens that count. Shapes of both inputs: (documents, tokens)."""
    hidden = model.model(input_ids=input_ids).last_hidden_state[:, :-1]  # type: ignore[operator]
    counted = labels[:, 1:] != _IGNORED  # True: the loss counts the token
    logits = model.lm_head(hidden[counted])  # type: ignore[operator]
    return nn.functional.cross_entropy(logits, labels[:, 1:][counted])


def _batches(
    recipe: Recipe, phase: int, tokenizer: PreTrainedTokenizerFast
) -> Iterator[tuple[Tensor, Tensor]]:
    """A phase's pairs of input ids and labels, both (documents, tokens), padded on the right."""
    seed = recipe.seed + _SEEDS_APART * phase
    rng = random.Random(seed)
    texts = documents(seed, recipe.check_share)
    remaining = recipe.phase_steps[phase]
    while remaining > 0:
        chunk = list(itertools.islice(texts, recipe.batch_documents * _SORTED_BATCHES))
        encoded = sorted((_encode(text, tokenizer) for text in chunk), key=lambda pair: len(pair[0]))
        mixed = list(batches(encoded, recipe.batch_documents))
        rng.shuffle(mixed)
        for batch in mixed[:remaining]:
            yield _padded([ids for ids, _ in batch], 0), _padded([labels for _, labels in batch], _IGNORED)
        remaining -= len(mixed)


def _encode(text: str, tokenizer: PreTrainedTokenizerFast) -> tuple[list[int], list[int]]:
    """Token ids of a document with its end, and labels that leave out the problem's own text."""
    ids: list[int] = [*tokenizer.encode(text), tokenizer.eos_token_id]
    if text.startswith("Check"):
        return ids, ids
    # The problem is the first line: its numbers are random and teach nothing.
    (newline,) = tokenizer.encode("\n")
    num_problem_tokens = ids.index(newline) + 1
    return ids, [_IGNORED] * num_problem_tokens + ids[num_problem_tokens:]


def _padded(rows: Sequence[list[int]], value: int) -> Tensor:
    return nn.utils.rnn.pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=value
    )
