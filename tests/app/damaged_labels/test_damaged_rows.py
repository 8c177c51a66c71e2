"""Damaged rows of each format: the row is refused by its line, and its neighbours are stored."""

import json
from pathlib import Path

import pytest

from stepmark.store.auditing import run_audits
from stepmark.store.store import Store

from .conftest import Row, changed, import_file, numbered, valid

pytestmark = pytest.mark.slow


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
