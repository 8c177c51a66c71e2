"""The smaller label formats: what a row means, which rows are refused, and the real samples."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.reading import LabelImport, merged
from stepmark.labeling.formats.registry import FORMATS, detect_format, import_labels
from stepmark.labeling.ids import problem_id

Row = dict[str, Any]
PROCESSBENCH: Row = {
    "id": "gsm8k-0",
    "generator": "a-model",
    "problem": "How many?",
    "steps": ["a", "b\nb", "c"],
    "final_answer_correct": True,
    "label": 1,
}
TRL: Row = {"prompt": "How many?", "completions": ["a", " b"], "labels": [True, False]}
SHEPHERD: Row = {
    "input": "How many? Step 1: 3 + 5 = 8. ки\nStep 2: The answer is: 8 ки",
    "label": "How many? Step 1: 3 + 5 = 8. +\nStep 2: The answer is: 8 -",
    "task": "GSM8K",
}
STEPMARK: Row = {"problem": "How many?", "steps": ["a", "b"], "label_source": "ben", "ratings": [0, None]}


def omega(*nodes: tuple[str, float]) -> Row:
    """An OmegaPRM row of these prefixes and values."""
    steps = [{"solution_prefix": prefix, "mc_value": value} for prefix, value in nodes]
    return {"question": "How many?", "final_answer": "8", "reasoning_steps": steps}


def chat(*turns: tuple[str, str], key: str = "messages") -> Row:
    """An RLHFlow row of steps with their signs."""
    messages = []
    for step, sign in turns:
        messages += [{"role": "user", "content": step}, {"role": "assistant", "content": sign}]
    return {key: messages}


RLHFLOW = chat(("How many? Step 1: 3 + 5 = 8.", "+"), ("Step 2: The answer is 8", "-"))
OMEGA = omega(("How many?", 0.5), ("How many?\n\na", 1.0))


def imported(tmp_path: Path, *rows: Row, label_format: str = "auto", **options: Any) -> LabelImport:
    """These rows written and imported."""
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return merged(import_labels(path, label_format, "train", **options))


def ratings(result: LabelImport) -> list[tuple[int, int | None]]:
    """Step index and rating of the step labels."""
    return [(label.step_index, label.rating) for label in result.step_labels]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (1, [(0, 1), (1, -1)]),
        (0, [(0, -1)]),
        (2, [(0, 1), (1, 1), (2, -1)]),
        (-1, [(0, 1), (1, 1), (2, 1)]),
    ],
)
def test_processbench_counts_steps_from_0(
    tmp_path: Path, label: int, expected: list[tuple[int, int]]
) -> None:
    """Steps before the first error are right, it is wrong, and later ones have no label; -1 is no error."""
    assert ratings(imported(tmp_path, PROCESSBENCH | {"label": label})) == expected


def test_processbench_keeps_outcome_and_generator(tmp_path: Path) -> None:
    """A right final answer after a wrong step stays a correct outcome; without the field it is unknown."""
    result = imported(
        tmp_path, PROCESSBENCH, {**PROCESSBENCH, "steps": ["x", "y"], "final_answer_correct": None}
    )

    assert [(s.solution, s.outcome, s.generator) for s in result.solutions] == [
        ("a\nb\nb\nc", "correct", "a-model"),
        ("x\ny", None, "a-model"),
    ]
    assert [span.step for span in result.solutions[0].steps] == ["a", "b\nb", "c"]
    assert result.problems[0].ground_truth_answer is None


def test_trl_labels_become_ratings(tmp_path: Path) -> None:
    """True is 1 and false is -1; completions keep their blanks and are joined by newlines."""
    result = imported(tmp_path, TRL)

    assert ratings(result) == [(0, 1), (1, -1)]
    assert result.solutions[0].solution == "a\n b"
    assert {label.label_source for label in result.step_labels} == {"trl"}


def test_math_shepherd_parts_problem_steps_and_signs(tmp_path: Path) -> None:
    """The tags go, the step numbers stay, and the value behind a sign is unknown."""
    result = imported(tmp_path, SHEPHERD)

    assert result.problems[0].problem == "How many?"
    assert result.solutions[0].solution == "Step 1: 3 + 5 = 8.\nStep 2: The answer is: 8"
    assert ratings(result) == [(0, 1), (1, -1)]
    assert {label.value for label in result.step_labels} == {None}


@pytest.mark.parametrize("key", ["messages", "conversations"])
def test_rlhflow_parts_the_first_message_at_step_1(tmp_path: Path, key: str) -> None:
    """Both names of the list are read."""
    result = imported(tmp_path, {key: RLHFLOW["messages"]})

    assert result.problems[0].problem == "How many?"
    assert [span.step for span in result.solutions[0].steps] == [
        "Step 1: 3 + 5 = 8.",
        "Step 2: The answer is 8",
    ]
    assert ratings(result) == [(0, 1), (1, -1)]


def test_rlhflow_parts_the_first_message_after_a_known_problem(tmp_path: Path) -> None:
    """The longest problem that the message begins with counts, white space aside."""
    known = ["How  many\napples? ", "How many"]
    result = imported(tmp_path, chat(("How many apples? There are 3.", "+")), known_problems=known)

    assert problem_id(result.problems[0].problem) == problem_id("How  many\napples?")
    assert result.solutions[0].solution == "There are 3."


@pytest.mark.parametrize(
    ("given", "known", "why"),
    [
        ({}, [], "no problem is known; ingest the problems first"),
        ({}, ["How many pears?", "How many apples? There are 3."],
         "it is none of the 2 known problems and a step after it; ingest its problem first"),
        ({"problem": "How many pears?"}, ["How many apples?"],
         "it is not the problem that the row gives and a step after it; correct either"),
    ],
)  # fmt: skip
def test_rlhflow_says_why_it_cannot_part_a_message(
    tmp_path: Path, given: Row, known: list[str], why: str
) -> None:
    """Nothing to look in, nothing that fits, or another problem in the row itself."""
    result = imported(tmp_path, chat(("How many apples? There are 3.", "+")) | given, known_problems=known)

    assert [item.reason for item in result.rejects] == [
        "the first message is 'How many apples? There are 3.': where the problem ends is not marked by "
        f'"Step 1:", and {why}'
    ]


def test_omegaprm_trees_become_solutions_of_their_leaves(tmp_path: Path) -> None:
    """Each leaf is a solution; its steps are the pieces between prefixes, with the prefixes' mean values."""
    result = imported(
        tmp_path,
        omega(
            ("How many?", 0.5),
            ("How many?\n\nb", 1.0),
            ("How many?\n\na\n\na2", 0.0),
            ("How many?\n\na", 0.25),
            ("How many?\n\na\n\na3", 1.0),
            ("How many?\n\na", 0.75),
            ("How many?\n\na\n\na33", 1.0),
        ),
    )

    labels = {(label.solution_id, label.step_index): label for label in result.step_labels}
    values = {
        solution.solution: [labels[solution.solution_id, index].value for index in range(len(solution.steps))]
        for solution in result.solutions
    }
    assert values == {"a\na2": [0.5, 0.0], "a\na3": [0.5, 1.0], "a\na33": [0.5, 1.0], "b": [1.0]}
    assert {(label.rating, label.num_rollouts) for label in result.step_labels} == {(None, None)}
    assert result.problems[0].ground_truth_answer == "8"
    assert result.counts["lines"] == result.counts["accepted"] == 1


def test_the_own_format_names_its_label_source(tmp_path: Path) -> None:
    """Ratings, values or both are read; a step with neither has no label."""
    result = imported(
        tmp_path, STEPMARK, STEPMARK | {"label_source": "mc", "values": [0.5, 1], "ratings": None}
    )

    assert [(s.label_source, s.step_index, s.rating, s.value) for s in result.step_labels] == [
        ("ben", 0, 0, None),
        ("mc", 0, None, 0.5),
        ("mc", 1, None, 1.0),
    ]
    assert len(result.solutions) == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (PROCESSBENCH | {"label": 3}, "label is 3, not -1 or the 0-based index of one of 3 steps"),
        (PROCESSBENCH | {"label": "b"}, "label is 'b', not -1 or the 0-based index of one of 3 steps"),
        (PROCESSBENCH | {"label": True}, "label is True, not -1 or the 0-based index of one of 3 steps"),
        (PROCESSBENCH | {"steps": [], "label": -1}, "steps is empty: there is no step to label"),
        (PROCESSBENCH | {"final_answer_correct": 1}, "final_answer_correct is 1, not true, false or null"),
        (TRL | {"labels": [True]}, "labels has 1 entries for 2 steps"),
        (TRL | {"labels": [True, 0]}, "labels[1] is 0, not true or false"),
        (TRL | {"completions": ["a", " "]}, "completions[1] is ' ', not the text of a step"),
        (TRL | {"prompt": [{"role": "user"}]}, "prompt is [{'role': 'user'}], not text"),
        (SHEPHERD | {"input": "How many?"}, "input holds no step tag 'ки'"),
        (
            SHEPHERD | {"input": SHEPHERD["input"] + "\nStep 3: done"},
            "input ends in 'Step 3: done', a step without the tag 'ки'",
        ),
        (
            SHEPHERD | {"label": SHEPHERD["label"][:-1] + "8"},
            "label does not follow input up to its tag 2 with + or - in its place",
        ),
        (SHEPHERD | {"label": SHEPHERD["label"] + " +"}, "label goes on after the last tag of input: '+'"),
        (
            {"input": "How many? 8 ки", "label": "How many? 8 +"},
            'input holds no "Step 1:" to tell where the problem ends',
        ),
        (
            {"input": "How? Step 1: a\nStep 2: b ки", "label": "How? Step 1: a\nStep 2: b +"},
            "the text before tag 1 is 'Step 1: a\\nStep 2: b', not one step",
        ),
        (chat(("How? Step 1: a", "1")), "messages[1].content is '1', not + or -"),
        (
            {"messages": RLHFLOW["messages"][:3]},
            "messages has 3 entries, not a step and a sign in turn",
        ),
        (
            {"messages": RLHFLOW["messages"][1:3]},
            "messages[0] is {'role': 'assistant', 'content': '+'}, not a message of role user",
        ),
        (omega(("How many?", 0.5)), "reasoning_steps holds no step, only the question"),
        (omega(("Why?", 0.5)), "reasoning_steps[0].solution_prefix does not begin with the question"),
        (
            omega(("How many? a", 1.5)),
            "reasoning_steps[0].mc_value is 1.5, not a number from 0 to 1 or null",
        ),
        (STEPMARK | {"ratings": [1]}, "ratings has 1 entries for 2 steps"),
        (STEPMARK | {"ratings": [1, 2]}, "ratings[1] is 2, not -1, 0, 1 or null"),
        (STEPMARK | {"ratings": [None, None]}, "neither ratings nor values nor estimates label any step"),
        (
            STEPMARK | {"outcome": "right"},
            "outcome is 'right', none of correct, incorrect, no_answer, truncated, grader_timeout",
        ),
    ],
)
def test_a_row_whose_labels_are_in_doubt_is_refused(tmp_path: Path, row: Row, reason: str) -> None:
    """Fewer labels than steps, signs that are none and indices out of range name what was found."""
    result = imported(tmp_path, row)

    assert [(item.line, item.reason) for item in result.rejects] == [(1, reason)]
    assert (result.counts["lines"], result.counts["rejected"], len(result.solutions)) == (1, 1, 0)


def test_the_same_file_twice_over_is_duplicates(tmp_path: Path) -> None:
    """Every format tells a repeated row; one with other labels for the same solution is refused."""
    result = imported(tmp_path, PROCESSBENCH, PROCESSBENCH, PROCESSBENCH | {"label": -1})

    assert [item.reason for item in result.duplicates] == ["duplicate of line 1: the same labels"]
    assert [item.reason for item in result.rejects] == [
        "processbench rated this solution differently in line 1; the first rating stays"
    ]


def test_chunks_hold_each_row_once(tmp_path: Path) -> None:
    """A problem comes with the first chunk that needs it, and the counts add up."""
    path = tmp_path / "labels.jsonl"
    rows = [PROCESSBENCH | {"steps": [f"{index}", "b"]} for index in range(5)]
    path.write_text("\n".join(json.dumps(row) for row in rows))

    chunks = list(import_labels(path, "auto", "test", chunk_lines=2))

    assert [chunk.counts["lines"] for chunk in chunks] == [2, 2, 1]
    assert [len(chunk.problems) for chunk in chunks] == [1, 0, 0]
    assert [len(chunk.solutions) for chunk in chunks] == [2, 2, 1]
    assert chunks[0].problems[0].split == "test"
    assert merged(chunks).counts == {"lines": 5, "accepted": 5, "steps": 10, "step_labels": 10}


@pytest.mark.parametrize(
    ("row", "label_format"),
    [
        ({"question": {"problem": "?"}, "label": {"steps": []}}, "prm800k"),
        (SHEPHERD, "math-shepherd"),
        (TRL, "trl"),
        (PROCESSBENCH, "processbench"),
        (RLHFLOW, "rlhflow"),
        (OMEGA, "omegaprm"),
        (STEPMARK, "stepmark"),
    ],
)
def test_a_format_is_told_by_its_first_object(tmp_path: Path, row: Row, label_format: str) -> None:
    """A damaged first line does not hide the format."""
    path = tmp_path / "file.txt"
    path.write_text('{"torn\n' + json.dumps(row, indent=1))

    assert detect_format(path) == label_format
    assert label_format in FORMATS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"b": 1, "a": 2}', "line 1: no label format has the keys a, b; name one with --format"),
        (
            '{"problem": "?", "solution": "!"}',
            "line 1: this is a problem, not a labeled solution; use stepmark ingest",
        ),
        ("", "the file holds no JSON object"),
    ],
)
def test_an_unknown_format_names_the_keys_it_has(tmp_path: Path, content: str, message: str) -> None:
    """The error says what was seen and what to do."""
    path = tmp_path / "labels.jsonl"
    path.write_text(content)

    with pytest.raises(InputError, match=message):
        detect_format(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_format": "csv", "split": "train"}, "format 'csv' is unknown; choose auto or prm800k, "),
        ({"label_format": "trl", "split": "dev"}, "split is 'dev'; give train or test"),
    ],
)
def test_unknown_formats_and_splits_are_input_errors(
    tmp_path: Path, options: dict[str, str], message: str
) -> None:
    """Both are refused before anything is read."""
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(TRL))

    with pytest.raises(InputError, match=message):
        list(import_labels(path, **options))


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
