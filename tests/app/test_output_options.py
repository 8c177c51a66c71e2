"""Outputs that cannot be written, or would replace an input or a store: they are refused before the work."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from stepmark.app.io import outputs
from stepmark.app.main import cli
from stepmark.labeling.errors import InputError
from stepmark.store.store import Store

# Command, its output option, and arguments before the file it reads; without None it reads none.
WRITERS = {
    "demo": ("--json", []),
    "import-labels": ("--json", [None]),
    "export": ("--out", ["--format", "trl"]),
    "best-of-n": ("--json", [None]),
    "first-error": ("--json", [None]),
    "grade": ("--out", [None]),
    "score": ("--out", ["no-model", None]),
    "report": ("--out", ["--profile", None]),
    "convert-gguf": ("--out", [None]),
    "tiny-generator train": ("--out", ["base"]),
    "tiny-generator measure": ("--card", ["base"]),
}

WRITE_A_FOLDER = {"convert-gguf", "tiny-generator train"}


def _invoke(command: str, file: Path, out: Path) -> click.testing.Result:
    option, arguments = WRITERS[command]
    given = [str(file) if argument is None else argument for argument in arguments]
    return CliRunner().invoke(cli, [*command.split(), *given, option, str(out)])


@pytest.mark.parametrize("command", WRITERS)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(command: str, file: Path) -> None:
    """One sentence names it, the input is not even looked at, and nothing is left behind."""
    result = _invoke(command, file, file / "below-a-file")

    assert isinstance(result.exception, InputError)
    assert "below-a-file: cannot be written (Not a directory)" in str(result.exception)
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    "command",
    [name for name, (_, given) in WRITERS.items() if None in given and name not in WRITE_A_FOLDER],
)
def test_an_output_over_the_input_is_bad_usage(command: str, file: Path) -> None:
    """Under its own name or through a link: a result would take the place of what it was made from."""
    link = file.parent / "link"
    link.symlink_to(file)
    for out in (file, link):
        result = _invoke(command, file, out)

        assert result.exit_code == 2
        assert f"{out} is read by this command; name another file." in result.stderr
    assert file.read_text() == "neither lines nor a profile"


@pytest.mark.parametrize("command", WRITERS)
def test_an_output_over_a_store_is_bad_usage(command: str, file: Path) -> None:
    """Under its own name or through a link, the live file or what stands beside it."""
    home = file.parent / "home"
    Store(home).publish()
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    link, moved = file.parent / "link", file.parent / "moved.db"
    link.symlink_to(home / "stepmark.duckdb")
    moved.write_bytes((home / "stepmark.duckdb").read_bytes())
    kept = ["stepmark.duckdb", "stepmark.duckdb.wal", "stepmark.lock", "published/stepmark.duckdb"]
    outs = [*(home / name for name in kept), link, moved]
    if command in WRITE_A_FOLDER:
        outs = [home / "published"]
    for out in outs:
        result = _invoke(command, file, out)

        assert result.exit_code == 2
        assert "is a DuckDB database; name" in result.stderr or "belongs to the store in" in result.stderr
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_an_output_in_a_home_yet_to_be_made_is_not_its_database(file: Path) -> None:
    """The home is the command's own, so its files' names are taken before they are there."""
    home = file.parent / "home"
    home.mkdir()
    (home / "stepmark.lock").touch()
    arguments = ["import-labels", str(file), "--home", str(home), "--json", str(home / "stepmark.duckdb")]
    result = CliRunner().invoke(cli, arguments)

    assert result.exit_code == 2
    assert f"stepmark.duckdb belongs to the store in {home}; name another file." in result.stderr


def test_every_option_that_names_an_output_is_checked_here() -> None:
    """All paths of all commands are inputs that must exist, the home, or in the table above."""

    def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
        context = click.Context(command)
        if not isinstance(command, click.Group):
            yield name, command
            return
        for child in command.list_commands(context):
            yield from leaves(command.get_command(context, child), f"{name} {child}".strip())  # type: ignore[arg-type]

    outputs = {
        name: parameter.opts[0]
        for name, command in leaves(cli, "")
        for parameter in command.params
        if isinstance(parameter.type, click.Path) and not parameter.type.exists and parameter.name != "home"
    }

    assert outputs == {name: option for name, (option, _) in WRITERS.items()}


def test_an_output_that_can_be_written_is_only_looked_at(tmp_path: Path) -> None:
    """The check leaves no file, and keeps the one that is there."""
    old = tmp_path / "old.txt"
    old.write_text("old")
    for out in (old, tmp_path / "new.txt", Path("/dev/null")):
        outputs.check_writable(out)

    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]
