"""Formats of label files: told by the first object, named by the caller, or not known."""

import json
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.registry import FORMATS, detect_format, import_labels

from .label_rows import (
    OMEGA,
    PROCESSBENCH,
    RLHFLOW,
    SHEPHERD,
    STEPMARK,
    TRL,
    Row,
)


@pytest.mark.parametrize(
    ("row", "label_format"),
    [
        ({"question": {"problem": "?"}, "label": {"steps": []}}, "prm800k"),
        (SHEPHERD, "math-shepherd"),
        (TRL, "trl"),
        (PROCESSBENCH, "processbench"),
        (RLHFLOW, "rlhflow"),
        (OMEGA, "omegaprm"),
        (STEPMARK, "stepmark"),
    ],
)
def test_a_format_is_told_by_its_first_object(tmp_path: Path, row: Row, label_format: str) -> None:
    """A damaged first line does not hide the format."""
    path = tmp_path / "file.txt"
    path.write_text('{"torn\n' + json.dumps(row, indent=1))

    assert detect_format(path) == label_format
    assert label_format in FORMATS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"b": 1, "a": 2}', "line 1: no label format has the keys a, b; name one with --format"),
        (
            '{"problem": "?", "solution": "!"}',
            "line 1: this is a problem, not a labeled solution; use stepmark ingest",
        ),
        ("", "the file holds no JSON object"),
    ],
)
def test_an_unknown_format_names_the_keys_it_has(tmp_path: Path, content: str, message: str) -> None:
    """The error says what was seen and what to do."""
    path = tmp_path / "labels.jsonl"
    path.write_text(content)

    with pytest.raises(InputError, match=message):
        detect_format(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_format": "csv", "split": "train"}, "format 'csv' is unknown; choose auto or prm800k, "),
        ({"label_format": "trl", "split": "dev"}, "split is 'dev'; give train or test"),
    ],
)
def test_unknown_formats_and_splits_are_input_errors(
    tmp_path: Path, options: dict[str, str], message: str
) -> None:
    """Both are refused before anything is read."""
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(TRL))

    with pytest.raises(InputError, match=message):
        list(import_labels(path, **options))
