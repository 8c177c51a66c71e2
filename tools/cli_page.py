"""The page docs/cli.md: every command with its arguments, options, defaults and help.

``python -m tools.cli_page docs/cli.md`` makes it anew from the commands themselves. Leaves out: what they
print.
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from stepmark.app.main import cli

_INTRO = """\
# Commands

Made by `python -m tools.cli_page docs/cli.md` from the commands in `app/`: change those.
`stepmark COMMAND --help` says the same.

| exit code | means |
|---|---|
| 0 | done |
| 1 | failed: one sentence on stderr says what, where and what to do |
| 2 | bad usage: an unknown command or option, a value it does not take, a file that is not there |
| 130 | interrupted: what was committed stays |
"""


def cli_page() -> str:
    """The whole page."""
    root = click.Context(cli, info_name="stepmark")
    return "\n".join([_INTRO, *_command_lines(root)])


def leaf_commands(context: click.Context) -> Iterator[click.Context]:
    """The context of every command that does something, those of groups among them, in their order."""
    if not isinstance(context.command, click.Group):
        yield context
        return
    for name in context.command.list_commands(context):
        command = context.command.get_command(context, name)
        assert command is not None
        yield from leaf_commands(click.Context(command, info_name=name, parent=context))


def _command_lines(root: click.Context) -> Iterator[str]:
    for context in leaf_commands(root):
        arguments = [p for p in context.command.params if isinstance(p, click.Argument)]
        options = [p for p in context.command.params if isinstance(p, click.Option)]
        words = [context.command_path, *(argument.make_metavar(context) for argument in arguments)]
        yield f"## {' '.join(words)}\n"
        yield f"{inspect.cleandoc(context.command.help or '')}\n"
        yield "| option | default | meaning |\n|---|---|---|"
        for option in options:
            yield _option_row(option, context)
        yield ""


def _option_row(option: click.Option, context: click.Context) -> str:
    flags = ", ".join(option.opts)
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    extra = option.get_help_extra(context)
    default = "required" if option.required else f"`{extra['default']}`" if "default" in extra else ""
    limits = f" ({extra['range']})" if "range" in extra else ""
    cells = (f"`{flags}{value}`", default, f"{option.help or ''}{limits}")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(cli_page(), encoding="utf-8")
