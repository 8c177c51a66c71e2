"""The checkpoints that come along: what their folders tell about them."""

from pathlib import Path

import pytest

from stepmark.models.tiny.shipped import NAMES, PREFIX, resolve_model


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_checkpoint_has_a_card_of_its_own_recipe(name: str) -> None:
    """The card gives measured figures, and the recipe that lies beside the weights."""
    folder = Path(resolve_model(PREFIX + name))
    card = (folder / "README.md").read_text(encoding="utf-8")

    assert card.startswith(f"# tiny {name}\n")
    assert " ".join((folder / "recipe.json").read_text(encoding="utf-8").split()) in card
    assert "\n- pass@1: " in card
