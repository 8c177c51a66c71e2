"""Published samples of the smaller label formats against counts over their JSON."""

import json
from collections import Counter
from pathlib import Path

import pytest

from stepmark.labeling.formats.reading import merged
from stepmark.labeling.formats.registry import import_labels


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("math_shepherd_samples.jsonl", {"lines": 7, "accepted": 7, "steps": 25, "step_labels": 25}),
        ("trl_stepwise_samples.jsonl", {"lines": 19, "accepted": 19, "steps": 32, "step_labels": 32}),
        ("omegaprm_samples.jsonl", {"lines": 3, "accepted": 3, "steps": 290, "step_labels": 290}),
        ("rlhflow_samples.jsonl", {"lines": 2, "rejected": 2}),
    ],
)
def test_real_samples_are_counted(real_data: Path, name: str, counts: dict[str, int]) -> None:
    """The two RLHFlow rows run problem and first step together without a mark, and are refused."""
    assert merged(import_labels(real_data / "step_labels" / name, "auto", "train")).counts == counts


def test_real_math_shepherd_signs_are_the_ratings(real_data: Path) -> None:
    """As many ratings of each kind as signs before a line's end."""
    path = real_data / "step_labels" / "math_shepherd_samples.jsonl"
    labels = [json.loads(line)["label"] for line in path.read_text().splitlines()]
    signs = Counter(line[-1] for label in labels for line in label.split("\n"))

    result = merged(import_labels(path, "auto", "train"))

    assert Counter(label.rating for label in result.step_labels) == {1: signs["+"], -1: signs["-"]}
    assert signs == {"+": 5, "-": 20}


def test_real_omegaprm_prefixes_all_appear(real_data: Path) -> None:
    """Every distinct prefix of the trees is the beginning of some solution, ending with a step."""
    path = real_data / "step_labels" / "omegaprm_samples.jsonl"
    prefixes = set()
    for row in map(json.loads, path.read_text().splitlines()):
        prefixes |= {
            node["solution_prefix"].removeprefix(row["question"]).strip() for node in row["reasoning_steps"]
        }

    result = merged(import_labels(path, "auto", "train"))

    def squeezed(text: str) -> str:
        return " ".join(text.split())

    ends = {squeezed(s.solution[: span.char_end]) for s in result.solutions for span in s.steps}
    assert ends == {squeezed(prefix) for prefix in prefixes} - {""}
    assert len(result.solutions) == 124


@pytest.mark.parametrize(
    ("name", "num_problems", "num_rows"),
    [("processbench_gsm8k", 375, 400), ("processbench_math", 955, 1000)],
)
def test_real_processbench_agrees_with_a_count_over_the_json(
    real_data: Path, name: str, num_problems: int, num_rows: int
) -> None:
    """First errors, right steps, outcomes and steps are those of the file."""
    path = real_data / "step_labels" / f"{name}.json"
    rows = json.loads(path.read_text())

    result = merged(import_labels(path, "auto", "test"))

    with_error = [row for row in rows if row["label"] >= 0]
    num_right = sum(row["label"] if row["label"] >= 0 else len(row["steps"]) for row in rows)
    assert (len(result.problems), len(result.solutions)) == (num_problems, num_rows)
    assert Counter(label.rating for label in result.step_labels) == {-1: len(with_error), 1: num_right}
    num_steps = sum(len(one.steps) for one in result.solutions)
    assert num_steps == result.counts["steps"] == sum(len(row["steps"]) for row in rows)
    assert Counter(s.outcome == "correct" for s in result.solutions) == Counter(
        row["final_answer_correct"] for row in rows
    )
    assert (result.rejects, result.duplicates) == ([], [])
