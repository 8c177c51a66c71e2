"""What `stepmark export` offers, and what it refuses without touching the file that was there."""

from pathlib import Path

import pytest

from stepmark.app.export import export_command
from stepmark.app.import_labels import import_labels_command
from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.rows import query
from stepmark.store.store import Store

from .conftest import run


def test_the_commands_offer_the_formats_in_a_fixed_order() -> None:
    """A table comes in under its own name or that of any kind of file, and goes out as one of these."""
    import_help = run(import_labels_command, "--help").output
    export_help = run(export_command, "--help").output

    assert (
        "[auto|prm800k|math-shepherd|trl|processbench|rlhflow|omegaprm|prmbench|mr-gsm8k|label-studio|stepmark"
        "|table|parquet|csv|jsonl]"
    ) in import_help
    assert (
        "[prm800k|trl|math-shepherd|rlhflow|processbench|omegaprm|label-studio|stepmark|parquet|csv|jsonl]"
    ) in export_help


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--format", "trl"],
            r"labels of one \(2 solutions\), two \(2 solutions\); say whose with --label-source",
        ),
        (
            ["--format", "trl", "--label-source", "x"],
            r"No solution has labels of 'x'; --label-source can be one",
        ),
    ],
)
def test_doubt_about_the_label_source_is_an_error(home: Path, options: list[str], message: str) -> None:
    """It names those there are, and a file that was there stays as it was."""
    out = home.parent / "out"
    out.write_text("old")
    with pytest.raises(StepmarkError, match=message):
        run(export_command, *options, "--out", str(out), "--home", str(home))

    assert out.read_text() == "old"


def test_an_export_without_rows_leaves_the_file_as_it_was(home: Path) -> None:
    """It is an error that says why nothing was written."""
    with Store(home).transaction() as con:
        query(con, "UPDATE step_labels SET rating = NULL WHERE label_source = 'one' AND step_index = 0")
    Store(home).publish()
    out = home.parent / "out"
    out.write_text("old")
    with pytest.raises(
        StepmarkError, match=r"No label of one can be written as trl \(2 solutions left out: "
    ):
        run(
            export_command, "--format", "trl", "--label-source", "one", "--out", str(out), "--home", str(home)
        )

    assert out.read_text() == "old"
    assert [path.name for path in home.parent.iterdir() if path.name.startswith(".")] == []


def test_a_store_without_labels_or_snapshot_is_told(tmp_path: Path) -> None:
    """Both are one sentence."""
    out = ["--format", "csv", "--out", str(tmp_path / "out"), "--home", str(tmp_path / "home")]
    with pytest.raises(StepmarkError, match="There is no snapshot"):
        run(export_command, *out)
    Store(tmp_path / "home").publish()
    with pytest.raises(StepmarkError, match="holds no labels"):
        run(export_command, *out)


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(home: Path) -> None:
    """As with every other file that a command writes."""
    with pytest.raises(InputError, match="cannot be written"):
        run(export_command, "--format", "csv", "--out", "/proc/nowhere/out", "--home", str(home))
