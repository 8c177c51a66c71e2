"""What each format holds of a solution and its labels, and what is told to be left out."""

import csv
import json
from pathlib import Path

from stepmark.app.export import export_command
from stepmark.app.import_labels import import_labels_command

from .conftest import exported, run
from .rows import ROWS


def test_what_a_format_cannot_hold_is_told(home: Path) -> None:
    """Solutions are cut before the first step without a label, neutral ones become right; all are counted."""
    told, rows = exported(home, "trl", "--label-source", "one")

    assert rows == [{"prompt": "P", "completions": ["a", "b"], "labels": [True, True]}]
    assert "1 rows of trl, labels of one" in told
    assert "1 neutral ratings written as right" in told
    assert "1 solutions cut before the first step without a label" in told
    assert "1 solutions left out: their first step has no label" in told


def test_what_no_row_is_about_is_told_too(tmp_path: Path) -> None:
    """Alternatives to a step, and what labelers rated to be tested, go out in PRM800K's format alone."""
    file = tmp_path / "in"
    file.write_text("\n".join(json.dumps(row) for row in ROWS["prm800k"]))
    run(import_labels_command, str(file), "--home", str(tmp_path / "home"))

    told, _ = exported(tmp_path / "home", "stepmark")
    whole, _ = exported(tmp_path / "home", "prm800k")

    assert "1 rated alternatives to a step left out: prm800k alone holds them" in told
    assert "left out" not in whole


def test_neutral_may_mean_wrong(home: Path) -> None:
    """The caller says which."""
    _, rows = exported(home, "trl", "--label-source", "one", "--neutral", "wrong")

    assert rows[0]["labels"] == [True, False]


def test_a_solution_that_holds_the_format_s_own_sign_is_left_out(home: Path) -> None:
    """Math-Shepherd's tag inside a step would cut it in two."""
    told, rows = exported(home, "math-shepherd", "--label-source", "two")

    assert [row["label"] for row in rows] == ["P Step 1: a +\nStep 2: b -\nStep 3: c -"]
    assert "1 solutions left out: the format cannot tell their problem or steps apart" in told


def test_a_source_other_than_people_goes_out_as_one_rater_of_prm800k(home: Path) -> None:
    """It rates the solution as it is, up to its last labeled step."""
    _, rows = exported(home, "prm800k", "--label-source", "one")

    assert [row["labeler"] for row in rows] == ["one", "one"]
    assert rows[0]["question"]["pre_generated_steps"] == ["a", "b", "c"]
    assert [step["completions"][0]["rating"] for step in rows[0]["label"]["steps"]] == [1, 0]


def test_omegaprm_keeps_a_solution_that_is_the_beginning_of_another(tmp_path: Path) -> None:
    """One tree would swallow it, and mean two values of one prefix: each solution gets a row."""
    file, home = tmp_path / "labels.jsonl", tmp_path / "home"
    rows = [
        {"problem": "P", "steps": ["a"], "label_source": "mc", "values": [0.5]},
        {"problem": "P", "steps": ["a", "b"], "label_source": "mc", "values": [0.25, 0.0]},
        {"problem": "Q", "steps": ["a", "b"], "label_source": "mc", "values": [0.25, 0.0]},
        {"problem": "Q", "steps": ["a", "c"], "label_source": "mc", "values": [0.25, 1.0]},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    run(import_labels_command, str(file), "--home", str(home))
    _, written = exported(home, "omegaprm")

    assert [len(row["reasoning_steps"]) for row in written] == [1, 2, 3]


def test_label_studio_gathers_all_raters_of_a_solution_in_a_task(home: Path) -> None:
    """Two sources are two predictions of one task."""
    _, rows = exported(home, "label-studio")

    versions = [[one["model_version"] for one in row["predictions"]] for row in rows]
    assert versions == [["one", "two"], ["one"], ["two"]]


def test_label_studio_counts_the_labels_it_cannot_show(tmp_path: Path) -> None:
    """A value of a half is no choice; nor is a prediction written that would not come back."""
    rows = [
        {"problem": "P", "steps": ["a", "b"], "label_source": "one", "values": [0.5, 0.5]},
        {"problem": "P", "steps": ["a", "b"], "label_source": "two", "values": [0.5, 0.9]},
        {"problem": "P", "steps": ["c"], "label_source": "two", "values": [0.5]},
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    run(import_labels_command, str(file), "--home", str(tmp_path / "home"))
    told, tasks = exported(tmp_path / "home", "label-studio")

    assert [[one["model_version"] for one in task["predictions"]] for task in tasks] == [["two"]]
    assert "4 labels left out: their value is neither right nor wrong" in told
    assert "1 solutions left out: no step is rated" in told


def test_a_table_may_be_of_one_source_alone(home: Path) -> None:
    """Steps without a label have a row, too."""
    out = home.parent / "out.csv"
    run(export_command, "--format", "csv", "--out", str(out), "--home", str(home), "--label-source", "one")
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert [(row["step_index"], row["rating"]) for row in rows] == [
        ("0", "1"),
        ("1", "0"),
        ("2", ""),
        ("0", ""),
        ("1", "1"),
    ]
