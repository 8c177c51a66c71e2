"""`stepmark ingest` and `stepmark import-labels` on files of every day."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from stepmark.app.import_labels import import_labels_command
from stepmark.app.ingest import ingest_command
from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

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


_EXAMPLE = """
    INSERT INTO solutions (solution_id, problem_id, source, solution)
        SELECT 's', problem_id, 'labeled', 'x' FROM problems;
    INSERT INTO orm_examples VALUES ('s', 'train', 'correct', 1);
"""
_MODEL = """
    INSERT INTO reward_models (reward_model_id, kind, base_model, label_sources, config, checkpoint,
        checkpoint_sha256, metrics, created_at)
    VALUES ('orm', 'orm', 'tiny', [], '{}', 'orm', 'abc', '{}', '2026-01-01')
"""


@pytest.mark.parametrize("is_learned", [False, True])
def test_a_known_problem_keeps_its_split_where_a_model_learned_from_it_and_that_is_told(
    tmp_path: Path, is_learned: bool
) -> None:
    """What was trained on does not become a test; an example that no model has read is taken back."""
    file, store = tmp_path / "math.jsonl", Store(tmp_path / "home")
    file.write_text(json.dumps(PROBLEM) + "\n")
    home = str(tmp_path / "home")
    CliRunner().invoke(ingest_command, [str(file), "--split", "train", "--home", home])
    with store.transaction() as con:
        con.execute(_EXAMPLE + (_MODEL if is_learned else ""))
    again = CliRunner().invoke(ingest_command, [str(file), "--split", "test", "--home", home])

    told = "1 of the known ones are stored in another split and stay there" in again.output
    kept = store.read("SELECT count(*) FROM orm_examples").item() == 1
    assert told == kept == is_learned
    assert ("1 of the known ones completed or corrected" in again.output) != is_learned
    assert store.read("SELECT split FROM problems").item() == ("train" if is_learned else "test")


def test_a_label_files_problem_that_a_model_learned_from_becomes_no_test(tmp_path: Path) -> None:
    """Not even by a file of problems, which knows the split better."""
    problems, labels = tmp_path / "problems.jsonl", tmp_path / "bench.jsonl"
    problems.write_text(json.dumps(PROBLEM) + "\n")
    labels.write_text(json.dumps(BENCH | {"problem": PROBLEM["problem"]}) + "\n")
    home, store = ["--home", str(tmp_path / "home")], Store(tmp_path / "home")
    CliRunner().invoke(import_labels_command, [str(labels), *home], catch_exceptions=False)
    with store.transaction() as con:
        con.execute(_EXAMPLE + _MODEL)
    ingested = CliRunner().invoke(ingest_command, [str(problems), "--split", "test", *home])

    assert "1 of the known ones are stored in another split and stay there" in ingested.output
    assert store.read("SELECT source, split FROM problems").rows() == [("math", "train")]


@pytest.mark.parametrize("order", [("problems", "labels"), ("labels", "problems")])
def test_a_label_file_and_a_problem_file_give_one_row_in_either_order(
    tmp_path: Path, order: tuple[str, str]
) -> None:
    """The problem file's source and split win, and each file fills in what the other one lacks."""
    problem = {"problem": "Q?", "level": "Level 2", "type": "Algebra", "solution": "Unboxed."}
    label = {"problem": "Q?", "steps": ["a"], "label_source": "t", "ratings": [1], "ground_truth_answer": "7"}
    problems, labels = tmp_path / "problems.jsonl", tmp_path / "labels.jsonl"
    problems.write_text(json.dumps(problem) + "\n")
    labels.write_text(json.dumps(label) + "\n")
    home = ["--home", str(tmp_path / "home")]
    calls: dict[str, tuple[click.Command, list[str]]] = {
        "problems": (ingest_command, [str(problems), "--split", "test"]),
        "labels": (import_labels_command, [str(labels), "--split", "train"]),
    }
    for name in order:
        CliRunner().invoke(calls[name][0], calls[name][1] + home, catch_exceptions=False)
    row = Store(tmp_path / "home").read_published("SELECT * EXCLUDE problem_id FROM problems")

    assert row.rows() == [("math", "test", "Algebra", 2, "Q?", "Unboxed.", "7", str(problems), 1, None)]


def test_labels_of_a_test_problem_leave_it_one_unless_another_split_is_asked_for(tmp_path: Path) -> None:
    """Asked for as train it is told; without the option nothing is asked, and all is mended."""
    problems, labels = tmp_path / "problems.jsonl", tmp_path / "bench.jsonl"
    problems.write_text(json.dumps(PROBLEM) + "\n")
    rows = [BENCH | {"problem": text} for text in (PROBLEM["problem"], "new?")]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    home, store = ["--home", str(tmp_path / "home")], Store(tmp_path / "home")
    CliRunner().invoke(ingest_command, [str(problems), "--split", "test", *home], catch_exceptions=False)
    told, asked = [], []
    for split in ([], ["--split", "train"], []):
        call = [str(labels), *split, *home]
        told.append(CliRunner().invoke(import_labels_command, call, catch_exceptions=False).output)
        asked.append(store.read("SELECT problem, problem_roles.split FROM problem_roles JOIN problems"
            " USING (problem_id) WHERE asked_by LIKE '%bench.jsonl' ORDER BY ALL").rows())  # fmt: skip

    assert asked[0] == asked[2] == [(PROBLEM["problem"], "test"), ("new?", "train")]
    assert asked[1] == [(PROBLEM["problem"], "train"), ("new?", "train")]
    sentence = "1 of its problems are stored in another split than the one asked for, and stay there"
    assert [sentence in output for output in told] == [False, True, False]


def test_ingest_says_how_many_known_problems_it_completed(tmp_path: Path) -> None:
    """A row that a label file left is one; a row that is whole is not."""
    problems, labels = tmp_path / "problems.jsonl", tmp_path / "bench.jsonl"
    problems.write_text(json.dumps(PROBLEM) + "\n")
    labels.write_text(json.dumps(BENCH | {"problem": PROBLEM["problem"]}) + "\n")
    home = ["--home", str(tmp_path / "home")]
    CliRunner().invoke(import_labels_command, [str(labels), *home], catch_exceptions=False)
    first, second = (
        CliRunner().invoke(ingest_command, [str(problems), "--split", "test", *home]) for _ in range(2)
    )

    assert "0 new problems, 1 known before, 0 refused\n  1 of the known ones completed" in first.output
    assert "completed" not in second.output


def test_of_two_problem_files_the_first_keeps_its_split(tmp_path: Path) -> None:
    """The second one only fills in what is not known, and overwrites nothing with NULL."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text(json.dumps({"problem": "Q?", "type": "Algebra", "answer": "7"}) + "\n")
    second.write_text(json.dumps({"problem": "Q?", "level": "Level 4", "answer": "8"}) + "\n")
    home = ["--home", str(tmp_path / "home")]
    for file, split in ((first, "test"), (second, "train")):
        CliRunner().invoke(ingest_command, [str(file), "--split", split, *home], catch_exceptions=False)
    row = Store(tmp_path / "home").read("SELECT split, subject, level, ground_truth_answer FROM problems")

    assert row.rows() == [("test", "Algebra", 4, "7")]


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


def test_what_became_of_the_lines_is_told_in_words_that_agree(tmp_path: Path) -> None:
    """No raw keys; a second import calls each line a duplicate, in the first line and in the counts."""
    file, out = tmp_path / "bench.json", tmp_path / "o.json"
    other = BENCH | {"steps": ["c"], "label": -1}
    file.write_text(json.dumps([BENCH, BENCH, BENCH | {"label": 9}, other]))
    arguments = [str(file), "--home", str(tmp_path / "home"), "--json", str(out)]
    told = []
    for _ in range(2):
        result = CliRunner().invoke(import_labels_command, arguments, catch_exceptions=False)
        told.append((result.output.splitlines()[:3], json.loads(out.read_text())["counts"]))

    (first, first_counts), (second, second_counts) = told
    assert first == [
        "processbench: 2 accepted, 1 rejected, 1 duplicates, 3 steps",
        "  4 lines read, 3 step labels in those not refused",
        "  new in the store: 1 problems, 2 solutions, 3 steps, 3 step labels",
    ]
    assert second[::2] == [
        "processbench: 0 accepted, 1 rejected, 3 duplicates, 3 steps",
        "  new in the store: nothing",
    ]
    names = ("lines", "accepted", "rejected", "duplicates")
    assert [first_counts.get(name, 0) for name in names] == [4, 2, 1, 1]
    assert [second_counts.get(name, 0) for name in names] == [4, 0, 1, 3]


def test_of_a_tree_the_solutions_are_told_besides_the_line(tmp_path: Path) -> None:
    """A line is one tree, and each of its leaves a solution with all the steps on the way."""
    prefixes = [{"solution_prefix": f"Q?\n\n{path}", "mc_value": 0.5} for path in ("a", "a\n\nb", "a\n\nc")]
    file = tmp_path / "trees.jsonl"
    file.write_text(json.dumps({"question": "Q?", "final_answer": "1", "reasoning_steps": prefixes}))
    arguments = [str(file), "--home", str(tmp_path / "home")]
    result = CliRunner().invoke(import_labels_command, arguments, catch_exceptions=False)

    assert result.output.splitlines() == [
        "omegaprm: 1 accepted, 0 rejected, 0 duplicates, 4 steps",
        "  1 lines read, 4 step labels in those not refused",
        "  new in the store: 1 problems, 2 solutions, 4 steps, 4 step labels",
    ]


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


def test_ratings_know_their_file_and_line(tmp_path: Path, real_data: Path) -> None:
    """Blank lines count, and a line that repeats an earlier one leaves no rating of its own."""
    lines = (real_data / "prm800k" / "raw_lines.jsonl").read_text(encoding="utf-8").splitlines()
    file = tmp_path / "ratings.jsonl"
    file.write_text("\n".join(["", lines[0], lines[0], lines[1]]) + "\n", encoding="utf-8")
    home = ["--home", str(tmp_path / "home")]
    CliRunner().invoke(import_labels_command, [str(file), *home], catch_exceptions=False)
    rows = Store(tmp_path / "home").read(
        "SELECT DISTINCT source_file, source_line FROM human_labels ORDER BY source_line"
    )

    assert rows.rows() == [(str(file), 2), (str(file), 4)]


@pytest.mark.parametrize("text", ["", "not json\n", '{"a": 1}\n'])
def test_a_file_of_no_known_format_is_refused(tmp_path: Path, text: str) -> None:
    """Detection looks at the content, and says what it saw."""
    file = tmp_path / "labels.jsonl"
    file.write_text(text)
    result = CliRunner().invoke(import_labels_command, [str(file), "--home", str(tmp_path / "home")])

    assert isinstance(result.exception, InputError)
    assert "labels.jsonl" in str(result.exception)


def test_a_file_of_which_every_row_is_refused_is_a_failure(tmp_path: Path) -> None:
    """Scripts see it by the exit code; the reasons stand above the sentence and in the rejects."""
    file, home = tmp_path / "rows.jsonl", str(tmp_path / "home")
    file.write_text('{"nothing": 1}\n{"nothing": 2}\n')
    runner = CliRunner()
    ingested = runner.invoke(ingest_command, [str(file), "--split", "train", "--home", home])
    imported = runner.invoke(import_labels_command, [str(file), "--format", "prm800k", "--home", home])

    assert isinstance(ingested.exception, StepmarkError)
    assert isinstance(imported.exception, StepmarkError)
    assert "every row was refused" in str(ingested.exception)
    assert "every row was rejected" in str(imported.exception)
    assert Store(Path(home)).read("SELECT count(*) FROM rejects").item() > 0
