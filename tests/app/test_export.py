"""`stepmark export`: every format comes back through import-labels as the same rows."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from stepmark.app.export import export_command
from stepmark.app.import_labels import import_labels_command
from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.auditing import run_audits
from stepmark.store.rows import query
from stepmark.store.store import Store

Row = dict[str, Any]
_ORIGIN = "* EXCLUDE (source_file, source_line)"  # what a file names itself is not in the rows it holds
COMPARED = {
    "problems": _ORIGIN,
    "solutions": _ORIGIN,
    "steps": "*",
    "step_labels": _ORIGIN,
    "human_labels": _ORIGIN,
}


def steps(*rated: tuple[str, int | None], **changes: object) -> list[Row]:
    """PRM800K steps of one completion each."""
    step = {"human_completion": None, "chosen_completion": 0} | changes
    return [
        step | {"completions": [{"text": text, "rating": rating, "flagged": None}]} for text, rating in rated
    ]


def prm800k(*labeled: Row, **changes: Any) -> Row:
    """A phase 1 line of PRM800K."""
    return {
        "labeler": "anna",
        "timestamp": "2022-07-30T23:23:32.500000",
        "generation": None,
        "is_quality_control_question": False,
        "is_initial_screening_question": None,
        "question": {"problem": "What is $1+1$?", "ground_truth_answer": "2"},
        "label": {"steps": list(labeled), "total_time": 5000, "finish_reason": "solution"},
    } | changes


WRITTEN = {"text": " by hand ", "rating": None, "flagged": False}
GENERATED = {
    "problem": "How much?",
    "ground_truth_answer": "8",
    "ground_truth_solution": "It is $8$.",
    "pre_generated_steps": ["3 + 5", " so\n8", "Done."],
    "pre_generated_answer": "8",
}
ALTERNATIVE = {"text": "bad", "rating": -1, "flagged": True}
TWO = steps(("so 2\n\n# Answer\n\n2", 0))[0]
TWO = TWO | {"completions": [*TWO["completions"], ALTERNATIVE]}
ROWS: dict[str, list[Row]] = {
    "prm800k": [
        prm800k(*steps(("b ", 1)), TWO),
        prm800k(*steps(("a", 1)), *steps(("b", None), chosen_completion=None, human_completion=WRITTEN)),
        prm800k(*steps(("a", 1)), *steps(("x", None), ("y", None), chosen_completion=None)[:1], labeler=None),
        prm800k(*steps(("3 + 5", 1), (" so\n8", -1)), question=GENERATED, generation=6),
        prm800k(*steps(("3 + 5", -1)), question=GENERATED, generation=6, labeler="ben"),
        prm800k(*steps(("3 + 5", 0)), question=GENERATED, labeler="eve", is_quality_control_question=True),
    ],
    "trl": [
        {"prompt": "How many?", "completions": ["a", " b\nc"], "labels": [True, False]},
        {"prompt": "How many?", "completions": [" a, b", "\u2028" + "c"], "labels": [False, True]},
    ],
    "math-shepherd": [
        {
            "input": "How many? Step 1: 3 + 5 = 8. ки\nStep 2: The answer is: 8 ки",
            "label": "How many? Step 1: 3 + 5 = 8. +\nStep 2: The answer is: 8 -",
        }
    ],
    "rlhflow": [
        {
            "messages": [
                {"role": "user", "content": "How  many? Step 1: 3 + 5 = 8."},
                {"role": "assistant", "content": "+"},
                {"role": "user", "content": "The answer is 8"},
                {"role": "assistant", "content": "-"},
            ]
        },
        {
            "conversations": [
                {"role": "user", "content": "Why? Since."},
                {"role": "assistant", "content": "-"},
            ],
            "problem": "Why?",
        },
    ],
    "processbench": [
        {
            "problem": "Q",
            "steps": ["a", " b", "c"],
            "final_answer_correct": True,
            "label": 1,
            "generator": "m",
        },
        {"problem": "Q", "steps": ["a", "c"], "final_answer_correct": False, "label": -1},
        {"problem": "Q2", "steps": ["a\nb"], "final_answer_correct": None, "label": 0},
    ],
    "omegaprm": [
        {
            "question": "How many?",
            "final_answer": "8",
            "reasoning_steps": [
                {"solution_prefix": "How many?", "mc_value": 0.5},
                {"solution_prefix": "How many?\n\na", "mc_value": 0.25},
                {"solution_prefix": "How many?\n\na\n\nb", "mc_value": 0.1},
                {"solution_prefix": "How many?\n\na\n\nc\nd", "mc_value": 1},
            ],
        },
        {
            "question": "Which?",
            "final_answer": "9",
            "reasoning_steps": {
                "text": "Which?",
                "mc_value": 0.5,
                "children": [
                    {
                        "text": "a",
                        "mc_value": None,
                        "children": [{"text": "b", "mc_value": 0, "children": []}],
                    },
                    {"text": "c", "mc_value": 0.75, "children": []},
                ],
            },
        },
    ],
    "label-studio": [
        {
            "id": 7,
            "data": {"problem": "How many?", "steps": [{"text": "a"}, {"text": "b\nc"}], "generator": "m"},
            "annotations": [
                {
                    "completed_by": {"id": 3, "email": "ann@example.org"},
                    "created_at": "2026-01-05T10:00:00.500000Z",
                    "lead_time": 31.5,
                    "was_cancelled": False,
                    "result": [
                        {"from_name": "rating_1", "type": "choices", "value": {"choices": ["wrong"]}},
                        {"from_name": "comment", "type": "textarea", "value": {"text": ["hm"]}},
                    ],
                },
                {"completed_by": 12, "result": [], "was_cancelled": False},
                {"completed_by": 13, "result": [], "was_cancelled": True},
            ],
            "predictions": [
                {
                    "model_version": "prm",
                    "result": [
                        {"from_name": "rating_0", "value": {"choices": ["neutral"]}, "score": 0.75},
                        {"from_name": "rating_1", "value": {"choices": ["wrong"]}},
                    ],
                }
            ],
        }
    ],
    "stepmark": [
        {
            "problem": "Q?",
            "steps": ["a", "b"],
            "label_source": "mc",
            "ratings": [0, None],
            "values": [None, 0.1],
        },
        {
            "problem": "Q?",
            "steps": ["a", "c"],
            "label_source": "mc",
            "values": [0.75, 0.25],
            "estimates": [
                {"num_rollouts": 4, "num_correct": 3, "value_low": 0.2, "value_high": 0.9},
                {
                    "p_wrong_low": 0.6,
                    "p_wrong_high": 0.7,
                    "has_signal": False,
                    "cost_tokens": 7,
                    "estimator": "x",
                },
            ],
        },
    ],
}
TABLE = [
    {"problem": "Q?", "solution_id": "x", "step_index": 1, "step": "b, \"c\"\nd", "rating": -1,
     "labeler": "ann", "labeled_at": "2026-01-05T10:00:00", "duration_ms": 12, "ground_truth_answer": "7"},
    {"problem": "Q?", "solution_id": "x", "step_index": 0, "step": " a\r", "rating": None, "labeler": "ann",
     "labeled_at": "2026-01-05T10:00:00", "duration_ms": 12, "ground_truth_answer": "7"},
    {"problem": "Q?", "solution_id": "x", "step_index": 0, "step": " a\r", "label_source": "mc", "value": 0.1,
     "num_rollouts": 10, "num_correct": 1, "num_truncated": 0, "num_ungraded": 0, "outcome": "incorrect",
     "value_low": 0.0, "value_high": 0.4, "p_wrong_low": 0.1, "p_wrong_high": 0.3, "has_signal": True,
     "cost_tokens": 70, "estimator": "{}"},
    {"problem": "Q?", "solution_id": "x", "step_index": 1, "step": "b, \"c\"\nd", "label_source": "mc",
     "rating": 0, "outcome": "incorrect"},
]  # fmt: skip


def run(command: Any, *arguments: str) -> Result:
    """The command, which must not fail."""
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def rows_of(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows that came with a file, in a fixed order."""
    store = Store(home)
    return {
        table: store.read(f"SELECT {columns} FROM {table} ORDER BY ALL").rows()
        for table, columns in COMPARED.items()
    }


def there_and_back(tmp_path: Path, file: Path, name: str, *options: str) -> tuple[Path, Path]:
    """Two homes: one that imported the file, and one that imported what the first one exported."""
    first, second, out = tmp_path / "first", tmp_path / "second", tmp_path / "out"
    run(import_labels_command, str(file), "--home", str(first))
    run(export_command, "--format", name, "--out", str(out), "--home", str(first), *options)
    run(import_labels_command, str(out), "--format", "auto", "--home", str(second))
    return first, second


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


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of ``home``, made once and copied."""
    folder = tmp_path_factory.mktemp("made")
    rows = [
        {"problem": "P", "steps": ["a", "b", "c"], "label_source": "one", "ratings": [1, 0, None]},
        {"problem": "P", "steps": ["d", "e"], "label_source": "one", "ratings": [None, 1]},
        {"problem": "P", "steps": ["a", "b", "c"], "label_source": "two", "values": [0.9, 0.2, 0.1]},
        {"problem": "P", "steps": ["ки"], "label_source": "two", "values": [1.0]},
    ]
    file = folder / "labels.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    run(import_labels_command, str(file), "--home", str(folder / "home"))
    return folder / "home"


@pytest.fixture
def home(tmp_path: Path, made_home: Path) -> Path:
    """A published store with labels of two sources on solutions that no format but a table holds whole."""
    return shutil.copytree(made_home, tmp_path / "home")


def exported(home: Path, name: str, *options: str) -> tuple[str, list[Row]]:
    """What the command prints, and the objects of the file."""
    out = home.parent / "out"
    told = run(export_command, "--format", name, "--out", str(out), "--home", str(home), *options).output
    text = out.read_text()
    return told, json.loads(text) if text.startswith("[") else [
        json.loads(line) for line in text.splitlines()
    ]


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


@pytest.mark.parametrize("name", ["stepmark", "csv", "parquet"])
def test_an_estimate_keeps_its_hard_label(tmp_path: Path, name: str) -> None:
    """It may be another one than the value's side of a half: what is believed goes out with it."""
    file = tmp_path / "labels.jsonl"
    estimates = [{"p_wrong_low": 0.8, "p_wrong_high": 0.9}, {"p_wrong_low": 0.4, "p_wrong_high": 0.6}]
    row = {"problem": "P", "steps": ["a", "b"], "label_source": "mc", "values": [0.9, 0.9]}
    file.write_text(json.dumps(row | {"estimates": estimates}))

    homes = there_and_back(tmp_path, file, name)

    labels = "SELECT step_index, rating FROM hard_labels ORDER BY ALL"
    assert [Store(home).read(labels).rows() for home in homes] == [[(0, -1), (1, None)]] * 2


@pytest.mark.parametrize(
    ("estimate", "reason"),
    [
        ({"num_rollouts": 2, "num_correct": 3}, "num_rollouts is 2, fewer than the 3 that are counted"),
        ({"num_rollouts": -1}, "num_rollouts is -1, not a whole number from 0 on"),
        ({"p_wrong_low": 0.6, "p_wrong_high": 0.5}, "p_wrong_low is 0.6, above p_wrong_high, which is 0.5"),
        ({"num_rollouts": 4}, "num_rollouts is 4, but num_correct is not given"),
        ({"value_low": 1.5}, "value_low is 1.5, not a number from 0 to 1 or null"),
        ({"has_signal": 2}, "has_signal is 2, not true, false or null"),
        ({"estimator": 7}, "estimator is 7, not text"),
    ],
)
def test_an_estimate_that_cannot_be_is_refused(tmp_path: Path, estimate: Row, reason: str) -> None:
    """The reason names the field by its place."""
    file, home = tmp_path / "labels.jsonl", tmp_path / "home"
    row = {"problem": "P", "steps": ["a"], "label_source": "mc", "values": [0.5], "estimates": [estimate]}
    sound = {"problem": "P", "steps": ["b"], "label_source": "mc", "values": [0.5]}
    file.write_text(f"{json.dumps(sound)}\n{json.dumps(row)}")
    run(import_labels_command, str(file), "--home", str(home))

    assert Store(home).read("SELECT line, reason FROM rejects").rows() == [(2, f"estimates[0].{reason}")]


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


def test_values_and_counts_beside_people_s_ratings_are_not_lost(tmp_path: Path) -> None:
    """A table holds them, for the person with whose ratings they came; Label Studio's export counts them."""
    shared = {"problem": "P", "solution_id": "x", "step_index": 0, "step": "a", "rating": 1}
    rows = [
        shared | {"labeler": "ann", "value": 0.75, "num_rollouts": 4, "num_correct": 3},
        shared | {"labeler": "bob"},
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    run(import_labels_command, str(file), "--home", str(tmp_path / "home"))
    _, table = exported(tmp_path / "home", "jsonl")
    told, _ = exported(tmp_path / "home", "label-studio")

    assert [(row["labeler"], row["value"], row["num_rollouts"], row["num_correct"]) for row in table] == [
        ("ann", 0.75, 4, 3),
        ("bob", None, None, None),
    ]
    assert "1 values and counts beside people's ratings left out" in told


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
