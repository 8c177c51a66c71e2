"""Labels that meet stored ones: a file whose storing fails, and labels of one text that do not agree."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.pipeline import label_files
from stepmark.store.labels import storing
from stepmark.store.store import Store

from .conftest import changed, import_file, numbered, valid

pytestmark = pytest.mark.slow


def test_a_failure_while_rows_are_stored_leaves_none_of_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill: the rows are written, and not there after all; the next run stores them."""
    rows = [json.dumps(numbered(valid("trl"), number)) for number in range(4)]
    before = Store(home).read("SELECT count(*) FROM problems").item()
    write = storing.write_offered

    def failing(*arguments: Any, **named: Any) -> Any:
        write(*arguments, **named)
        raise StepmarkError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(storing, "write_offered", failing)
        _, error = import_file(home, "\n".join(rows).encode())
    after = Store(home).read("SELECT count(*) FROM problems").item()
    import_file(home, "\n".join(rows).encode())

    assert str(error) == "The disk is full."
    assert after == before
    assert Store(home).read("SELECT count(*) FROM problems").item() == before + 4


def test_labels_for_other_steps_of_a_stored_text_are_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second file divides the stored text otherwise: its labels would belong to no step, in any chunk."""
    line_by_line = functools.partial(label_files.ingest_labels, chunk_lines=1)
    monkeypatch.setattr(label_files, "ingest_labels", line_by_line)
    rows = []
    for labeler, parts in (("ann", ["a", "b"]), ("ben", ["a\nb"]), ("eve", ["a\nb"])):
        row = valid("label-studio")
        row["data"]["steps"], row["predictions"] = parts, []
        row["annotations"][0]["completed_by"] = {"email": labeler}
        rows.append(json.dumps(row))
    import_file(home, rows[0].encode())
    output, error = import_file(home, "\n".join(rows[1:]).encode())

    assert error is not None
    assert "0 accepted, 2 rejected, 0 duplicates" in output
    assert "rejected line 1: this text is stored with other steps" in output
    assert "rejected line 2: this text is stored with other steps" in output
    assert Store(home).read("SELECT DISTINCT labeler FROM human_labels").rows() == [("ann",)]


def test_two_labelers_may_stand_far_apart_in_a_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one's line comes with a later chunk; alternatives that they disagree on are left out."""
    line_by_line = functools.partial(label_files.ingest_labels, chunk_lines=1)
    monkeypatch.setattr(label_files, "ingest_labels", line_by_line)
    first, second = valid("prm800k"), changed(valid("prm800k"), "labeler", "ben")
    for row, rating in ((first, 1), (second, -1)):
        row["label"]["steps"][1]["completions"][1]["rating"] = rating
    del first["question"]["pre_generated_steps"], second["question"]["pre_generated_steps"]
    output, _ = import_file(home, "\n".join(map(json.dumps, (first, second))).encode())

    assert "2 accepted, 0 rejected, 0 duplicates" in output
    assert "0 rated alternatives to a step; 1 more left out, for people disagree on them" in output
    assert Store(home).read("SELECT count(*) FROM solutions WHERE source = 'alternative'").item() == 0
