"""`stepmark ingest` and `stepmark import-labels` on files of every day."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from stepmark.app.import_labels import import_labels_command
from stepmark.app.ingest import ingest_command
from stepmark.labeling.errors import InputError
from stepmark.store.store import Store

PROBLEM = {
    "problem": "What is $1 + 1$?",
    "solution": "It is $\\boxed{2}$.",
    "level": "Level 1",
    "type": "Algebra",
}
BENCH = {
    "id": "g-0",
    "generator": "m",
    "problem": "p?",
    "steps": ["a", "b"],
    "final_answer_correct": False,
    "label": 1,
}


def test_problems_are_stored_and_what_is_refused_is_told(tmp_path: Path) -> None:
    """A second copy of a problem is refused with its line, and a rerun stores nothing."""
    file = tmp_path / "math.jsonl"
    file.write_text(json.dumps(PROBLEM) + "\n" + json.dumps(PROBLEM) + "\n")
    home = str(tmp_path / "home")
    first = CliRunner().invoke(ingest_command, [str(file), "--split", "train", "--home", home])
    second = CliRunner().invoke(ingest_command, [str(file), "--split", "train", "--home", home])

    assert "1 new problems, 0 known before, 1 refused" in first.output
    assert "line 2: duplicate of line 1" in first.output
    assert "0 new problems, 1 known before, 1 refused" in second.output
    row = Store(tmp_path / "home").read_published("SELECT split, level, ground_truth_answer FROM problems")
    assert row.rows() == [("train", 1, "2")]


def test_a_file_that_does_not_tell_its_split_is_refused_whole(tmp_path: Path) -> None:
    """A guess here would be a leak; nothing is stored."""
    file = tmp_path / "problems.jsonl"
    file.write_text(json.dumps(PROBLEM) + "\n")
    result = CliRunner().invoke(ingest_command, [str(file), "--home", str(tmp_path / "home")])

    assert isinstance(result.exception, InputError)
    assert "--split" in str(result.exception)


def test_labels_are_imported_once(tmp_path: Path) -> None:
    """The second import finds every line known, and the JSON says so."""
    file = tmp_path / "bench.json"
    file.write_text(json.dumps([BENCH]))
    arguments = [
        str(file),
        "--split",
        "test",
        "--home",
        str(tmp_path / "home"),
        "--json",
        str(tmp_path / "o.json"),
    ]
    CliRunner().invoke(import_labels_command, arguments, catch_exceptions=False)
    first = json.loads((tmp_path / "o.json").read_text())
    CliRunner().invoke(import_labels_command, arguments, catch_exceptions=False)
    second = json.loads((tmp_path / "o.json").read_text())

    names = ("format", "accepted", "rejected", "duplicates", "steps")
    assert [first[name] for name in names] == ["processbench", 1, 0, 0, 2]
    assert [second[name] for name in names] == ["processbench", 0, 0, 1, 2]


def test_rated_alternatives_become_unfinished_solutions(tmp_path: Path, real_data: Path) -> None:
    """PRM800K's 11 published lines: 141 rated completions beside the path, each labeled at its last step."""
    file = real_data / "prm800k" / "raw_lines.jsonl"
    CliRunner().invoke(
        import_labels_command, [str(file), "--home", str(tmp_path / "home")], catch_exceptions=False
    )
    rows = Store(tmp_path / "home").read(
        """SELECT rating, count(*) AS n FROM step_labels JOIN solutions USING (solution_id)
        WHERE source = 'alternative' GROUP BY rating ORDER BY rating"""
    )

    assert rows.rows() == [(-1, 72), (0, 44), (1, 25)]


@pytest.mark.parametrize("text", ["", "not json\n", '{"a": 1}\n'])
def test_a_file_of_no_known_format_is_refused(tmp_path: Path, text: str) -> None:
    """Detection looks at the content, and says what it saw."""
    file = tmp_path / "labels.jsonl"
    file.write_text(text)
    result = CliRunner().invoke(import_labels_command, [str(file), "--home", str(tmp_path / "home")])

    assert isinstance(result.exception, InputError)
    assert "labels.jsonl" in str(result.exception)
