"""Files that commands read and write: what is wrong with them is told alike, before any work is done."""

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from stepmark.app.io import outputs
from stepmark.app.main import cli
from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.store import Store

READERS = {"grade": [], "best-of-n": [], "first-error": [], "score": ["no-model"]}


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_is_not_there_is_bad_usage(command: str, tmp_path: Path) -> None:
    """Exit code 2, as for any wrong argument; a folder is no file either."""
    for path in (tmp_path / "absent.jsonl", tmp_path):
        result = CliRunner().invoke(cli, [command, *READERS[command], str(path)])

        assert result.exit_code == 2
        assert "Invalid value for 'FILE'" in result.stderr


@pytest.mark.parametrize("command", [*READERS, "import-labels", "ingest"])
def test_a_file_that_cannot_be_one_says_what_it_is(command: str, tmp_path: Path) -> None:
    """A socket cannot be opened, and a device need not end: neither is waited for, nor said to be absent."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
        for other, kind in ((path, "a socket"), (Path("/dev/zero"), "a device")):
            result = CliRunner().invoke(cli, [command, *READERS.get(command, []), str(other)])

            assert result.exit_code == 2
            assert f"'{other}' is {kind}; name a file" in result.stderr


@pytest.mark.parametrize("command", ["import-labels", "ingest"])
def test_a_pipe_is_refused_where_a_file_is_read_twice(command: str, tmp_path: Path) -> None:
    """The message does not say that it is not there."""
    path = tmp_path / "pipe.parquet"
    os.mkfifo(path)
    result = CliRunner().invoke(cli, [command, str(path), "--home", str(tmp_path / "home")])

    assert result.exit_code != 0
    assert "is a pipe; name a" in f"{result.stderr}{result.exception}"


@pytest.mark.parametrize("command", READERS)
def test_a_pipe_is_read_where_one_reading_is_enough(command: str, tmp_path: Path) -> None:
    """As the shell makes of `<(zcat answers.jsonl.gz)`; here what it holds is refused."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool:
        written = pool.submit(path.write_text, "no line\n")
        result = CliRunner().invoke(cli, [command, *READERS[command], str(path)])
        written.result()

    assert "line 1: " in str(result.exception)


@pytest.mark.parametrize("command", [*READERS, "import-labels", "ingest"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_an_encoding_of_wide_characters_is_named(command: str, encoding: str, tmp_path: Path) -> None:
    """UTF-32 for little endian begins as UTF-16 does, and is not taken for it."""
    path = tmp_path / "wide.jsonl"
    path.write_text('{"a": 1}\n', encoding=encoding)
    home = ["--home", str(tmp_path / "home")]
    result = CliRunner().invoke(cli, [command, *READERS.get(command, []), str(path), *home])

    assert isinstance(result.exception, InputError)
    assert f"the file is {encoding.upper()}; save it as UTF-8" in str(result.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", "in.jsonl", "--source", "\udcff"],
        ["ingest", "\udcff.jsonl"],
        ["import-labels", "\udcff.jsonl"],
        ["import-labels", "in.jsonl", "--home", "\udcff"],
        ["refresh", "--profile", "\udcff"],
        ["score", "\udcff", "in.jsonl"],
    ],
)
def test_what_is_kept_as_text_must_be_utf_8(arguments: list[str], file: Path) -> None:
    """How Python holds a byte of an argument that is not UTF-8: no table can hold it."""
    (file.parent / "\udcff.jsonl").write_text("")
    result = CliRunner().invoke(cli, arguments)

    assert result.exit_code == 2
    assert "holds a byte that is not UTF-8; rename it" in result.stderr


@pytest.mark.parametrize("home", ["a", "a/home"])
@pytest.mark.parametrize("command", [["sql", "FROM leaks"], ["refresh"], ["report", "--out", "out.html"]])
def test_a_home_behind_links_in_a_circle_is_bad_usage(command: list[str], home: str, tmp_path: Path) -> None:
    """It is not said to be absent, and what resolves its path does not fail in its own way."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    result = CliRunner().invoke(cli, [*command, "--home", str(tmp_path / home)])

    assert result.exit_code == 2
    assert f"'{tmp_path / home}' is reached by links in a circle; name another folder." in result.stderr


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_of_no_line_is_refused(command: str, content: str, tmp_path: Path) -> None:
    """No result is made of nothing: one sentence, the same in every command."""
    file = tmp_path / "empty.jsonl"
    file.write_text(content)
    result = CliRunner().invoke(cli, [command, *READERS[command], str(file)])

    assert result.stdout == ""
    with pytest.raises(InputError, match=r"empty.jsonl: holds no line; give at least one JSON object"):
        raise result.exception or AssertionError(result.output)


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


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that every command would fail on, had it started to read it; and a folder to leave as it is."""
    path = tmp_path / "in.jsonl"
    path.write_text("neither lines nor a profile")
    monkeypatch.chdir(tmp_path)
    return path


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


@pytest.mark.parametrize("command", ["demo", "refresh", "ui", "report", "sql SHOW"])
def test_a_home_with_a_question_mark_is_refused(command: str, tmp_path: Path) -> None:
    """By the store, and where Dagster comes before it; nothing is made."""
    result = CliRunner().invoke(cli, [*command.split(), "--home", str(tmp_path / "x?y")])

    assert isinstance(result.exception, StepmarkError)
    assert "holds a question mark; give another --home" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


_PLACES = {
    "stepmark.duckdb": (
        "demo",
        "refresh",
        "ui",
        "ingest in.jsonl --split train",
        "import-labels in.jsonl",
        "score prm in.jsonl",
    ),
    "stepmark.duckdb.wal": ("refresh", "ingest in.jsonl --split train"),
    "stepmark.lock": ("ingest in.jsonl --split train", "import-labels in.jsonl"),
    "published/stepmark.duckdb": (
        "sql SHOW",
        "report",
        "export --format trl --out out",
        "ingest in.jsonl --split train",
    ),
    "published/stepmark.duckdb.wal": ("sql SHOW", "ingest in.jsonl --split train"),
}


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a device", "a folder"])
@pytest.mark.parametrize(
    ("place", "command"), [(place, command) for place, them in _PLACES.items() for command in them]
)
def test_what_is_no_file_in_the_store_is_named(
    kind: str, place: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB would wait at a pipe for ever; the others it tells as damage of a file."""
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    row = {"problem": "1+1?", "steps": ["2"], "solution": r"\boxed{2}", "level": "Level 1", "type": "Algebra"}
    rated = {"prompt": "1+1?", "completions": ["2"], "labels": [True]}
    Path("in.jsonl").write_text(json.dumps(row | rated) + "\n")
    there = Path("home") / place
    there.parent.mkdir(parents=True)
    _make(kind, there)
    result = CliRunner().invoke(cli, [*command.split(), "--home", "home"])

    assert isinstance(result.exception, StepmarkError), result.output
    assert str(result.exception) == (
        f"{there}: this is {kind}, and the store has a file there; move it away, or give another --home."
    )


def _make(kind: str, path: Path) -> None:
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
        case "a device":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()


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
