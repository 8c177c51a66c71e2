"""The page docs/cli.md: what the commands say of themselves."""

from pathlib import Path

import click
import pytest

from stepmark.app.main import cli
from tools.cli_page import cli_page, leaf_commands

COMMANDS = list(leaf_commands(click.Context(cli, info_name="stepmark")))


@pytest.mark.parametrize("context", COMMANDS, ids=lambda context: context.command_path)
def test_every_command_and_option_has_its_words(context: click.Context) -> None:
    """What has no help would be an empty cell of the page."""
    options = [parameter for parameter in context.command.params if isinstance(parameter, click.Option)]

    assert context.command.help
    assert [option.name for option in options if not option.help] == []


def test_no_command_is_left_out() -> None:
    """Those of a group stand under its name."""
    page = cli_page()

    assert [path for path in (context.command_path for context in COMMANDS) if f"## {path}" not in page] == []
    assert "## stepmark tiny-generator train" in page


def test_the_page_is_up_to_date() -> None:
    """docs/cli.md is what `python -m tools.cli_page docs/cli.md` makes."""
    page = Path(__file__).parents[2] / "docs" / "cli.md"

    assert page.read_text(encoding="utf-8") == cli_page()
