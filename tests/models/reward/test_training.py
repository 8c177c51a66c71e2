"""Training, scoring and checkpoints of reward models, on a model of a few thousand parameters."""

import json
from pathlib import Path

import pytest
import torch

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import StepSpan, split_steps
from stepmark.models.metrics.aggregation import step_score
from stepmark.models.reward.checkpoint import load_reward_model, new_reward_model, save_reward_model
from stepmark.models.reward.encoding import Encoder
from stepmark.models.reward.examples import Example, Target
from stepmark.models.reward.network import HeadConfig, RewardNetwork
from stepmark.models.reward.scoring import Scorable, likelihood_of_steps, score_solutions
from stepmark.models.reward.training import TrainingConfig, train

pytestmark = pytest.mark.slow

GOOD, BAD = "So: $x = 1$.", "So: $x = 7$."
RIGHT: Target = (0.0, 0.0, 1.0)
WRONG: Target = (1.0, 0.0, 0.0)


def example(index: int, steps: list[str]) -> Example:
    """Steps that hold a 7 are wrong, whatever the problem."""
    solution = "\n".join(steps)
    targets = tuple(WRONG if "7" in step else RIGHT for step in steps)
    return Example(f"p{index}", "Solve it.", solution, tuple(split_steps(solution)), targets)


EXAMPLES = [example(i, steps) for i in range(40) for steps in ([GOOD, BAD], [GOOD, GOOD], [BAD, GOOD])]


def test_training_learns_which_steps_are_wrong(network: RewardNetwork, encoder: Encoder) -> None:
    """Scores go down where steps are wrong, and only there: no constant, no flipped sign, no shifted step."""
    config = TrainingConfig(num_epochs=20, batch_solutions=16, learning_rate=1e-2)
    report = train(network, encoder, EXAMPLES[:90], EXAMPLES[90:], config)
    solution = "\n".join([GOOD, BAD, GOOD])
    scored = score_solutions(
        network, encoder, [Scorable("Solve it.", solution, tuple(split_steps(solution)))]
    )[0]

    assert scored is not None
    first, second, third = (step_score(step.neutral, step.positive) for step in scored)
    assert first > 0.9
    assert second < 0.1
    assert third > 0.9
    assert report.validation_losses[-1][1] < 0.2 < report.validation_losses[0][1]
    assert report.num_labeled_steps == 180
    assert report.label_mass == [60.0, 0.0, 120.0]


@pytest.mark.parametrize("backbone_rate_factor", [0.0, 0.3])
def test_every_labeled_step_weighs_the_same(
    network: RewardNetwork, encoder: Encoder, backbone_rate_factor: float
) -> None:
    """Long right solutions, short wrong ones: a head that cannot tell them learns the share of steps."""
    long = [Example(f"a{i}", "Solve it.", *_constant([GOOD] * 6, RIGHT)) for i in range(32)]
    short = [Example(f"b{i}", "Solve it.", *_constant([GOOD], WRONG)) for i in range(32)]
    for parameter in network.parameters():
        torch.nn.init.zeros_(parameter)
    config = TrainingConfig(
        num_epochs=80, batch_solutions=8, learning_rate=1e-2, backbone_rate_factor=backbone_rate_factor
    )
    train(network, encoder, long + short, [], config)
    (scored,) = score_solutions(network, encoder, [Scorable("Solve it.", GOOD, tuple(split_steps(GOOD)))])

    assert scored is not None
    assert scored[0].negative == pytest.approx(1 / 7, abs=0.03)


def _constant(
    steps: list[str], target: Target
) -> tuple[str, tuple[StepSpan, ...], tuple[Target | None, ...]]:
    """A solution whose steps all have one target."""
    solution = "\n".join(steps)
    return solution, tuple(split_steps(solution)), (target,) * len(steps)


def test_labels_beyond_the_length_limit_are_counted(network: RewardNetwork, encoder: Encoder) -> None:
    """Nothing labeled is cut off without a word."""
    short = Encoder(encoder.tokenizer, encoder.prompt_template, max_tokens=16)
    report = train(network, short, [example(0, [GOOD, GOOD])], [], TrainingConfig(num_epochs=1))

    assert report.num_labels_cut_off == 1
    assert report.num_labeled_steps == 1


def test_examples_without_any_label_are_refused(network: RewardNetwork, encoder: Encoder) -> None:
    """A loss over nothing would be a number that means nothing."""
    bare = Example("p", "Solve it.", GOOD, tuple(split_steps(GOOD)), (None,))

    with pytest.raises(InputError, match="none of the 1 train examples carries a label"):
        train(network, encoder, [bare], [], TrainingConfig())


@pytest.mark.parametrize("num_solutions", [1, 7, 8, 9, 10, 19, 20])
def test_any_number_of_steps_trains(network: RewardNetwork, encoder: Encoder, num_solutions: int) -> None:
    """One step a solution: the schedule holds for every length of a run, without validation as well."""
    config = TrainingConfig(num_epochs=1, batch_solutions=1, backbone_rate_factor=0.0)
    report = train(network, encoder, EXAMPLES[:num_solutions], [], config)

    assert report.num_train_solutions == num_solutions
    assert report.validation_losses == []


def test_an_epoch_ends_when_every_example_was_seen(network: RewardNetwork, encoder: Encoder) -> None:
    """A short last batch is a batch too: 17 examples at 16 a batch take two steps an epoch."""
    steps: list[int] = []
    config = TrainingConfig(num_epochs=2, batch_solutions=16)
    train(network, encoder, EXAMPLES[:17], [], config, lambda step, total, loss: steps.append(total))

    assert steps == [4] * 4


def test_a_frozen_backbone_does_not_move(network: RewardNetwork, encoder: Encoder) -> None:
    """A rate factor of 0 trains the head only."""
    before = [parameter.clone() for parameter in network.backbone.parameters()]
    head = network.classes.weight.clone()
    train(network, encoder, EXAMPLES[:16], [], TrainingConfig(num_epochs=1, backbone_rate_factor=0.0))

    assert all(torch.equal(a, b) for a, b in zip(before, network.backbone.parameters(), strict=True))
    assert not torch.equal(head, network.classes.weight)


def test_the_same_seed_trains_the_same_model(encoder: Encoder, base_path: Path) -> None:
    """A stored configuration says all that decides a model."""
    weights = []
    for _ in range(2):
        model = new_reward_model(str(base_path), "{problem}\n", 128, HeadConfig(16), seed=3)
        train(model.network, model.encoder, EXAMPLES[:32], [], TrainingConfig(num_epochs=1, seed=3))
        weights.append(model.network.classes.weight)

    assert torch.equal(*weights)


@pytest.mark.parametrize("pools_solution", [False, True])
def test_a_saved_model_scores_as_before(base_path: Path, tmp_path: Path, pools_solution: bool) -> None:
    """Weights, template, limits and pooling come back; the backbone is a plain transformers checkpoint."""
    kind = "orm" if pools_solution else "prm"
    head = HeadConfig(16)
    model = new_reward_model(str(base_path), "{problem}\n", 64, head, 1, kind, pools_solution=pools_solution)
    text = Scorable("Solve it.", GOOD, tuple(split_steps(GOOD)))
    checksum = save_reward_model(model, tmp_path / "rm")
    loaded = load_reward_model(tmp_path / "rm")

    assert score_solutions(loaded.network, loaded.encoder, [text]) == score_solutions(
        model.network, model.encoder, [text]
    )
    assert loaded.encoder.max_tokens == 64
    assert len(checksum) == 64
    assert not list(tmp_path.rglob("*.bin"))
    assert not list(tmp_path.rglob("*.pt"))


def test_a_folder_without_a_reward_model_is_refused(tmp_path: Path) -> None:
    """The message names the folder and the way out."""
    with pytest.raises(InputError, match="no reward model is here"):
        load_reward_model(tmp_path)


def test_a_checkpoint_of_another_format_is_refused(base_path: Path, tmp_path: Path) -> None:
    """An older file is not read as something it is not."""
    save_reward_model(new_reward_model(str(base_path), "{problem}\n", 64, HeadConfig(), 0), tmp_path)
    description = json.loads((tmp_path / "reward.json").read_text())
    (tmp_path / "reward.json").write_text(json.dumps(description | {"format": 99}))

    with pytest.raises(InputError, match="format 99 is not 2"):
        load_reward_model(tmp_path)


def test_a_solution_read_only_in_part_has_no_score(network: RewardNetwork, encoder: Encoder) -> None:
    """Fewer scores than steps would pass as a full set; the others keep their order."""
    long = "\n".join([GOOD] * 40)
    scored = score_solutions(
        network,
        encoder,
        [Scorable("Solve it.", text, tuple(split_steps(text))) for text in (long, GOOD, BAD, GOOD)],
    )

    assert scored[0] is None
    assert [len(steps) for steps in scored[1:] if steps is not None] == [1, 1, 1]
    assert scored[1] == scored[3] != scored[2]


def test_likelihoods_of_steps_add_up_to_the_solutions(network: RewardNetwork, encoder: Encoder) -> None:
    """Sum and minimum per step, against the model's own loss over the solution's tokens."""
    solution = f"{GOOD}\n{BAD}"
    spans = tuple(split_steps(solution))
    (steps,) = likelihood_of_steps(network.backbone, encoder, [Scorable("Solve it.", solution, spans)])
    encoded = encoder.encode("Solve it.", solution, spans)
    ids = torch.tensor([encoded.input_ids])
    labels = torch.where(torch.tensor([encoded.step_of_token]) >= 0, ids, -100)
    with torch.no_grad():
        loss = network.backbone(input_ids=ids, labels=labels).loss.item()

    assert steps is not None
    total = sum(step.sum_logprob for step in steps)
    assert total == pytest.approx(-loss * sum(s >= 0 for s in encoded.step_of_token), rel=1e-4)
    assert all(step.sum_logprob < step.min_logprob < 0 for step in steps)
