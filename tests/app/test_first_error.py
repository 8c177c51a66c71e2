"""``stepmark first-error``, run as a person runs it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stepmark.app.first_error import first_error_command
from stepmark.labeling.errors import InputError


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(first_error_command, [str(argument) for argument in arguments])


def _write(path: Path, pairs: list[tuple[object, object]]) -> Path:
    lines = [json.dumps({"label": label, "prediction": prediction}) + "\n" for label, prediction in pairs]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_the_json_has_the_published_figures_and_their_intervals(tmp_path: Path) -> None:
    """One of two errors found, both right solutions recognised: .5, 1 and two thirds."""
    out = tmp_path / "out.json"

    result = _run(_write(tmp_path / "in.jsonl", [(0, 0), (2, 1), (-1, -1), (-1, -1)]), "--json", out)

    assert result.exit_code == 0, result.output
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["accuracy_error"], written["accuracy_correct"]) == (0.5, 1.0)
    assert written["f1"] == pytest.approx(2 / 3)
    assert (written["num_error"], written["num_correct"]) == (2, 2)
    for figure in ("accuracy_error", "accuracy_correct", "f1"):
        interval = written["intervals"][figure]
        assert interval["ci95_low"] <= written[figure] <= interval["ci95_high"]


def test_the_figures_are_printed_in_percent(tmp_path: Path) -> None:
    """A person reads them without the JSON."""
    result = _run(_write(tmp_path / "in.jsonl", [(0, 0), (2, 1), (-1, -1), (-1, -1)]))

    assert "accuracy on 2 erroneous solutions: 50.0 [9.5, 90.5]" in result.stdout
    assert "F1: 66.7 [" in result.stdout


def test_indexes_written_as_strings_are_read(tmp_path: Path) -> None:
    """Some published files carry "3" for 3 and "-1" for none."""
    out = tmp_path / "out.json"

    _run(_write(tmp_path / "in.jsonl", [("3", 3), (0, " 0 "), ("-1", "-1")]), "--json", out)

    written = json.loads(out.read_text())
    assert (written["accuracy_error"], written["accuracy_correct"], written["f1"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("bad", [True, False, 1.0, -2, "-2", "1.0", "", "two", [1], {}])
@pytest.mark.parametrize("key", ["label", "prediction"])
def test_what_is_no_index_is_refused_with_its_line_and_value(tmp_path: Path, key: str, bad: object) -> None:
    """True is not 1, and a count from 1 cannot be told from here but a -2 can."""
    pair: tuple[object, object] = (bad, 0) if key == "label" else (0, bad)

    result = _run(_write(tmp_path / "in.jsonl", [(-1, -1), pair]))

    assert isinstance(result.exception, InputError)
    assert f'line 2: "{key}" is {json.dumps(bad)}; give the 0-based index' in str(result.exception)


def test_a_label_of_null_is_refused_and_a_prediction_of_null_is_counted(tmp_path: Path) -> None:
    """The truth must be known; a judge may have named no index, which is wrong and said."""
    refused = _run(_write(tmp_path / "a.jsonl", [(None, 0)]))
    counted = _run(_write(tmp_path / "b.jsonl", [(0, None), (-1, -1)]))

    assert '"label" is null' in str(refused.exception)
    assert "1 solutions without a prediction, counted as wrong" in counted.stdout


def test_a_missing_key_is_refused(tmp_path: Path) -> None:
    """An absent prediction is not a null one."""
    path = tmp_path / "in.jsonl"
    path.write_text('{"label": 1}\n')

    assert 'line 1: "prediction" is missing' in str(_run(path).exception)


def test_a_missing_class_is_null_with_its_reason(tmp_path: Path) -> None:
    """No solution with an error: no accuracy on them and no F1, and not 0."""
    out = tmp_path / "out.json"

    result = _run(_write(tmp_path / "in.jsonl", [(-1, -1), (-1, 0)]), "--json", out)

    written = json.loads(out.read_text())
    assert (written["accuracy_error"], written["accuracy_correct"], written["f1"]) == (None, 0.5, None)
    assert "no solution has an error" in written["reason"]
    assert "F1: not known" in result.stdout


def test_a_file_from_another_system_is_read(tmp_path: Path) -> None:
    """Byte-order mark, CRLF, a blank line and no final newline."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"label": 0, "prediction": 0}\r\n\r\n{"label": -1, "prediction": -1}')

    assert "F1: 100.0" in _run(path).stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"label": 0, "prediction": 0}\n{"label": "\xff"}\n', "line 2: byte 12 of the line is not UTF-8"),
        (b'{\n"label": 0}\n', 'line 1: "{" is not JSON'),
        (b'{"label": 0, "label": 1, "prediction": 0}\n', 'line 1: the key "label" occurs twice'),
        (b'{"label": 0, "prediction": 0, "x": "\\ud800"}\n', "line 1: "),
        (b"[" * 100_000 + b"\n", "line 1: "),
        (b"9" * 5000 + b"\n", "line 1: "),
    ],
)
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    """Bad bytes, a pretty-printed object, a doubled key, half a character, deep nesting, a huge number."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(content)

    result = _run(path)

    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_processbench_labels_score_full_marks_against_themselves(tmp_path: Path, real_data: Path) -> None:
    """The 1,000 labels of the MATH part, written as this command's input: F1 is 1, classes 594 and 406."""
    rows = json.loads((real_data / "step_labels" / "processbench_math.json").read_text(encoding="utf-8"))
    out = tmp_path / "out.json"

    _run(_write(tmp_path / "in.jsonl", [(row["label"], row["label"]) for row in rows]), "--json", out)

    written = json.loads(out.read_text())
    assert written["f1"] == 1.0
    assert (written["num_error"], written["num_correct"]) == (594, 406)
