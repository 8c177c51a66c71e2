"""Damaged label files: damage is told by its line, and a file refused as a whole changes no byte."""

import functools
import gzip
import io
import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from stepmark.app.import_labels import import_labels_command
from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.auditing import run_audits
from stepmark.store.store import Store

Row = dict[str, Any]
_ROWS_FILE = Path(__file__).parents[1] / "labeling" / "formats" / "valid_rows.json"
VALID: dict[str, Any] = json.loads(_ROWS_FILE.read_text(encoding="utf-8"))
TABLE = b"problem,solution_id,step_index,step,rating\n"
PARQUET = pl.DataFrame({"problem": ["Q"] * 500, "step": [str(index) for index in range(500)]})


def valid(name: str) -> Row:
    """A sound row of the format, of its own."""
    row: Row = json.loads(json.dumps(VALID[name]))
    return row


def changed(row: Row, path: str, value: object) -> Row:
    """The row with the value at this path of keys and indices replaced."""
    target: Any = row
    *parents, last = (int(part) if part.lstrip("-").isdigit() else part for part in path.split("/"))
    for part in parents:
        target = target[part]
    target[last] = value
    return row


def import_file(home: Path, data: bytes) -> tuple[str, Exception | None]:
    """What the command prints and raises for a file of these bytes."""
    file = home.parent / "labels"
    file.write_bytes(data)
    result = CliRunner().invoke(import_labels_command, [str(file), "--home", str(home)])
    if result.exception is not None and not isinstance(result.exception, StepmarkError):
        raise result.exception
    return result.output, result.exception


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with labels in it, made once and copied."""
    home = tmp_path_factory.mktemp("made") / "home"
    import_file(home, json.dumps(valid("trl")).encode())
    return home


@pytest.fixture
def home(tmp_path: Path, made_home: Path) -> Path:
    """A store with labels in it."""
    return shutil.copytree(made_home, tmp_path / "home")


def parquet(frame: pl.DataFrame) -> bytes:
    """The bytes of a Parquet file."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


REFUSED_WHOLE: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "the file holds no JSON object"),
    "white space": (b" \n\n\t", "the file holds no JSON object"),
    "a byte-order mark and nothing": (b"\xef\xbb\xbf", "the file holds no JSON object"),
    "UTF-16": ("{}".encode("utf-16"), "the file is UTF-16; save it as UTF-8"),
    "prose": (b"Dear Sir,\nno labels here\n", "the file holds no JSON object"),
    "an archive": (b"PK\x03\x04\x14\x00\x00\x00", "the file holds no JSON object"),
    "numbers": (b"[1, 2, 3]", "the file holds no JSON object"),
    "an empty array": (b"[]", "the file holds no JSON object"),
    "an object torn off": (b'{"prompt": "How', "the file holds no JSON object"),
    "foreign keys": (b'{"b": 1, "a": 2}', "line 1: no label format has the keys a, b"),
    "a problem": (b'{"problem": "?", "answer": "2"}', "line 1: this is a problem, not a labeled solution"),
    "a header alone": (TABLE, "the file holds no row"),
    "a table without labels": (
        b"problem,solution_id,step_index,step\nQ,x,0,a\n",
        "a table of steps has the columns",
    ),
    "a table without steps": (b"problem,rating\nQ,1\n", "a table of steps has the columns"),
    "a column twice": (
        TABLE.replace(b"\n", b",step\n") + b"Q,x,0,a,1,a\n",
        "line 1: a column is named twice",
    ),
    "Parquet of other columns": (parquet(PARQUET), "a table of steps has the columns"),
    "Parquet cut off": (parquet(PARQUET)[:-200], "the Parquet file is damaged"),
    "Parquet of four bytes": (b"PAR1", "the Parquet file is damaged"),
    "gzip cut off at once": (gzip.compress(b'{"a": 1}')[:12], "line 1: the compressed data is damaged"),
    "gzip cut off": (
        gzip.compress(b'{"prompt": "Q", "completions": ["a"], "labels": [true]}\n' * 900, 0)[:30_000],
        "the compressed data is damaged from here on",
    ),
    "gzip that is none": (b"\x1f\x8bnot so", "line 1: the compressed data is damaged"),
    "one object with NaN": (
        b'{"a": NaN}',
        "line 1: the file holds no JSON object that can be read: the text",
    ),
}


@pytest.mark.parametrize("damage", REFUSED_WHOLE)
def test_a_file_refused_as_a_whole_changes_no_byte_of_the_store(home: Path, damage: str) -> None:
    """One sentence names the file and the remedy."""
    data, message = REFUSED_WHOLE[damage]
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    _, error = import_file(home, data)

    assert isinstance(error, InputError)
    assert message in str(error)
    assert str(error).startswith(str(home.parent / "labels"))
    assert "\n" not in str(error)
    assert ";" in str(error)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def second_turn(content: str) -> list[Row]:
    """An RLHFlow conversation whose sign is this."""
    return [{"role": "user", "content": "Q? Step 1: a"}, {"role": "assistant", "content": content}]


# What the row in the middle of three is changed to, and the reason it is refused with.
REFUSED_ROWS: list[tuple[str, str, object, str]] = [
    ("prm800k", "question", None, "question is None, not an object"),
    ("prm800k", "question/problem", 7, "question.problem is 7, not text"),
    ("prm800k", "label/steps", [], "label.steps is empty"),
    ("prm800k", "label/steps/1/completions/0/rating", 2, "rating is 2, not -1, 0, 1 or null"),
    ("prm800k", "label/steps/0/chosen_completion", 9, "chosen_completion is 9, but there are 2 completions"),
    ("prm800k", "label/steps/0/completions", [{"text": "z"}], "rates other texts than"),
    ("prm800k", "timestamp", "yesterday", "timestamp is 'yesterday', not a time"),
    ("prm800k", "label/total_time", 2**63, "label.total_time is 9223372036854775808, too large"),
    ("prm800k", "generation", 2**31, "generation is 2147483648, too large"),
    ("prm800k", "generation", "six", "generation is 'six', not a whole number"),
    ("trl", "labels", [True], "labels has 1 entries for 2 steps"),
    ("trl", "labels/1", None, "labels[1] is None, not true or false"),
    ("trl", "completions/0", " ", "completions[0] is ' ', not the text of a step"),
    ("math-shepherd", "input", "How many? 8", "input holds no step tag"),
    ("math-shepherd", "label", "How many? Step 1: 3 + 5 = 8. ?", "label does not follow input"),
    ("rlhflow", "messages", second_turn("maybe"), "messages[1].content is 'maybe', not + or -"),
    ("rlhflow", "messages", second_turn("+")[:1], "messages has 1 entries"),
    ("processbench", "label", 3, "label is 3, not -1 or the 0-based index of one of 3 steps"),
    ("processbench", "label", "one", "label is 'one', not -1 or the 0-based index"),
    ("processbench", "steps", "a b", "steps is 'a b', not a list"),
    ("omegaprm", "reasoning_steps/1/mc_value", 1.5, "mc_value is 1.5, not a number from 0 to 1"),
    ("omegaprm", "reasoning_steps/1/solution_prefix", "Why?", "prefix does not begin with the question"),
    ("omegaprm tree", "reasoning_steps/children/0/text", None, "reasoning_steps.children[0].text is None"),
    ("omegaprm tree", "reasoning_steps/children/1", "c", "reasoning_steps.children[1] is 'c', not an object"),
    ("prmbench", "error_steps/0", 0, "error_steps[0] is 0, not a number from 1 to 3"),
    ("prmbench", "error_steps/1", "four", "error_steps[1] is 'four', not a number from 1 to 3"),
    ("mr-gsm8k", "model_output_solution_first_error_step", "3", "step is '3', not a number from 1 to 2"),
    ("mr-gsm8k", "model_output_solution_first_error_step", "N/A", "solution_correctness is 'wrong', but"),
    ("mr-gsm8k", "model_output_answer_correctness", "maybe", "is 'maybe', not correct or wrong"),
    ("label-studio", "annotations/0/result/0/value/choices", ["good"], "is ['good'], not one of right"),
    ("label-studio", "annotations/0/result/0/from_name", "rating_2", "step is '2', not a number from 0 to 1"),
    ("label-studio", "annotations/0/created_at", "soon", "created_at is 'soon', not a time"),
    ("label-studio", "annotations/0/lead_time", -1, "lead_time is -1, not a number of seconds"),
    ("label-studio", "data/steps", [], "data.steps is empty"),
    ("stepmark", "ratings", [1], "ratings has 1 entries for 2 steps"),
    ("stepmark", "values/1", 2, "values[1] is 2, not a number from 0 to 1"),
    ("stepmark", "outcome", "fine", "outcome is 'fine', none of correct"),
    ("table", "step_index", -1, "step_index is -1, not a whole number from 0 on"),
    ("table", "step_index", 1, "the solution has no row of step_index 0, but later ones"),
    ("table", "rating", 5, "rating is 5, not -1, 0, 1 or null"),
    ("table", "value", "much", "value is 'much', not a number from 0 to 1"),
    ("table", "num_correct", 9, "num_rollouts is 4, fewer than the 9 that are counted"),
    ("table", "problem", None, "problem is missing"),
]  # fmt: skip


def numbered(row: Row, number: int) -> Row:
    """The row with another problem, so that it repeats no other."""
    text = json.dumps(row, ensure_ascii=False).replace("How many?", f"How many {number}?")
    numbered_row: Row = json.loads(text)
    return numbered_row


@pytest.mark.parametrize(("name", "path", "value", "reason"), REFUSED_ROWS)
def test_a_damaged_row_is_refused_by_its_line_and_its_neighbours_are_stored(
    home: Path, name: str, path: str, value: object, reason: str
) -> None:
    """Of three rows the middle one is damaged; the rejects say which, and the store is sound."""
    damaged = numbered(changed(valid(name), path, value), 2)
    rows = [numbered(valid(name), 1), damaged, numbered(valid(name), 3)]
    output, error = import_file(home, "\n".join(json.dumps(row) for row in rows).encode())

    assert error is None
    rejects = Store(home).read("SELECT line, reason FROM rejects").rows()
    assert [line for line, _ in rejects] == [2]
    assert reason in rejects[0][1]
    assert f"rejected line 2: {rejects[0][1]}" in output
    assert "2 accepted, 1 rejected, 0 duplicates" in output
    offenders = {audit: frame.height for audit, frame in run_audits(Store(home)).items() if frame.height}
    assert offenders == {}


def lines(*damaged: bytes) -> bytes:
    """A sound TRL row, the damaged lines, another sound row."""
    first, last = (json.dumps(numbered(valid("trl"), number)).encode() for number in (1, 3))
    return b"\n".join([first, *damaged, last])


# A file, the line of its one reject, and a part of the reason.
REFUSED_LINES: dict[str, tuple[bytes, int, str]] = {
    "NaN": (lines(b'{"prompt": "Q", "completions": ["a"], "labels": [NaN]}'), 2, "holds NaN, which"),
    "a key twice": (lines(b'{"prompt": "Q", "prompt": "R"}'), 2, "gives the key 'prompt' twice"),
    "half a character": (lines(b'{"prompt": "\\ud83d"}'), 2, "holds a lone surrogate"),
    "Latin-1": (lines(b'{"prompt": "\xe9"}'), 2, "holds bytes that are not UTF-8"),
    "single quotes": (lines(b"{'prompt': 1}"), 2, "is not JSON"),
    "two objects on a line": (lines(b'{"a": 1} {"a": 2}'), 2, "has more text after its JSON value"),
    "a number": (lines(b"7"), 2, "is a JSON number, not an object"),
    "a string": (lines(b'"labels"'), 2, "is a JSON string, not an object"),
    "an endless number": (lines(b'{"a": ' + b"9" * 5000 + b"}"), 2, "holds an integer of thousands"),
    "deep nesting": (lines(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"), 2, "is nested too deeply"),
    "a torn line": (lines(b'{"prompt": "Q", "completions": ['), 2, "that starts here does not end"),
    "a torn pretty-printed object": (lines(b"{", b'"a": "x,', b'"b": [', b"1"), 2, "does not end"),
    "a last line cut off": (lines() + b'\n{"prompt": "Q', 3, "is cut off"),
    "an array cut off": (b"[" + lines().replace(b"\n", b",\n") + b",\n", 3, "its closing ] is missing"),
    "a labeler of two minds": (
        lines(json.dumps(numbered(changed(valid("trl"), "labels", [False, False]), 1)).encode()),
        2,
        "trl rated this solution differently in line 1; the first rating stays",
    ),
    "a text divided otherwise": (
        lines(b'{"prompt": "How many 1?", "completions": ["a\\n b"], "labels": [true]}'),
        2,
        "line 1 divides the same text into other steps",
    ),
    "CSV of too few cells": (TABLE + b"Q,x,0,a,1\nQ,y,0\nQ,z,0,c,1\n", 3, "has 3 cells for 5 columns"),
    "CSV in Latin-1": (TABLE + b"Q,x,0,a,1\nQ,y,0,\xe9,1\n", 3, "holds bytes that are not UTF-8"),
    "a quote left open": (TABLE + b'Q,x,0,a,1\nQ,y,0,"b,1\n', 3, "the row is not CSV"),
    "a later row of a solution": (TABLE + b"Q,x,0,a,1\nQ,y,0,b,1\nQ,y,1,c,7\n", 4, "rating is 7"),
    "a step twice": (TABLE + b"Q,x,0,a,1\nQ,y,0,b,1\nQ,y,0,b,-1\n", 4, "stands in this solution twice"),
    "a label of 0 that may mean two things": (
        TABLE.replace(b"rating", b"label") + b"Q,x,0,a,1\nQ,y,0,b,0\n", 3, "it may mean wrong or neutral"
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", REFUSED_LINES)
def test_damage_between_sound_lines_is_told_by_its_line(home: Path, damage: str) -> None:
    """The sound rows are stored, the damage is one reject."""
    data, line, reason = REFUSED_LINES[damage]
    _, error = import_file(home, data)

    assert error is None
    [(found, told)] = Store(home).read("SELECT line, reason FROM rejects").rows()
    assert reason in told
    assert line in (found, 0)
    assert Store(home).read("SELECT count(*) FROM solutions WHERE source IN ('trl', 'table')").item() >= 2


def test_a_failure_while_rows_are_stored_leaves_none_of_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill: the rows are written, and not there after all; the next run stores them."""
    from stepmark.store.labels import storing

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
    from stepmark.pipeline import label_files

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
    from stepmark.pipeline import label_files

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
