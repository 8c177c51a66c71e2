"""`stepmark export`: every format comes back through import-labels as the same rows."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stepmark.store.auditing import run_audits
from stepmark.store.store import Store

from .conftest import there_and_back
from .rows import ROWS, TABLE

pytestmark = pytest.mark.slow

_ORIGIN = "* EXCLUDE (source_file, source_line)"  # what a file names itself is not in the rows it holds

COMPARED = {
    "problems": _ORIGIN,
    "solutions": _ORIGIN,
    "steps": "*",
    "step_labels": _ORIGIN,
    "human_labels": _ORIGIN,
}


def rows_of(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows that came with a file, in a fixed order."""
    store = Store(home)
    return {
        table: store.read(f"SELECT {columns} FROM {table} ORDER BY ALL").rows()
        for table, columns in COMPARED.items()
    }


@pytest.mark.parametrize("name", ROWS)
def test_what_came_in_goes_out_and_comes_back_as_the_same_rows(tmp_path: Path, name: str) -> None:
    """Import, export, import into a fresh store: problems, solutions, steps and labels are equal."""
    file = tmp_path / "in"
    file.write_text("\n".join(json.dumps(row) for row in ROWS[name]))
    first, second = there_and_back(tmp_path, file, name)

    rows = rows_of(first)
    assert rows["step_labels"]
    assert rows_of(second) == rows
    offenders = {audit: frame.height for audit, frame in run_audits(Store(second)).items() if frame.height}
    assert offenders == {}


@pytest.mark.parametrize("name", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_tables_come_back_whatever_file_they_are(tmp_path: Path, kind: str, name: str) -> None:
    """White space, quotes, line ends inside a step, counts and unknown values survive each kind of table."""
    file, frame = tmp_path / "in", pl.DataFrame(TABLE, infer_schema_length=None)
    match kind:
        case "jsonl":
            file.write_text("\n".join(json.dumps(row) for row in TABLE))
        case "csv":
            file.write_text(frame.write_csv(line_terminator="\r\n", quote_style="non_numeric"), newline="")
        case _:
            frame.write_parquet(file)
    first, second = there_and_back(tmp_path, file, name)

    rows = rows_of(first)
    assert [row[2] for row in rows["steps"]] == [0, 4]
    assert len(rows["human_labels"]) == 2
    assert len(rows["step_labels"]) == 3
    assert rows_of(second) == rows


@pytest.mark.parametrize(
    ("folder", "name", "export_format"),
    [
        ("prm800k", "raw_lines.jsonl", "prm800k"),
        ("prm800k", "phase1_train_reconstructed.jsonl", "prm800k"),
        ("step_labels", "processbench_gsm8k.json", "processbench"),
        ("step_labels", "processbench_math.json", "processbench"),
        ("step_labels", "math_shepherd_samples.jsonl", "math-shepherd"),
        ("step_labels", "omegaprm_samples.jsonl", "omegaprm"),
        ("step_labels", "trl_stepwise_samples.jsonl", "trl"),
    ],
)
def test_real_files_come_back_as_the_same_rows(
    tmp_path: Path, real_data: Path, folder: str, name: str, export_format: str
) -> None:
    """Every shared file that imports, in its own format."""
    first, second = there_and_back(tmp_path, real_data / folder / name, export_format)

    rows = rows_of(first)
    assert len(rows["solutions"]) > 5
    assert {table for table, of_table in rows_of(second).items() if of_table != rows[table]} == set()


@pytest.mark.parametrize("name", ["prm800k", "csv", "parquet", "label-studio"])
def test_the_longest_time_does_not_keep_a_row_from_coming_back(tmp_path: Path, name: str) -> None:
    """Where a format has no place for it, the time alone is left out."""
    file = tmp_path / "labels.jsonl"
    completion = {"text": "so 2", "rating": 1}
    label = {"total_time": 2**63 - 1, "steps": [{"completions": [completion], "chosen_completion": 0}]}
    file.write_text(json.dumps({"labeler": "ann", "question": {"problem": "P?"}, "label": label}))

    _, second = there_and_back(tmp_path, file, name)

    durations = Store(second).read("SELECT duration_ms FROM human_labels").rows()
    assert durations == [(None if name == "label-studio" else 2**63 - 1,)]
