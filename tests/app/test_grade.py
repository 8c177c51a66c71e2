"""``stepmark grade`` as people script it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stepmark.app.grade import grade_command
from stepmark.labeling.errors import InputError


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Four pairs that need no algebra, one line blank, CRLF, no final newline."""
    file = tmp_path / "pairs.jsonl"
    lines = [
        '{"gold": "1/2", "pred": "0.5", "id": 1.10, "tag": "é"}',
        "",
        '{"gold": 5, "pred": 6}\r',
        '{"pred": null, "gold": "5"}',
        '{"gold": "5", "pred": "5", "verdict": "old", "last": true}',
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def _grade(*arguments: object) -> Result:
    return CliRunner().invoke(grade_command, [str(argument) for argument in arguments])


def test_lines_come_back_with_their_verdicts(pairs: Path) -> None:
    """In order, other keys as they were spelled, an old verdict replaced; the counts go to stderr."""
    result = _grade(pairs)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        '{"gold": "1/2", "pred": "0.5", "id": 1.10, "tag": "é", "verdict": "equal"}',
        '{"gold": 5, "pred": 6, "verdict": "different"}',
        '{"pred": null, "gold": "5", "verdict": "unparsable"}',
        '{"gold": "5", "pred": "5", "verdict": "equal", "last": true}',
    ]
    assert result.stderr == "4 pairs: 2 equal, 1 different, 1 unparsable, 0 timeout\n"


def test_the_result_can_go_to_a_file(pairs: Path, tmp_path: Path) -> None:
    """The file is complete and readable by others; a device stays a device."""
    out = tmp_path / "graded.jsonl"

    assert _grade(pairs, "--out", out).stdout == ""
    assert [json.loads(line)["verdict"] for line in out.read_text(encoding="utf-8").splitlines()] == [
        "equal",
        "different",
        "unparsable",
        "equal",
    ]
    assert out.stat().st_mode & 0o777 == 0o666 & ~_umask()
    assert _grade(pairs, "--out", "/dev/null").exit_code == 0
    assert Path("/dev/null").is_char_device()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graded.jsonl", "pairs.jsonl"]


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


@pytest.mark.parametrize(
    ("bad_line", "message"),
    [
        ('{"gold": "5"', r"line 2: {\"gold\": \"5\" is not valid JSON"),
        ("[1, 2]", "line 2: .* is not a JSON object"),
        ('{"pred": "5"}', 'line 2: no "gold" in .*; add "gold"'),
        ('{"gold": "5"}', 'line 2: no "pred" in .*null if there is no answer'),
        ('{"gold": [5], "pred": "5"}', 'line 2: no usable "gold"'),
        ('{"gold": true, "pred": "5"}', 'line 2: no usable "gold"'),
        ('{"gold": " ", "pred": "5"}', 'line 2: no usable "gold"'),
        ('{"gold": null, "pred": "5"}', 'line 2: no usable "gold"'),
        ('{"gold": "5", "pred": {}}', 'line 2: no usable "pred"'),
        ('{"gold": "5", "pred": NaN}', "line 2: .*NaN is no JSON number"),
        ('{"gold": "5", "gold": "6", "pred": "6"}', "line 2: .*a key occurs twice"),
    ],
)
def test_a_bad_line_stops_everything(tmp_path: Path, bad_line: str, message: str) -> None:
    """The message names file, line, value and remedy, and nothing is written, not even the good lines."""
    file, out = tmp_path / "bad.jsonl", tmp_path / "out.jsonl"
    file.write_text('{"gold": "5", "pred": "5"}\n' + bad_line + "\n", encoding="utf-8")

    for arguments in ([file], [file, "--out", out]):
        result = _grade(*arguments)
        assert isinstance(result.exception, InputError)
        assert result.stdout == ""
    with pytest.raises(InputError, match=message):
        raise result.exception
    assert str(result.exception).startswith(f"{file}, line 2: ")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]


def test_a_byte_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    """The file is not guessed to be in some other encoding."""
    file = tmp_path / "latin.jsonl"
    file.write_bytes(b'{"gold": "5", "pred": "5", "tag": "\xe9"}\n')

    assert "of the line is not UTF-8; save the file as UTF-8" in str(_grade(file).exception)


def test_bad_usage_exits_with_two(tmp_path: Path, pairs: Path) -> None:
    """A file that is not there, a folder, a limit of no time."""
    assert _grade(tmp_path / "absent.jsonl").exit_code == 2
    assert _grade(tmp_path).exit_code == 2
    assert _grade(pairs, "--time-limit", "0").exit_code == 2


def test_a_folder_that_does_not_exist_is_named(pairs: Path, tmp_path: Path) -> None:
    """The result has nowhere to go."""
    result = _grade(pairs, "--out", tmp_path / "absent" / "out.jsonl")

    assert isinstance(result.exception, InputError)
    assert "cannot be written (No such file or directory)" in str(result.exception)


def test_numbers_are_read_as_they_are_spelled(tmp_path: Path) -> None:
    """10,000 digits, and decimals that a float would round."""
    digits = "3" * 10_000
    file = tmp_path / "numbers.jsonl"
    file.write_text(
        f'{{"gold": {digits}, "pred": {digits}}}\n'
        '{"gold": 0.10000000000000000001, "pred": 0.1}\n'
        '{"gold": 1e3, "pred": "1000"}\n',
        encoding="utf-8",
    )

    result = _grade(file)

    assert [json.loads(line.replace(digits, "3"))["verdict"] for line in result.stdout.splitlines()] == [
        "equal",
        "different",
        "equal",
    ]


def test_it_reads_from_a_pipe_as_a_program() -> None:
    """Run as people run it; what needs algebra, a tower that never ends and a time limit included."""
    lines = [
        json.dumps({"gold": r"\cos(2x)", "pred": r"1-2\sin^2 x"}),
        json.dumps({"gold": r"\sin x", "pred": "9^{9^{9^{9}}} + x"}),
    ]
    command = [sys.executable, "-m", "stepmark.app.main", "grade", "/dev/stdin", "--time-limit", "0.5"]

    finished = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)

    assert finished.returncode == 0, finished.stderr
    assert [json.loads(line)["verdict"] for line in finished.stdout.splitlines()] == ["equal", "timeout"]
    assert finished.stderr == "2 pairs: 1 equal, 0 different, 0 unparsable, 1 timeout\n"
