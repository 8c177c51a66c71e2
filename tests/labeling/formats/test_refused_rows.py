"""Rows of the smaller label formats that are refused, and rows that come twice."""

from pathlib import Path

import pytest

from .label_rows import PROCESSBENCH, RLHFLOW, SHEPHERD, STEPMARK, TRL, Row, chat, imported, omega


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
