"""Math-verify as a second grader: its verdicts, its limits, and what counts as agreeing."""

import os
import threading

import pytest

from stepmark.labeling.grading import SecondGrader, auditor_name, is_agreeing
from stepmark.labeling.vocabulary import Verdict

PAIRS: list[tuple[tuple[str, str], Verdict]] = [
    (("73", "73"), "equal"),
    ((r"\frac{1}{2}", "0.5"), "equal"),
    (("2", "12"), "different"),
    ((r"\sin x", "9^{9^{9^{9}}} + x"), "timeout"),
    ((r"\ln 4", r"2\ln 2"), "equal"),
    (("5", "$$"), "unparsable"),
]


def test_pairs_are_judged_in_a_thread_and_no_process_is_left() -> None:
    """Math-verify's own timeouts would fail there; a pair without end costs its time and nothing else."""
    verdicts: list[Verdict] = []
    pids: list[int] = []

    def judge() -> None:
        with SecondGrader(time_limit_s=0.5, num_workers=1) as grader:
            verdicts.extend(grader.grade([pair for pair, _ in PAIRS]))
            pids.extend(grader.worker_pids)

    thread = threading.Thread(target=judge)
    thread.start()
    thread.join()

    assert verdicts == [expected for _, expected in PAIRS]
    assert len(pids) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@pytest.mark.parametrize(
    ("verdict", "auditor_verdict", "expected"),
    [
        ("equal", "equal", True),
        ("different", "different", True),
        ("different", "unparsable", True),
        ("unparsable", "different", True),
        ("equal", "different", False),
        ("equal", "unparsable", False),
        ("different", "equal", False),
        ("equal", "timeout", None),
        ("timeout", "equal", None),
    ],
)
def test_graders_agree_where_both_count_an_answer_as_right_or_both_do_not(
    verdict: Verdict, auditor_verdict: Verdict, expected: bool | None
) -> None:
    """Why an answer is not right is no disagreement, and out of time is no opinion."""
    assert is_agreeing(verdict, auditor_verdict) is expected


def test_the_auditor_is_named_with_its_version() -> None:
    """Another version may judge otherwise, and audits anew."""
    assert auditor_name().startswith("math-verify 0.9.")
