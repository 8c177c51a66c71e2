"""Files that commands write: whole or not there, and nothing else is replaced."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stepmark.app.io.outputs import check_writable, why_not_replaced, write_text
from stepmark.labeling.errors import InputError


def test_a_device_is_written_to_and_stays_a_device() -> None:
    """Renaming a file over /dev/null would take it from everyone."""
    write_text(Path("/dev/null"), "gone")

    assert Path("/dev/null").is_char_device()


def test_a_full_device_is_told_in_one_sentence() -> None:
    """The message names the path and the reason."""
    with pytest.raises(InputError, match=r"/dev/full: cannot be written \(No space left on device\)"):
        write_text(Path("/dev/full"), "x" * 100_000)


def test_a_database_is_not_replaced(tmp_path: Path) -> None:
    """Whoever calls: a DuckDB file is known by its first bytes."""
    database = tmp_path / "some.db"
    database.write_bytes(b"checksumDUCK...")
    with pytest.raises(InputError, match=r"some\.db: is a DuckDB database; name another file"):
        write_text(database, "new")

    assert database.read_bytes() == b"checksumDUCK..."


@pytest.mark.parametrize("reads_first", [True, False])
def test_a_pipe_is_written_to(reads_first: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody reads it yet, the wait is told."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) if reads_first else None
    late = threading.Timer(0.2, pipe.read_bytes)
    if reader is None:
        late.start()
    write_text(pipe, "text")
    if reader is None:
        late.join()
    else:
        assert os.read(reader, 10) == b"text"
        os.close(reader)

    assert ("nobody reads yet; waiting" in capsys.readouterr().err) is not reads_first
    assert pipe.is_fifo()


_WRITING = (
    "import pathlib, sys\nfrom stepmark.app.io.outputs import *\nout = pathlib.Path(sys.argv[1])\n"
    "check_writable(out)\nwrite_text(out, 'text')"
)


def test_standard_output_is_written_to_where_it_is_a_pipe() -> None:
    """Its link in /proc names no path."""
    command = [sys.executable, "-c", _WRITING, "/dev/stdout"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)

    assert run.stdout == "text"


@pytest.mark.parametrize("out", [[], ["--out", "/dev/stdout"], ["--out", "pipe"]])
def test_a_reader_who_has_seen_enough_is_no_failure(out: list[str], tmp_path: Path) -> None:
    """As of `stepmark grade ... | head -1`, whatever names the pipe."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "answers.jsonl").write_text('{"gold": "1", "pred": "1"}\n' * 3_000)
    command = [sys.executable, "-m", "stepmark.app.main", "grade", "answers.jsonl", *out]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        with (tmp_path / "pipe").open() if "pipe" in out else run.stdout as reader:
            reader.readline()
        told = run.stderr.read()

    assert (run.returncode, "Error" in told) == (0, False)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr", "/dev/fd/{}", "/proc/self/fd/{}", "link"])
def test_an_open_file_is_written_to_where_it_stands(name: str, tmp_path: Path) -> None:
    """A redirected stream stays the file it is: what stands there and what follows are kept."""
    path, link = tmp_path / "redirected.txt", tmp_path / "link"
    link.symlink_to("/dev/stdout")
    with path.open("wb") as file:
        file.write(b"before, ")
        file.flush()
        out = str(link) if name == "link" else name.format(file.fileno())
        command, streams = [sys.executable, "-c", _WRITING, out], {"stdout": file, "stderr": file}
        subprocess.run(command, **streams, pass_fds=[file.fileno()], check=True)
        file.write(b", after")

    assert path.read_text() == "before, text, after"
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_a_result_stands_alone_on_standard_output(tmp_path: Path) -> None:
    """What the command says besides goes to stderr: it would damage a table in Parquet, and any JSON."""
    file = tmp_path / "predictions.jsonl"
    file.write_text('{"label": 1, "prediction": 1}\n{"label": -1, "prediction": -1}\n')
    code = "from stepmark.app.main import cli\ncli()"
    command = [sys.executable, "-c", code, "first-error", str(file), "--json", "/dev/stdout"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)

    assert json.loads(run.stdout)["f1"] == 1.0
    assert "F1" in run.stderr


@pytest.mark.parametrize("out", ["/dev/stdin", "/dev/fd/77", "/dev/fd/99999999999999999999"])
def test_an_open_file_that_takes_no_writing_is_told_before_the_work(out: str) -> None:
    """It is open for reading alone, or not open."""
    code = _WRITING.replace("write_text(out", "print('working'")
    command = [sys.executable, "-c", code, out]
    with Path(os.devnull).open() as stdin:
        run = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)

    assert run.stdout == ""
    assert f"{out}: cannot be written (Bad file descriptor)" in run.stderr


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it points to gets the text."""
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")

    assert link.is_symlink()
    assert target.read_text() == "new"


def test_links_in_a_circle_are_told_before_the_work(tmp_path: Path) -> None:
    """The system's own words say why."""
    link = tmp_path / "a"
    link.symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(link)

    for check in (check_writable, lambda out: why_not_replaced(out, None)):
        with pytest.raises(InputError, match="Too many levels of symbolic links"):
            check(link)


def test_a_failed_write_leaves_the_old_file_and_no_partial_one(tmp_path: Path) -> None:
    """The folder is the name of a file here."""
    old = tmp_path / "old.txt"
    old.write_text("old")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(old / "new.txt", "new")

    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]
