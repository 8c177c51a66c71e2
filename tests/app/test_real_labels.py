"""Every shared label file through `stepmark import-labels`, against a count over its JSON alone."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from stepmark.app.import_labels import import_labels_command
from stepmark.app.ingest import ingest_command
from stepmark.store.auditing import run_audits
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

Row = dict[str, Any]
Counts = dict[str, Any]


def counted(problems: Iterable[str], solutions: Iterable[object], ratings: Iterable[int]) -> Counts:
    """How many problems and solutions there are, and how often each rating."""
    return {
        "problems": len({problem.strip() for problem in problems}),
        "solutions": len(set(solutions)),
        "ratings": dict(Counter(ratings)),
    }


def processbench(rows: list[Row]) -> Counts:
    """Steps before the label are right, the one at it is wrong."""
    ratings = []
    for row in rows:
        num_right = len(row["steps"]) if row["label"] == -1 else row["label"]
        ratings += [1] * num_right + [-1] * (row["label"] >= 0)
    return counted(
        (row["problem"] for row in rows),
        ((row["problem"].strip(), "\n".join(row["steps"])) for row in rows),
        ratings,
    )


def math_shepherd(rows: list[Row]) -> Counts:
    """The sign at the end of each line of the label."""
    signs = [line[-1] for row in rows for line in row["label"].split("\n")]
    return counted(
        (row["input"].split("Step 1:")[0] for row in rows),
        (row["input"] for row in rows),
        (1 if sign == "+" else -1 for sign in signs),
    )


def trl(rows: list[Row]) -> Counts:
    """The labels as they stand."""
    return counted(
        (row["prompt"] for row in rows),
        ((row["prompt"], *row["completions"]) for row in rows),
        (1 if label else -1 for row in rows for label in row["labels"]),
    )


def rlhflow(rows: list[Row]) -> Counts:
    """The assistant's turns."""
    signs = [turn["content"] for row in rows for turn in row["messages"] if turn["role"] == "assistant"]
    steps = [tuple(turn["content"] for turn in row["messages"][::2]) for row in rows]
    return counted(map(first_sentence, rows), steps, (1 if sign == "+" else -1 for sign in signs))


def first_sentence(row: Row) -> str:
    """The problem of a shared RLHFlow row: nothing marks its end, and no shared problem file has it."""
    content: str = row["messages"][0]["content"]
    return content[: content.index(". ") + 1]


def omegaprm(rows: list[Row]) -> Counts:
    """Prefixes that no other one of the row goes on from."""
    leaves = set()
    for row in rows:
        prefixes = {node["solution_prefix"].strip() for node in row["reasoning_steps"]}
        leaves |= {
            prefix
            for prefix in prefixes - {row["question"].strip()}
            if not any(other.startswith(prefix + space) for other in prefixes for space in "\n ")
        }
    return counted((row["question"] for row in rows), leaves, [])


FILES: dict[str, tuple[str, Callable[[list[Row]], Counts]]] = {
    "processbench_gsm8k.json": ("processbench", processbench),
    "processbench_math.json": ("processbench", processbench),
    "math_shepherd_samples.jsonl": ("math-shepherd", math_shepherd),
    "trl_stepwise_samples.jsonl": ("trl", trl),
    "rlhflow_samples.jsonl": ("rlhflow", rlhflow),
    "omegaprm_samples.jsonl": ("omegaprm", omegaprm),
}


def stored(home: Path, source: str) -> Counts:
    """The same counts over the store."""
    store = Store(home)
    rated = "FROM step_labels WHERE label_source = ? AND rating IS NOT NULL"
    ratings = store.read(f"SELECT rating, count(*) AS n {rated} GROUP BY rating", [source])
    return {
        "problems": store.read(
            "SELECT count(DISTINCT problem_id) FROM solutions WHERE source = ?", [source]
        ).item(),
        "solutions": store.read("SELECT count(*) FROM solutions WHERE source = ?", [source]).item(),
        "ratings": dict(ratings.iter_rows()),
    }


def imported(file: Path, home: Path) -> Counts:
    """The JSON result of the command."""
    out = home.parent / "counts.json"
    arguments = [str(file), "--home", str(home), "--json", str(out)]
    CliRunner().invoke(import_labels_command, arguments, catch_exceptions=False)
    counts: Counts = json.loads(out.read_text())
    return counts


@pytest.mark.parametrize("name", FILES)
def test_a_shared_file_is_stored_as_counted(tmp_path: Path, real_data: Path, name: str) -> None:
    """Problems, solutions and ratings are those of the file, nothing is refused, the audits are content."""
    label_format, count = FILES[name]
    file, home = real_data / "step_labels" / name, tmp_path / "home"
    text = file.read_text(encoding="utf-8")
    rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    if label_format == "rlhflow":
        problems = tmp_path / "problems.jsonl"
        problems.write_text("\n".join({json.dumps({"problem": first_sentence(row)}) for row in rows}))
        arguments = [str(problems), "--split", "test", "--home", str(home)]
        CliRunner().invoke(ingest_command, arguments, catch_exceptions=False)
    result = imported(file, home)

    assert result["format"] == label_format
    assert (result["accepted"] + result["duplicates"], result["rejected"]) == (len(rows), 0)
    assert stored(home, label_format) == count(rows)
    offenders = {audit: frame.height for audit, frame in run_audits(Store(home)).items() if frame.height}
    assert offenders == {}


@pytest.mark.parametrize("name", ["raw_lines.jsonl", "phase1_train_reconstructed.jsonl"])
def test_a_shared_prm800k_file_is_stored_as_counted(tmp_path: Path, real_data: Path, name: str) -> None:
    """Every distinct line's ratings are there, and lines in which no step was taken are refused."""
    file, home = real_data / "prm800k" / name, tmp_path / "home"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    result = imported(file, home)

    distinct = {}
    for row in rows:
        for step in row["label"]["steps"]:
            for completion in step["completions"]:
                completion.pop("error_reason", None)
        distinct[json.dumps(row, sort_keys=True)] = row
    taken = [
        row
        for row in distinct.values()
        if row["label"]["steps"][0]["chosen_completion"] is not None
        or row["label"]["steps"][0]["human_completion"]
        or "pre_generated_steps" in row["question"]
    ]
    ratings = Counter(
        completion["rating"]
        for row in taken
        for step in row["label"]["steps"]
        for completion in [*step["completions"], step["human_completion"]]
        if completion
    )
    people = Store(home).read("SELECT rating, count(*) AS n FROM human_labels GROUP BY 1")
    assert dict(people.iter_rows()) == ratings
    assert result["accepted"] == len(taken)
    assert result["accepted"] + result["rejected"] + result["duplicates"] == len(rows)
    assert result["counts"]["lines"] == len(rows)
