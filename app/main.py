"""``stepmark``: the command line. Commands load what they need when they are called.

Exit codes: 0 done, 1 failed (one sentence on stderr), 2 bad usage, 130 interrupted. Leaves out: the
commands themselves, one file each.
"""

from . import interrupts

with interrupts.ended_at_once():  # nothing is begun yet
    import importlib
    import os
    import sys
    from typing import Any, NoReturn

    import click

    from stepmark.labeling.errors import StepmarkError

    from .extras import missing_extra
    from .options import with_home

# Command to the module and attribute that hold it; a module is imported when its command is named, so that
# `stepmark grade` does not wait for torch.
_COMMANDS = {
    "demo": "demo:demo_command",
    "ui": "ui:ui_command",
    "refresh": "refresh:refresh_command",
    "ingest": "ingest:ingest_command",
    "import-labels": "import_labels:import_labels_command",
    "export": "export:export_command",
    "grade": "grade:grade_command",
    "best-of-n": "best_of_n:best_of_n_command",
    "first-error": "first_error:first_error_command",
    "score": "score:score_command",
    "sql": "sql:sql_command",
    "report": "report_command:report_command",
    "convert-gguf": "convert_gguf:convert_gguf_command",
    "tiny-generator": "tiny_generator:tiny_generator_group",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        command = getattr(importlib.import_module(f".{module}", __package__), attribute)
        return command if isinstance(command, click.Group) else with_home(command)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own types
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            raise missing_extra(ctx.invoked_subcommand, error) or error from error
        except BrokenPipeError:
            # The reader of a pipe has gone, as in `stepmark sql ... | head`: no failure of ours, though click
            # makes exit code 1 of it. What Python still holds of the result it would try to write at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            ctx.exit(0)


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stepmark", prog_name="stepmark")
def cli() -> None:
    """Step labels for math solutions: sample, grade, label, train and judge reward models."""


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        with interrupts.ended_with_a_sentence(click.Abort):  # what click makes of one that Dagster caught
            cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except StepmarkError as error:
        _fail(str(error))
    except OSError as error:
        where = "" if error.filename is None else f" ({error.filename})"
        reason = f"{error.strerror or type(error).__name__}{where}"
        _fail(f"reading or writing failed: {reason}; look at the disk and the paths.")


def _fail(sentence: str) -> NoReturn:
    click.echo(f"Error: {sentence}", err=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
