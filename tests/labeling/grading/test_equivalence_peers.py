"""Equivalence beside others' verdicts: what peers' tests assert, and what ProcessBench's people found."""

import json
from pathlib import Path

import pytest

from stepmark.labeling.grading import Grader
from stepmark.labeling.grading.extracting.final_answers import final_answer

pytestmark = pytest.mark.slow

# Where a peer's test asserts something else, and why the truth stays with us. Line numbers of the file.
PEERS_ARE_WRONG = {
    19: "9 is 9; its regular expression for inline formulas stops at a newline",
    20: "9 is 9; the same",
    247: "(2,1) and (1,2) are different points; the peer was told to compare as sets",
}

NOT_AGREED = {
    72: "the ground truth says that 1 = 0; the peer takes the last side, we call it no definition",
    89: "0.33 is not 1/3; the peer was told to round to 2 digits",
    118: "the ground truth is Python source text in place of a number",
}


def test_peers_cases_agree(real_data: Path, grader: Grader) -> None:
    """251 of the 257 pairs that peers' tests hold get the peers' verdict; the six others are explained."""
    cases = [
        json.loads(line)
        for line in (real_data / "graders/peer_cases.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    texts = [[None if c[key] is None else str(c[key]) for key in ("gold", "pred")] for c in cases]

    verdicts = grader.grade([(truth or "", answer) for truth, answer in texts])

    disagreed = {
        number
        for number, (case, verdict) in enumerate(zip(cases, verdicts, strict=True), start=1)
        if (verdict == "equal") != case["equal"]
    }
    assert len(cases) == 257
    assert disagreed == PEERS_ARE_WRONG.keys() | NOT_AGREED.keys()
    false_equals = {n for n in disagreed if verdicts[n - 1] == "equal"}
    assert false_equals == {19, 20}


def test_people_and_grader_agree_on_processbench(real_data: Path, grader: Grader) -> None:
    """Of 915 MATH solutions with a final answer, the verdicts agree with ProcessBench's on all but seven.

    In those seven the answer equals the ground truth: 7 and 7, 411/333 and 137/111, 23/2 and 11.5, ...
    """
    answers = {}
    for name in ("prm800k_split_train_12000.jsonl", "prm800k_split_test_500.jsonl"):
        for line in (real_data / "math" / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            answers[row["problem"].strip()] = row["answer"]
    text = (real_data / "step_labels/processbench_math.json").read_text(encoding="utf-8")
    solutions = json.loads(text) if text.startswith("[") else [json.loads(x) for x in text.splitlines()]
    stated = [(s, final_answer("\n\n".join(s["steps"]))) for s in solutions]
    graded = [(s, answer) for s, answer in stated if answer is not None]

    verdicts = grader.grade([(answers[s["problem"].strip()], answer) for s, answer in graded])

    disagreed = [
        (verdict, answer)
        for (s, answer), verdict in zip(graded, verdicts, strict=True)
        if (verdict == "equal") != s["final_answer_correct"]
    ]
    assert {verdict for verdict, _ in disagreed} == {"equal"}
    assert len(disagreed) == 7
