"""PRMBench, MR-GSM8K, Label Studio, OmegaPRM's trees and tables: what a row means."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stepmark.labeling.formats.reading import LabelImport, merged
from stepmark.labeling.formats.registry import FORMATS, detect_format, import_labels

Row = dict[str, Any]
VALID: dict[str, Any] = json.loads(Path(__file__).with_name("valid_rows.json").read_text(encoding="utf-8"))


def imported(tmp_path: Path, *rows: Row) -> LabelImport:
    """These rows written and imported."""
    path = tmp_path / "labels"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return merged(import_labels(path, "auto", "train"))


def ratings(result: LabelImport) -> list[tuple[int, int | None]]:
    """Step index and rating of the step labels."""
    return [(label.step_index, label.rating) for label in result.step_labels]


@pytest.mark.parametrize("name", VALID)
def test_a_sound_row_is_told_and_read(tmp_path: Path, name: str) -> None:
    """Each format's sound row, pretty-printed after a torn line, is of its format and accepted."""
    path = tmp_path / "file.txt"
    path.write_text('{"torn\n' + json.dumps(VALID[name], indent=1))

    assert detect_format(path) == name.split()[0]
    counts = merged(import_labels(path, "auto", "train")).counts
    assert (counts["accepted"], counts["rejected"]) == (1, 1)


@pytest.mark.parametrize("name", VALID)
def test_a_sound_row_is_of_one_format_alone(name: str) -> None:
    """So the order in which formats are tried decides nothing: no format's rows are another one's, too."""
    assert [one.name for one in FORMATS.values() if one.matches(VALID[name])] == [name.split()[0]]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([2, 3], [(0, 1), (1, -1), (2, -1)]),
        (["3"], [(0, 1), (1, 1), (2, -1)]),
        ([], [(0, 1), (1, 1), (2, 1)]),
    ],
)
def test_prmbench_counts_steps_from_1_and_judges_all(
    tmp_path: Path, errors: list[object], expected: list[tuple[int, int]]
) -> None:
    """Numbers may be texts; without an error every step is right."""
    result = imported(tmp_path, VALID["prmbench"] | {"error_steps": errors})

    assert ratings(result) == expected


@pytest.mark.parametrize(
    ("first_error", "correctness", "expected"),
    [
        ("2", "wrong", [(0, 1), (1, -1)]),
        (1, False, [(0, -1)]),
        ("N/A", "correct", [(0, 1), (1, 1)]),
        ("", True, [(0, 1), (1, 1)]),
        (None, "Correct", [(0, 1), (1, 1)]),
    ],
)
def test_mr_gsm8k_counts_steps_from_1(
    tmp_path: Path, first_error: object, correctness: object, expected: list[tuple[int, int]]
) -> None:
    """What follows the first error is not labeled; N/A, nothing and null mean that there is none."""
    row = VALID["mr-gsm8k"] | {
        "model_output_solution_first_error_step": first_error,
        "model_output_solution_correctness": correctness,
    }

    assert ratings(imported(tmp_path, row)) == expected


def test_mr_gsm8k_steps_may_be_one_text(tmp_path: Path) -> None:
    """A line is a step, and a right answer after a wrong step is a correct outcome."""
    row = VALID["mr-gsm8k"] | {"model_output_steps": "Step 1: a\nStep 2: b\n"}
    result = imported(tmp_path, row)

    assert [span.step for span in result.solutions[0].steps] == ["Step 1: a", "Step 2: b"]
    assert result.solutions[0].outcome == "correct"
    assert result.problems[0].ground_truth_answer == "18"


def test_an_omegaprm_tree_says_what_its_list_says(tmp_path: Path) -> None:
    """The same search written both ways gives the same solutions and values; a value of null is no label."""
    question = "How many?"
    prefixes = [("a", None), ("a\n\nb", 0), ("c", 1.0)]
    nodes = [{"solution_prefix": question, "mc_value": 0.5}]
    nodes += [{"solution_prefix": f"{question}\n\n{text}", "mc_value": value} for text, value in prefixes]
    tree = imported(tmp_path, VALID["omegaprm tree"])
    flat = imported(tmp_path, VALID["omegaprm tree"] | {"reasoning_steps": nodes})
    alone = imported(tmp_path, VALID["omegaprm tree"]["reasoning_steps"])

    assert {one.solution for one in tree.solutions} == {"a\nb", "c"}
    assert sorted(tree.step_labels) == sorted(flat.step_labels) == sorted(alone.step_labels)
    assert tree.problems[0].ground_truth_answer == "8"
    assert alone.problems[0].ground_truth_answer is None


def test_label_studio_people_and_models_are_told_apart(tmp_path: Path) -> None:
    """Annotations are people's ratings, one a step; predictions are labels of the source they name."""
    result = imported(tmp_path, VALID["label-studio"])

    assert [(one.labeler, one.step_index, one.rating, one.duration_ms) for one in result.human_labels] == [
        ("ann@example.org", 0, 1, 31_500),
        ("ann@example.org", 1, None, 31_500),
    ]
    assert result.human_labels[0].labeled_at == "2026-01-05T10:00:00"
    assert [(one.label_source, one.step_index, one.rating, one.value) for one in result.step_labels] == [
        ("human", 0, 1, None),
        ("prm", 1, -1, 0.1),
    ]


def table(*changes: Row) -> list[Row]:
    """Rows of a table: the sound one, but its counts, with these changes."""
    uncounted = {"num_rollouts": None, "num_correct": None}
    return [VALID["table"] | uncounted | change for change in changes]


@pytest.mark.parametrize("first", [0, 1, "0", "1"])
def test_tables_count_from_0_or_1_in_any_order(tmp_path: Path, first: int | str) -> None:
    """The lowest index of the file says which; rows of two solutions may be mixed."""
    second = type(first)(int(first) + 1)
    result = imported(
        tmp_path,
        *table(
            {"step_index": second, "step": "b", "rating": -1},
            {"step_index": first, "solution_id": "y", "step": "c"},
            {"step_index": first, "step": "a"},
        ),
    )

    assert [one.solution for one in result.solutions] == ["a\nb", "c"]
    assert ratings(result) == [(0, 1), (1, -1), (0, 1)]
    assert (result.counts["lines"], result.counts["accepted"]) == (3, 3)


@pytest.mark.parametrize(
    ("label", "rating"),
    [
        (True, 1),
        (False, -1),
        ("+", 1),
        ("-", -1),
        ("Right", 1),
        ("neutral", 0),
        ("wrong", -1),
        (1, 1),
        (-1, -1),
    ],
)
def test_labels_of_tables_are_words_signs_or_ratings(tmp_path: Path, label: object, rating: int) -> None:
    """They mean what they say."""
    assert ratings(imported(tmp_path, *table({"rating": None, "label": label}))) == [(0, rating)]


def test_a_label_of_0_is_neutral_beside_a_label_of_minus_1(tmp_path: Path) -> None:
    """Only with -1 in the file is it known not to mean wrong."""
    rows = table({"rating": None, "label": 0}, {"rating": None, "label": -1, "step_index": 1, "step": "b"})

    assert ratings(imported(tmp_path, *rows)) == [(0, 0), (1, -1)]


def test_a_table_s_estimates_keep_their_counts(tmp_path: Path) -> None:
    """Value, rollouts and right ones stay together."""
    [label] = imported(tmp_path, VALID["table"]).step_labels

    assert (label.value, label.num_rollouts, label.num_correct, label.num_truncated) == (0.5, 4, 2, None)


def test_a_parquet_file_s_name_is_no_pattern(tmp_path: Path) -> None:
    """Files that its name would match as a pattern are not read with it."""
    for name, step in (("w?.parquet", "a"), ("wx.parquet", "b")):
        pl.DataFrame(table({"step": step})).write_parquet(tmp_path / name)
    for name in ("w?.parquet", "w[x].parquet"):
        (tmp_path / "wx.parquet").with_name(name).write_bytes((tmp_path / "w?.parquet").read_bytes())

        result = merged(import_labels(tmp_path / name, "auto", "train"))

        assert [one.solution for one in result.solutions] == ["a"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"num_rollouts": 4}, "num_rollouts is 4, but num_correct is not given"),
        ({"num_correct": 0}, "num_correct is 0, but num_rollouts is not given"),
        ({"num_truncated": 1}, "num_truncated is 1, but num_rollouts is not given"),
        (
            {"num_rollouts": 4, "num_correct": 2, "num_truncated": 1},
            "value is 0.5, but num_correct is 2 of 3 decided rollouts",
        ),
        ({"value_low": 0.75}, "value is 0.5, below value_low, which is 0.75"),
        ({"value_high": 0.25}, "value is 0.5, above value_high, which is 0.25"),
        (
            {"rating": -1, "num_rollouts": 4, "num_correct": 2},
            "rating is -1, but num_correct is 2",
        ),
        (
            {"rating": None, "label": "-", "num_rollouts": 4, "num_correct": 2},
            "label is -1, but num_correct is 2",
        ),
        ({"num_rollouts": 2**31}, "num_rollouts is 2147483648, too large a number to store"),
        ({"num_rollouts": "-1"}, "num_rollouts is '-1', not a whole number from 0 on"),
        ({"duration_ms": str(2**63)}, "duration_ms is '9223372036854775808', too large a number to store"),
        ({"duration_ms": -1}, "duration_ms is -1, not a whole number from 0 on"),
    ],
)
def test_numbers_of_tables_that_contradict_or_cannot_be_are_refused(
    tmp_path: Path, change: Row, reason: str
) -> None:
    """The reason names both values, and says too large of what is."""
    result = imported(tmp_path, *table(change))

    assert [(item.line, item.reason) for item in result.rejects] == [(1, reason)]


def test_the_largest_numbers_are_read_as_texts_too(tmp_path: Path) -> None:
    """They are as long as a number that the store holds."""
    largest = {"duration_ms": str(2**63 - 1), "cost_tokens": str(2**63 - 1), "labeler": "ann"}
    result = imported(tmp_path, *table(largest))

    assert [label.duration_ms for label in result.human_labels] == [2**63 - 1]
    assert [label.cost_tokens for label in result.step_labels] == [2**63 - 1]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_told_by_its_columns_and_lines_are_those_of_the_file(tmp_path: Path, delimiter: str) -> None:
    """A cell over several lines moves the line numbers of what follows; a BOM and CRLF change nothing."""
    rows = [
        ["solution_id", "problem", "step_index", "step", "rating"],
        ["x", "Q", "0", '"a\r\nb"', "1"],
        ["y", "Q", "0", "c", "7"],
    ]
    path = tmp_path / "labels.txt"
    path.write_text("\r\n".join(delimiter.join(row) for row in rows), encoding="utf-8-sig", newline="")

    result = merged(import_labels(path, "auto", "train"))

    assert [one.solution for one in result.solutions] == ["a\r\nb"]
    assert [item.line for item in result.rejects] == [4]


@pytest.mark.parametrize("header", ["solution_id,problem\rx,Q\r", '"solution_id\r,problem'])
def test_a_header_that_is_no_csv_is_refused_with_its_line(tmp_path: Path, header: str) -> None:
    """Line ends of old machines, a quote that is not closed: the file is taken for JSON, and is none."""
    path = tmp_path / "labels.csv"
    path.write_text(header, newline="")

    result = merged(import_labels(path, "table", "train"))

    assert (result.solutions, [one.line for one in result.rejects]) == ([], [1])


def test_a_cell_may_be_as_long_as_a_text_in_json(tmp_path: Path) -> None:
    """A long solution is no reason to lose its step."""
    path = tmp_path / "labels.csv"
    path.write_text(f"solution_id,problem,step_index,step,rating\nx,Q,0,{'a' * 200_000},1\n")

    assert ratings(merged(import_labels(path, "auto", "train"))) == [(0, 1)]


def test_parquet_is_told_by_its_bytes_and_lines_are_its_rows(tmp_path: Path) -> None:
    """Whole numbers that became floats beside a null are read as what they were."""
    path = tmp_path / "labels"
    rows = table({"rating": 1.0}, {"solution_id": "y", "step": "b", "rating": 0.5})
    pl.DataFrame(rows).write_parquet(path)

    result = merged(import_labels(path, "auto", "train"))

    assert ratings(result) == [(0, 1)]
    assert [(item.line, item.reason) for item in result.rejects] == [
        (2, "rating is 0.5, not -1, 0, 1 or null")
    ]
