"""``stepmark tiny-generator``: train the tiny models by their committed recipe, and measure them."""

import sys
from pathlib import Path

import click


@click.group("tiny-generator")
def tiny_generator_group() -> None:
    """Train and measure the tiny models that come with Stepmark."""


@tiny_generator_group.command("train")
@click.argument("model", type=click.Choice(["generator", "base"]))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write."
)
@click.option(
    "--steps", type=click.IntRange(1), help="Train one phase of so many steps [default: the recipe's]."
)
def train_command(model: str, out: Path, steps: int | None) -> None:
    """Train MODEL from nothing, by the recipe that made the shipped checkpoint."""
    from dataclasses import replace  # noqa: PLC0415

    from stepmark.models.tiny.recipe import RECIPES, train  # noqa: PLC0415 - torch loads slowly

    recipe = RECIPES[model] if steps is None else replace(RECIPES[model], phase_steps=(steps,))

    def report(step: int, loss: float) -> None:
        print(
            f"step {step} of {recipe.num_steps}, loss {loss:.4f} nats per token", file=sys.stderr, flush=True
        )

    train(recipe, out, report)
    click.echo(f"Wrote {out}")
