"""The folder in which a label file's rows wait: what is left behind, and what is not."""

import os
import tempfile
from pathlib import Path

import duckdb
import polars as pl
import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.store.labels.stage import Stage


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, this test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_for_temporary_files_is_no_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose name would match another one's, too, is read alone; one that is no UTF-8 is refused."""
    for name in ("a[x]*?'b", "axy?'b"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a[x]*?'b"))
    with Stage() as stage, duckdb.connect() as con:
        stage.add({"steps": pl.DataFrame({"step": ["a"]})})
        assert con.execute(f"SELECT step FROM ({stage.sql('steps')})").fetchall() == [("a",)]
    broken = tmp_path / "\udcff"
    broken.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(broken))
    with Stage() as stage, pytest.raises(StepmarkError, match="not UTF-8; set TMPDIR to a folder"):
        stage.add({"steps": pl.DataFrame({"step": ["a"]})})


def test_what_a_killed_import_left_goes_with_the_next_one(folder: Path) -> None:
    """Unless it is in use, or so young that it may be; a folder of the user's is never touched."""
    with Stage() as running:
        running.add({"steps": pl.DataFrame({"step": ["a"]})})
        [in_use] = folder.iterdir()
        killed, young = folder / "stepmark-import-killed", folder / "stepmark-import-young"
        for path in (killed, young):
            path.mkdir()
            (path / "steps-000000.parquet").write_bytes(b"")
            (path / "stepmark-stage.lock").write_bytes(b"")
        theirs = folder / "stepmark-import-of-may"
        theirs.mkdir()
        (theirs / "labels.jsonl").write_bytes(b"{}")
        for path in (killed, in_use):
            os.utime(path / "stepmark-stage.lock", (0, 0))
        os.utime(theirs, (0, 0))

        with Stage():
            left = set(folder.iterdir())
            assert killed not in left
            assert {in_use, young, theirs} < left
        assert running.frame("steps").rows() == [("a",)]

    assert set(folder.iterdir()) == {young, theirs}
    assert (theirs / "labels.jsonl").read_bytes() == b"{}"
