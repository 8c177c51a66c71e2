"""Files that commands read: what is wrong with them is told alike, before any work is done."""

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from stepmark.app.main import cli
from stepmark.labeling.errors import InputError

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
