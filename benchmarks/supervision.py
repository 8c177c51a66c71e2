"""Process against outcome supervision: how many labeled solutions an ORM and a PRM need.

    python benchmarks/supervision.py --home FOLDER [--sizes 5,10,20,40,80,160] [--draws 8]
        [--steps 340] [--surprise-alone]

FOLDER is a home in which ``stepmark demo`` has run. Of its train problems some are drawn, and two reward
models learn from the solutions of these alone: an ORM that reads whole solutions, from whether their answers
are right, and a PRM, from the oracle's labels of their steps. Base, head (it reads hidden states and
surprise, or with --surprise-alone only that), number of training steps and seed are the same. Both pick the
best of 64 for every test problem. Intervals are over draws and problems, each resampled. After figure 4a of
Lightman et al. (2023).
Leaves out: what the labels cost, beyond their number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import torch
from numpy.typing import NDArray

from stepmark.models.metrics.best_of_n import best_scored_accuracies
from stepmark.models.reward.checkpoint import RewardModel as Trained
from stepmark.models.reward.encoding import Encoded
from stepmark.models.reward.examples import Example
from stepmark.models.reward.reader import Reading, stack_readings
from stepmark.models.reward.readings import Readings
from stepmark.models.reward.training import train
from stepmark.pipeline.profile import Reward, RewardModelSettings
from stepmark.pipeline.profile_file import load_profile
from stepmark.pipeline.solution_rows import SolutionRow, solution_rows
from stepmark.pipeline.train import read_examples, targets_of, untrained
from stepmark.store.store import Store

Floats = NDArray[np.float64]
_MODELS = (
    RewardModelSettings(name="orm", kind="orm", pools_solution=True),
    RewardModelSettings(name="prm", kind="prm", label_sources=("oracle",)),
)
_BATCH, _NUM_RESAMPLES = 256, 10_000


@dataclass(frozen=True, slots=True)
class Judged:
    """A different text of a test problem as a head reads it: ``encoded`` holds only what it judges."""

    row: SolutionRow
    encoded: Encoded
    reading: Reading


def read_once(reward: Reward, rows: Sequence[SolutionRow]) -> dict[str, list[Judged]]:
    """The different texts among samples for each kind of model; the base reads them once for all heads."""
    different = list({(row.problem_id, row.solution): row for row in rows}.values())
    readers = {model.name: untrained(reward, model)[0] for model in _MODELS}
    encoded = {name: [_encoded(reader, row) for row in different] for name, reader in readers.items()}
    positions = [one.positions_of([one.num_steps - 1]) for one in encoded["orm"]]
    with click.progressbar(length=len(different), label="reading test solutions") as bar:
        readings = readers["orm"].network.reader.read(
            [one.input_ids for one in encoded["orm"]],
            positions,
            lambda num_read, _: bar.update(num_read - bar.pos),
        )
    judged: dict[str, list[Judged]] = {name: [] for name in readers}
    for name, reader in readers.items():
        for row, whole, reading, read in zip(different, encoded[name], readings, positions, strict=True):
            place = {position: index for index, position in enumerate(read)}
            steps = range(whole.num_steps) if reader.kind == "prm" else [whole.num_steps - 1]
            kept = [place[position] for position in whole.positions_of(steps)]
            judged[name].append(Judged(row, whole.only(steps), _part(reading, kept)))
    return judged


def _encoded(model: Trained, row: SolutionRow) -> Encoded:
    encoded = model.encoder.encode(row.problem, row.solution, row.steps)
    if len(encoded.step_ends) < encoded.num_steps:
        raise click.ClickException(f"solution {row.solution_id} is longer than the model reads.")
    return encoded


def _part(reading: Reading, kept: Sequence[int]) -> Reading:
    index = torch.tensor(kept)
    parts = (reading.hidden, reading.likelihood)
    return Reading(*(None if part is None else part.index_select(0, index) for part in parts))


@torch.inference_mode()
def scores_of(model: Trained, judged: Sequence[Judged]) -> dict[tuple[str, str], float]:
    """Score by problem and text: the product over the steps that are judged, an ORM's last one alone."""
    model.network.eval()
    scores: dict[tuple[str, str], float] = {}
    for start in range(0, len(judged), _BATCH):
        chunk = judged[start : start + _BATCH]
        batch = model.encoder.collate([one.encoded for one in chunk])
        logits = model.network.judge(stack_readings([one.reading for one in chunk]), batch)
        good = logits.float().softmax(dim=-1)[..., 1:].sum(dim=-1)  # neutral counts as positive
        for one, values in zip(chunk, good, strict=True):
            score = float(values[: one.encoded.num_steps].prod())
            scores[one.row.problem_id, one.row.solution] = score
    return scores


def trained(
    reward: Reward,
    model: RewardModelSettings,
    examples: Sequence[Example],
    steps: int,
    seed: int,
    readings: Readings,
) -> Trained:
    """A head that took ``steps`` training steps on the examples; ``readings`` as in ``train``."""
    num_batches = -(-len(examples) // reward.batch_solutions)
    chosen = reward.model_copy(update={"seed": seed, "num_epochs": steps / num_batches})
    made, config = untrained(chosen, model)
    train(made.network, made.encoder, examples, [], config, readings=readings)
    return made


def right_picks(
    samples: Mapping[str, Sequence[SolutionRow]], scores: Mapping[tuple[str, str], float]
) -> Floats:
    """Chance that the best-scored of all samples is right, per problem."""
    return np.array(
        [
            best_scored_accuracies(
                np.array([scores[row.problem_id, row.solution] for row in rows]),
                np.array([row.outcome == "correct" for row in rows]),
                [len(rows)],
                np.array([row.final_answer is not None for row in rows]),
            )[0]
            for rows in samples.values()
        ]
    )


def interval(values: Floats, seed: int = 0) -> tuple[float, float, float]:
    """Mean of ``values`` (draws, problems), and its 95% interval with both resampled."""
    rng = np.random.default_rng(seed)
    num_draws, num_problems = values.shape
    draws = rng.multinomial(num_draws, np.full(num_draws, 1 / num_draws), _NUM_RESAMPLES)
    problems = rng.multinomial(num_problems, np.full(num_problems, 1 / num_problems), _NUM_RESAMPLES)
    means = np.einsum("rd,dp,rp->r", draws, values, problems, optimize=True) / values.size
    low, high = np.quantile(means, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def shown(values: Floats, *, signed: bool = False) -> str:
    """An interval in percent."""
    form = "{:+.1f} [{:+.1f}, {:+.1f}]" if signed else "{:.1f} [{:.1f}, {:.1f}]"
    return form.format(*(100 * value for value in interval(values)))


@click.command()
@click.option("--home", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--profile", "profile_name", default="minimath", show_default=True)
@click.option("--sizes", default="5,10,20,40,80,160", show_default=True, help="Numbers of labeled problems.")
@click.option("--draws", default=8, show_default=True, help="So many times problems are drawn.")
@click.option("--steps", default=340, show_default=True, help="Training steps of every model.")
@click.option("--surprise-alone", is_flag=True, help="The head reads no hidden states, as the demo's.")
def main(home: Path, profile_name: str, sizes: str, draws: int, steps: int, *, surprise_alone: bool) -> None:
    """Train both from ever more problems, and print what they pick."""
    store = Store(home)
    head = {"reads_hidden": not surprise_alone, "reads_likelihood": True, "backbone_rate_factor": 0.0}
    reward = load_profile(profile_name).reward.model_copy(update=head)
    rows = solution_rows(store, "problems.split = 'test' AND solutions.source = 'sampled'")
    judged, readings = read_once(reward, rows), Readings()
    samples: dict[str, list[SolutionRow]] = {}
    for row in rows:
        samples.setdefault(row.problem_id, []).append(row)
    examples = {
        model.name: [one for part in read_examples(store, targets_of(store, model)) for one in part]
        for model in _MODELS
    }
    problems = sorted({one.problem_id for several in examples.values() for one in several})
    click.echo("problems  solutions  step labels  ORM                 PRM                 PRM - ORM")
    for size in (int(size) for size in sizes.split(",")):
        picked: dict[str, list[Floats]] = {model.name: [] for model in _MODELS}
        counts = []
        for draw in range(draws):
            order = np.random.default_rng(draw).permutation(len(problems))
            chosen = {problems[place] for place in order[:size]}
            for model in _MODELS:
                some = [one for one in examples[model.name] if one.problem_id in chosen]
                made = trained(reward, model, some, steps, draw, readings)
                picked[model.name].append(right_picks(samples, scores_of(made, judged[model.name])))
            counts.append((len(some), sum(target is not None for one in some for target in one.targets)))
        orm, prm = (np.stack(picked[model.name]) for model in _MODELS)
        num_solutions, num_labels = np.mean(counts, axis=0)
        click.echo(
            f"{size:8}  {num_solutions:9,.0f}  {num_labels:11,.0f}  {shown(orm):18}  {shown(prm):18}"
            f"  {shown(prm - orm, signed=True)}"
        )


if __name__ == "__main__":
    main()
