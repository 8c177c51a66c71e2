"""``stepmark tiny-generator``: train the tiny models by their committed recipe, and measure them."""

import sys
from pathlib import Path

import click

from .options import output_option


@click.group("tiny-generator")
def tiny_generator_group() -> None:
    """Train and measure the tiny models that come with Stepmark."""


@tiny_generator_group.command("train")
@click.argument("model", type=click.Choice(["generator", "base"]))
@output_option("--out", "out", "Folder to write.", is_folder=True, required=True)
@click.option(
    "--steps", type=click.IntRange(1), help="Train one phase of so many steps [default: the recipe's]."
)
def train_command(model: str, out: Path, steps: int | None) -> None:
    """Train MODEL from nothing, by the recipe that made the shipped checkpoint."""
    from dataclasses import replace  # noqa: PLC0415

    from stepmark.models.tiny.recipe import RECIPES, train  # noqa: PLC0415 - torch loads slowly

    recipe = RECIPES[model] if steps is None else replace(RECIPES[model], phase_steps=(steps,))

    def report(step: int, loss: float) -> None:
        of = sum(recipe.phase_steps)
        print(f"step {step} of {of}, loss {loss:.4f} nats per token", file=sys.stderr, flush=True)

    train(recipe, out, report)
    click.echo(f"Wrote {out}")


@tiny_generator_group.command("measure")
@click.argument("model")
@click.option("--problems", default=300, show_default=True, type=click.IntRange(1), help="Test problems.")
@click.option("--samples", default=16, show_default=True, type=click.IntRange(1), help="Samples per problem.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of problems and samples.")
@output_option("--card", "card", "Also write the card here.")
def measure_command(model: str, problems: int, samples: int, seed: int, card: Path | None) -> None:
    """Measure pass@1 of MODEL (generator, base, or a folder) by family and level, as its card tells it."""
    from stepmark.models.tiny.measure import measure, model_card  # noqa: PLC0415 - vLLM loads slowly
    from stepmark.models.tiny.shipped import NAMES, PREFIX, resolve_model  # noqa: PLC0415

    from .io.outputs import write_text  # noqa: PLC0415

    folder = Path(resolve_model(PREFIX + model) if model in NAMES else model)
    recipe = (folder / "recipe.json").read_text(encoding="utf-8")
    measured = measure(str(folder), problems, samples, seed)
    text = model_card(folder.name, recipe, measured)
    write_text(None, text)
    if card is not None:
        write_text(card, text)
