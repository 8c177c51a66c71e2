"""Token positions of steps."""

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import join_steps, split_steps
from stepmark.models.reward.encoding import NO_STEP, Encoder

PROBLEM = "Solve $2x + 1 = 7$ for $x$."


@pytest.mark.parametrize(
    "solution",
    [
        "Collect: $2x = 7 - 1$.\nSo: $2x = 6$.\nDivide: $x = 3$.",
        "Collect: $2x = 7 - 1$.\n\n\nSo: $2x = 6$.  \n Divide: $x = 3$.\n",
        "\nCollect: $2x = 7 - 1$. \nSo: $2x = 6$.\nDivide: $x = 3$.",
    ],
)
def test_a_step_ends_at_the_token_of_its_last_visible_character(encoder: Encoder, solution: str) -> None:
    """Blank lines and trailing spaces do not move the position."""
    encoded = encoder.encode(PROBLEM, solution, split_steps(solution))
    tokens = encoder.tokenizer.convert_ids_to_tokens(encoded.input_ids)

    assert [tokens[position] for position in encoded.step_ends] == ["$.", "$.", "$."]
    assert encoded.num_steps == 3


def test_every_token_of_the_solution_belongs_to_the_step_it_is_in(encoder: Encoder) -> None:
    """The problem's tokens belong to no step."""
    solution = "So: $2x = 6$.\nDivide: $x = 3$."
    encoded = encoder.encode(PROBLEM, solution, split_steps(solution))
    tokens = encoder.tokenizer.convert_ids_to_tokens(encoded.input_ids)
    texts = {
        step: "".join(t for t, s in zip(tokens, encoded.step_of_token, strict=True) if s == step)
        for step in (NO_STEP, 0, 1)
    }

    assert texts == {NO_STEP: PROBLEM + "\n", 0: "So: $2x = 6$.\n", 1: "Divide: $x = 3$."}


def test_an_orm_that_pools_the_solution_reads_all_of_it_at_the_last_step(encoder: Encoder) -> None:
    """Every token up to the last step's end is pooled there, and no token of the problem."""
    pooling = Encoder(encoder.tokenizer, encoder.prompt_template, encoder.max_tokens, pools_solution=True)
    solution = "So: $2x = 6$.\nDivide: $x = 3$."
    plain, pooled = (one.encode(PROBLEM, solution, split_steps(solution)) for one in (encoder, pooling))
    start = plain.step_of_token.index(0)

    assert pooled.positions_of([1]) == list(range(start, len(pooled.input_ids)))
    assert len(plain.positions_of([1])) < len(pooled.positions_of([1]))
    assert pooled.step_ends == plain.step_ends


def test_a_step_that_holds_a_newline_has_one_end(encoder: Encoder) -> None:
    """14 of 318 real PRM800K completions do."""
    solution, spans = join_steps(["So: $2x = 6$.\nSo: $x = 3$.", "Divide: $x = 3$."])
    encoded = encoder.encode(PROBLEM, solution, spans)

    assert len(encoded.step_ends) == 2
    assert encoded.step_ends[1] == len(encoded.input_ids) - 1


def test_steps_past_the_limit_are_cut_off_and_seen(encoder: Encoder) -> None:
    """Fewer ends than steps is how a caller knows."""
    short = Encoder(encoder.tokenizer, encoder.prompt_template, max_tokens=36)
    solution = "So: $2x = 6$.\n" * 10
    encoded = short.encode(PROBLEM, solution, split_steps(solution))

    assert len(encoded.input_ids) == 36
    assert len(encoded.step_ends) == 2
    assert encoded.num_steps == 10


def test_text_after_which_a_token_is_glued_to_the_newline_keeps_its_position(base_like: Encoder) -> None:
    """A tokenizer that joins '.' and the newline still has one end per step, at the step's own token."""
    solution = "a.\nb.\nc."
    encoded = base_like.encode("p", solution, split_steps(solution))
    tokens = base_like.tokenizer.convert_ids_to_tokens(encoded.input_ids)

    assert [tokens[position] for position in encoded.step_ends] == [".\n", ".\n", "."]
    assert encoded.step_of_token == [-1, -1, 0, 0, 1, 1, 2, 2]


def test_a_template_without_the_problem_is_refused(encoder: Encoder) -> None:
    """Every problem would be the same."""
    with pytest.raises(InputError, match="does not hold"):
        Encoder(encoder.tokenizer, "Solve it.", 10)


@pytest.fixture
def base_like() -> Encoder:
    """An encoder whose tokenizer glues a full stop to the newline after it."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    pieces = ["<pad>", "p", "\n", "a", "b", "c", ".\n", "."]
    tokenizer = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\.\n|.|\n"), behavior="isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>")
    return Encoder(fast, "{problem}\n", 100)
