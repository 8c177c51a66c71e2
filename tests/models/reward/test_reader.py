"""Reading solutions once: packs, the tokens that are kept, and that both change nothing."""

import pytest
import torch
from transformers import PreTrainedModel

from stepmark.labeling.steps import split_steps
from stepmark.models.reward.encoding import Encoded, Encoder
from stepmark.models.reward.network import RewardNetwork
from stepmark.models.reward.packing import Pack, pack_solutions
from stepmark.models.reward.reader import Reader, stack_readings

SOLUTIONS = [
    "So: $x = 1$.\nSo: $y = 2$.\nSo: $z = 3$.",
    "So: $x = 1$.\nSo: $y = 7$.",
    "So: $x = 1$.\nSo: $y = 2$.\nSo: $z = 9$.",
    "So: $x = 4$.",
]


def encode(encoder: Encoder, solution: str) -> Encoded:
    """Tokens of a solution of one problem."""
    return encoder.encode("Solve it.", solution, split_steps(solution))


@pytest.mark.parametrize("steps", [[0, 1], [1], [-1]], ids=["all", "second", "last"])
def test_a_kept_reading_is_judged_as_the_whole_solution_is(
    network: RewardNetwork, encoder: Encoder, steps: list[int]
) -> None:
    """Packing, and dropping what the head does not need, leave the logits of every kept step as they are."""
    rows = [encode(encoder, solution) for solution in SOLUTIONS]
    wanted = [sorted({step % row.num_steps for step in steps}) for row in rows]
    with torch.no_grad():
        plain = network(encoder.collate(rows))
    positions = [row.positions_of(kept) for row, kept in zip(rows, wanted, strict=True)]
    readings = network.reader.read([row.input_ids for row in rows], positions)
    short = encoder.collate([row.only(kept) for row, kept in zip(rows, wanted, strict=True)])
    with torch.no_grad():
        logits = network.judge(stack_readings(readings), short)

    for index, kept in enumerate(wanted):
        torch.testing.assert_close(logits[index, : len(kept)], plain[index, kept], atol=1e-5, rtol=1e-4)


def test_what_solutions_share_is_packed_once() -> None:
    """A pack is a tree: shared tokens stand in it once, and each solution finds all of its own."""
    rows = [[1, 2, 3, 4], [1, 2, 3], [1, 2, 9], [5]]
    packs = list(pack_solutions(rows, max_tokens=100))

    assert len(packs) == 1
    assert len(packs[0].tokens) == 6
    for row, path in zip(packs[0].rows, packs[0].paths, strict=True):
        assert [packs[0].tokens[node] for node in path] == rows[row]
        assert [packs[0].depths[node] for node in path] == list(range(len(path)))


def test_a_full_pack_is_followed_by_another() -> None:
    """The limit holds, a single longer solution apart, and nothing is lost."""
    rows = [[1, 2, 3, 4], [1, 2, 5], [6, 7], list(range(20, 40))]
    packs = list(pack_solutions(rows, max_tokens=5))

    assert sorted(row for pack in packs for row in pack.rows) == [0, 1, 2, 3]
    assert all(len(pack.tokens) <= 5 or len(pack.rows) == 1 for pack in packs)


def test_a_backbone_that_ignores_the_mask_reads_solutions_one_by_one(
    network: RewardNetwork, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some architectures cannot read packs; they are found out, not believed."""
    rows = [encode(encoder, solution).input_ids for solution in SOLUTIONS]
    positions = [list(range(len(row))) for row in rows]
    right = network.reader.read(rows, positions)
    model: PreTrainedModel = network.backbone.base_model
    forward = type(model).forward
    monkeypatch.setattr(
        type(model),
        "forward",
        lambda self, attention_mask=None, **inputs: forward(self, **inputs),
    )
    reader = Reader(network.backbone, reads_hidden=True, reads_likelihood=True)
    readings = reader.read(rows, positions)

    for one, other in zip(readings, right, strict=True):
        assert one.hidden is not None
        assert other.hidden is not None
        torch.testing.assert_close(one.hidden, other.hidden, atol=1e-5, rtol=1e-4)


def test_a_token_sees_its_ancestors_only() -> None:
    """Two branches of a pack do not see each other."""
    pack = Pack()
    pack.add(0, [1, 2], 0)
    pack.add(1, [1, 3], 1)

    assert pack.attention_mask()[0, 0].tolist() == [
        [True, False, False],
        [True, True, False],
        [True, False, True],
    ]
