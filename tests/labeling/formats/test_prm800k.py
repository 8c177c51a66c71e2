"""PRM800K, both phases: its peculiarities on small rows, and the real files against a separate count."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepmark.labeling.formats.alternatives import AlternativeSolutions
from stepmark.labeling.formats.reading import LabelImport, merged
from stepmark.labeling.formats.registry import import_labels
from stepmark.labeling.steps import StepSpan

Row = dict[str, Any]


def step(*rated: tuple[str, int | None], chosen: int | None = 0, human: str | None = None) -> Row:
    """A labeled step with these completions, none of them flagged either way."""
    return {
        "completions": [{"text": text, "rating": rating, "flagged": None} for text, rating in rated],
        "human_completion": human and {"text": human, "rating": None, "source": "human", "flagged": False},
        "chosen_completion": chosen,
    }


def row(*steps: Row, pre_generated: list[str] | None = None, **changes: object) -> Row:
    """A line of PRM800K: phase 1, or phase 2 where steps were generated before."""
    question: Row = {"problem": " What is $1+1$? ", "ground_truth_answer": "2"}
    if pre_generated is not None:
        question |= {"ground_truth_solution": "It is $2$.", "pre_generated_steps": pre_generated}
        question |= {"pre_generated_answer": "3", "pre_generated_verifier_score": 0.25}
    line: Row = {
        "labeler": "anna",
        "timestamp": "2022-07-30T23:23:32",
        "generation": None if pre_generated is None else 6,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": question,
        "label": {"steps": list(steps), "total_time": 5000, "finish_reason": "solution"},
    }
    return line | changes


def imported(tmp_path: Path, *rows: Row, chunk_lines: int = 1000) -> LabelImport:
    """These rows written and imported."""
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in rows))
    return merged(import_labels(path, "prm800k", "train", chunk_lines=chunk_lines))


def test_a_phase_1_solution_is_the_path_of_chosen_completions(tmp_path: Path) -> None:
    """The chosen texts are joined by newlines; the others are kept as alternatives."""
    result = imported(
        tmp_path, row(step(("a", -1), ("b", 1), chosen=1), step(("so 2\n\n# Answer\n\n2", 1), ("c", 0)))
    )

    [solution] = result.solutions
    assert solution.solution == "b\nso 2\n\n# Answer\n\n2"
    assert [span.step for span in solution.steps] == ["b", "so 2\n\n# Answer\n\n2"]
    assert solution.final_answer == "2"
    assert (solution.finish_reason, solution.outcome) == (None, None)
    assert [(label.step_index, label.rating, label.value) for label in result.step_labels] == [
        (0, 1, None),
        (1, 1, None),
    ]
    assert [
        (label.step_index, label.alternative_index, label.completion, label.rating, label.chosen)
        for label in result.human_labels
    ] == [
        (0, 0, "a", -1, False),
        (0, 1, "b", 1, True),
        (1, 0, "so 2\n\n# Answer\n\n2", 1, True),
        (1, 1, "c", 0, False),
    ]


def test_a_label_keeps_who_when_and_how_of_its_line(tmp_path: Path) -> None:
    """Every field of the line that describes the rating is a column."""
    [label] = imported(tmp_path, row(step(("2", 1)), generation=7)).human_labels

    assert (label.labeler, label.labeled_at, label.duration_ms) == ("anna", "2022-07-30T23:23:32", 5000)
    assert (label.phase, label.round, label.finish_reason) == (1, 7, "solution")
    assert (label.is_quality_control, label.is_screening, label.flagged) == (False, False, None)
    assert label.is_human_written is False


def test_a_problem_is_stripped_and_its_split_is_the_callers(tmp_path: Path) -> None:
    """The label file knows no split, subject or level."""
    [problem] = imported(tmp_path, row(step(("2", 1)))).problems

    assert problem.problem == "What is $1+1$?"
    assert (problem.source, problem.split, problem.subject, problem.level) == ("prm800k", "train", None, None)
    assert (problem.ground_truth_answer, problem.ground_truth_solution) == ("2", None)


def test_a_human_completion_is_on_the_path_where_none_was_chosen(tmp_path: Path) -> None:
    """It has the index after the others; its null rating is unknown, so its step has no StepLabel."""
    result = imported(tmp_path, row(step(("bad", -1), chosen=None, human="good"), step(("end", 1))))

    assert result.solutions[0].solution == "good\nend"
    assert [(label.step_index, label.rating) for label in result.step_labels] == [(1, 1)]
    written = result.human_labels[1]
    assert (written.completion, written.alternative_index, written.rating) == ("good", 1, None)
    assert (written.is_human_written, written.chosen, written.flagged) == (True, True, False)


def test_a_chosen_completion_goes_before_a_human_one(tmp_path: Path) -> None:
    """Two real steps have both; the half-written human text was not gone on from."""
    result = imported(tmp_path, row(step(("good", 1), human="The powers of x th"), step(("end", 1))))

    assert result.solutions[0].solution == "good\nend"
    assert [(label.completion, label.chosen) for label in result.human_labels][:2] == [
        ("good", True),
        ("The powers of x th", False),
    ]


def test_giving_up_leaves_alternatives_after_the_last_step(tmp_path: Path) -> None:
    """The last step of a give_up line is all null: unrated texts to a step that was never taken."""
    gave_up = row(step(("a", 1)), step(("b", None), ("c", None), chosen=None))
    gave_up["label"]["finish_reason"] = "give_up"

    result = imported(tmp_path, gave_up)

    assert result.solutions[0].solution == "a"
    assert [(label.step_index, label.rating, label.chosen) for label in result.human_labels] == [
        (0, 1, True),
        (1, None, False),
        (1, None, False),
    ]
    assert len(result.step_labels) == 1


def test_a_phase_2_solution_is_whole_and_labeled_up_to_its_error(tmp_path: Path) -> None:
    """The steps after the found error are steps without a label."""
    result = imported(
        tmp_path,
        row(step(("a", 1)), step(("b", -1), ("b2", 1), chosen=None), pre_generated=["a", "b", "c"]),
    )

    assert result.solutions[0].solution == "a\nb\nc"
    assert result.solutions[0].final_answer == "3"
    assert [(label.step_index, label.rating) for label in result.step_labels] == [(0, 1), (1, -1)]
    assert {label.phase for label in result.human_labels} == {2}
    assert result.problems[0].ground_truth_solution == "It is $2$."


def test_equal_texts_with_different_ratings_are_both_kept(tmp_path: Path) -> None:
    """In a phase 2 step the first of them is the pre-generated one."""
    result = imported(tmp_path, row(step(("a", -1), ("a", 0), chosen=None), pre_generated=["a", "b"]))

    assert [label.rating for label in result.human_labels] == [-1, 0]
    assert [label.rating for label in result.step_labels] == [-1]


def test_a_time_of_less_than_0_is_refused(tmp_path: Path) -> None:
    """No format takes one."""
    line = row(step(("2", 1)))
    line["label"]["total_time"] = -5
    result = imported(tmp_path, line)

    assert [item.reason for item in result.rejects] == ["label.total_time is -5, and no time is less than 0"]


def test_unknown_keys_and_missing_ones_are_tolerated(tmp_path: Path) -> None:
    """Rebuilt files lack labeler and times and add an error_reason; what lacks is unknown, not a default."""
    line = row(step(("2", 1)))
    for key in ("labeler", "timestamp", "is_quality_control_question", "is_initial_screening_question"):
        del line[key]
    del line["label"]["total_time"]
    line["label"]["steps"][0]["completions"][0]["error_reason"] = "arithmetic"

    [label] = imported(tmp_path, line).human_labels

    assert label.labeler == "unknown"
    assert (label.labeled_at, label.duration_ms) == (None, None)
    assert (label.is_quality_control, label.is_screening) == (None, None)


@pytest.mark.parametrize(
    ("flag", "count"),
    [
        ("is_quality_control_question", "quality_control"),
        ("is_initial_screening_question", "screening"),
    ],
)
def test_questions_that_test_the_labelers_are_kept_out_of_training(
    tmp_path: Path, flag: str, count: str
) -> None:
    """They stay in the human labels, flagged and counted, and give neither step labels nor examples."""
    result = imported(tmp_path, row(step(("a", 1), ("b", -1)), **{flag: True}))

    assert len(result.human_labels) == 2
    assert result.step_labels == []
    assert AlternativeSolutions().of_chunk(result).solutions == []
    assert result.counts[count] == 1


@pytest.mark.parametrize("chunk_lines", [1, 1000])
def test_a_line_that_repeats_another_is_a_duplicate(tmp_path: Path, chunk_lines: int) -> None:
    """It is reported with the line it repeats, whether or not that was in the same chunk."""
    result = imported(tmp_path, row(step(("a", 1))), row(step(("a", 1))), chunk_lines=chunk_lines)

    assert [(item.line, item.reason) for item in result.duplicates] == [
        (2, "duplicate of line 1: the same labels")
    ]
    assert (result.counts["lines"], result.counts["accepted"], result.counts["duplicates"]) == (2, 1, 1)
    assert len(result.human_labels) == 1


def test_a_labeler_who_changes_their_mind_is_refused(tmp_path: Path) -> None:
    """One labeler has one rating of a step; the second line is refused, not merged."""
    result = imported(tmp_path, row(step(("a", 1))), row(step(("a", 0))))

    assert [(item.line, item.reason) for item in result.rejects] == [
        (2, "anna rated this solution differently in line 1; the first rating stays")
    ]


def test_two_labelers_share_a_solution(tmp_path: Path) -> None:
    """Both ratings are kept, and what both say of the solution's own steps, the first labeler's first."""
    first, second = (
        row(step(("a", 1)), step(("b", None))),
        row(step(("a", -1)), step(("b", 0)), labeler="ben"),
    )

    result = imported(tmp_path, first, second)

    assert len(result.problems) == len(result.solutions) == 1
    assert [(label.labeler, label.rating) for label in result.human_labels] == [
        ("anna", 1),
        ("anna", None),
        ("ben", -1),
        ("ben", 0),
    ]
    assert [(label.step_index, label.rating) for label in result.step_labels] == [(0, 1), (0, -1), (1, 0)]


def refused(line: Row, path: str, value: object) -> Row:
    """The line with the value at this path of keys and indices replaced."""
    target: Any = line
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    for part in parents:
        target = target[part]
    target[last] = value
    return line


FIRST, GENERATED = "label.steps[0]", "question.pre_generated_steps"
NO_RATING, NO_BOOL = "not -1, 0, 1 or null", "not true, false or null"
NO_INT, STEPS_FOLLOW = "not a whole number or null", "although steps follow it"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("question", None, "question is None, not an object"),
        ("question/problem", " ", "question.problem is blank"),
        ("question/ground_truth_answer", 2, "question.ground_truth_answer is 2, not text"),
        ("label/steps", {}, "label.steps is {}, not a list"),
        ("label/steps", [], "label.steps is empty: nothing is rated"),
        ("label/steps/0", "a", "label.steps[0] is 'a', not an object"),
        ("label/steps/0/completions", [], f"{FIRST}.chosen_completion is 0, but there are 0 completions"),
        ("label/steps/0/completions/0", "a", f"{FIRST}.completions[0] is 'a', not an object"),
        ("label/steps/0/completions/0/text", "", f"{FIRST}.completions[0].text is blank"),
        ("label/steps/0/completions/0/rating", 2, f"{FIRST}.completions[0].rating is 2, {NO_RATING}"),
        ("label/steps/0/completions/0/rating", True, f"{FIRST}.completions[0].rating is True, {NO_RATING}"),
        ("label/steps/0/completions/0/flagged", 0, f"{FIRST}.completions[0].flagged is 0, {NO_BOOL}"),
        (
            "label/steps/0/chosen_completion",
            1,
            f"{FIRST}.chosen_completion is 1, but there are 1 completions",
        ),
        ("label/steps/0/chosen_completion", "0", f"{FIRST}.chosen_completion is '0', {NO_INT}"),
        ("label/steps/0/chosen_completion", None, f"{FIRST} has no chosen completion {STEPS_FOLLOW}"),
        ("question/pre_generated_steps", ["a"], "label.steps has 2 entries for 1 pre-generated steps"),
        ("question/pre_generated_steps", ["a", "x"], f"label.steps[1] rates other texts than {GENERATED}[1]"),
        ("question/pre_generated_steps", ["a", ""], f"{GENERATED}[1] is '', not the text of a step"),
    ],
)
def test_a_line_that_cannot_be_understood_is_refused_with_the_place(
    tmp_path: Path, path: str, value: object, reason: str
) -> None:
    """The reason names the field as a path, and the value."""
    line = refused(row(step(("a", 1)), step(("b", 1))), path, value)

    result = imported(tmp_path, row(step(("first", 1))), line)

    assert [(item.line, item.reason) for item in result.rejects] == [(2, reason)]
    assert (result.counts["accepted"], result.counts["rejected"]) == (1, 1)


def test_a_line_without_any_taken_step_is_refused(tmp_path: Path) -> None:
    """Twelve real lines consist of unrated texts for a first step."""
    result = imported(tmp_path, row(step(("a", None), ("b", None), chosen=None)))

    assert [item.reason for item in result.rejects] == [
        "no step was chosen or written: there is no solution to label"
    ]


def test_alternatives_are_examples_of_their_own(tmp_path: Path) -> None:
    """A prefix of the path, another next step and its rating; nulls and repeats are left out, and of one with
    two ratings it is told.
    """
    result = imported(
        tmp_path,
        row(
            step(("a", 1)),
            step(("b", 1), (" bad ", -1), ("bad", -1), ("bad", 0), ("b", 0), ("?", None)),
            step(("c", 0), chosen=None),
        ),
    )

    alternatives = AlternativeSolutions()
    given = alternatives.of_chunk(result)

    assert [(one.solution, one.first_step_index, one.steps) for one in given.solutions] == [
        ("a\nbad", 1, (StepSpan(2, 5, "bad"),)),
        ("a\nb\nc", 2, (StepSpan(4, 5, "c"),)),
    ]
    said = [(one.step_index, one.rating) for one in given.rated_alternatives]
    assert said == [(1, -1), (1, -1), (1, 0), (2, 0)]


def raw_counts(rows: list[Row]) -> Counter[str]:
    """What a LabelImport should count over these rows, from the JSON alone."""
    counts: Counter[str] = Counter(lines=len(rows), accepted=len(rows))
    for line in rows:
        phase = 2 if "pre_generated_steps" in line["question"] else 1
        for labeled in line["label"]["steps"]:
            counts["steps"] += 1
            for completion in [*labeled["completions"], labeled["human_completion"]]:
                if completion is not None:
                    rating = "null" if completion["rating"] is None else completion["rating"]
                    counts[f"phase_{phase}_rating_{rating}"] += 1
                    counts["completions"] += 1
            counts["human_written"] += labeled["human_completion"] is not None
        counts["screening"] += bool(line.get("is_initial_screening_question"))
    return counts


def raw_path_ratings(line: Row) -> Iterator[int]:
    """The ratings of the solution's own steps, from the JSON alone."""
    for labeled in line["label"]["steps"]:
        chosen = labeled["chosen_completion"]
        if chosen is None and "pre_generated_steps" in line["question"]:
            chosen = 0
        if chosen is not None:
            yield labeled["completions"][chosen]["rating"]


def beside(line: Row) -> Iterator[tuple[tuple[str, str], int]]:
    """The rated texts beside the path of a phase 1 line, each with problem and path, from the JSON alone."""
    problem, path = line["question"]["problem"].strip(), ""
    for labeled in line["label"]["steps"]:
        chosen, written = labeled["chosen_completion"], labeled["human_completion"]
        taken = written if chosen is None else labeled["completions"][chosen]
        for completion in [*labeled["completions"], *([written] if written else [])]:
            text = completion["text"].strip()
            if completion["rating"] is not None and not (taken and text == taken["text"].strip()):
                yield (problem, path + text), completion["rating"]
        path += f"{taken['text'].strip()}\n" if taken else ""


Rebuilt = tuple[list[Row], LabelImport]


@pytest.fixture(scope="module")
def rebuilt(real_data: Path) -> Rebuilt:
    """The 942 lines of phase 1, as JSON and as imported."""
    path = real_data / "prm800k" / "phase1_train_reconstructed.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return rows, merged(import_labels(path, "prm800k", "train"))


def test_the_eleven_published_lines_are_imported_whole(real_data: Path) -> None:
    """Both phases, six generations, a screening line and a give_up; every count equals that over the JSON."""
    path = real_data / "prm800k" / "raw_lines.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]

    result = merged(import_labels(path, "prm800k", "train"))

    counts = dict(result.counts)
    assert counts.pop("step_labels") == sum(len(list(raw_path_ratings(line))) for line in rows[:10]) == 75
    assert counts == raw_counts(rows)
    assert (counts["lines"], counts["steps"], counts["completions"]) == (11, 101, 250)
    assert counts["human_written"] == 13
    assert (result.rejects, result.duplicates) == ([], [])
    assert len(result.solutions) == 11
    assert len({solution.problem_id for solution in result.solutions}) == len(result.problems) == 7
    assert {label.round for label in result.human_labels} == {None, 6, -1}


def test_every_rebuilt_line_is_imported_a_duplicate_or_refused(rebuilt: Rebuilt) -> None:
    """Of 942 lines 888 are new, 42 repeat one but for error_reason, 12 hold no step taken."""
    rows, result = rebuilt

    refused_lines = {item.line for item in [*result.rejects, *result.duplicates]}
    kept = [line for number, line in enumerate(rows, 1) if number not in refused_lines]
    counts = dict(result.counts)
    assert (counts.pop("lines"), counts.pop("rejected"), counts.pop("duplicates")) == (942, 12, 42)
    assert counts.pop("step_labels") == sum(1 for line in kept for _ in raw_path_ratings(line)) == 12_187
    assert Counter(counts) + Counter(lines=888) == raw_counts(kept)
    assert (counts["accepted"], counts["steps"], counts["completions"]) == (888, 14_274, 47_136)
    assert {label.labeler for label in result.human_labels} == {"unknown"}


def test_refused_lines_hold_no_rating_and_duplicates_the_same_ones(rebuilt: Rebuilt) -> None:
    """Nothing anybody rated is lost with the 54 lines that are not imported."""
    rows, result = rebuilt

    def ratings(number: int) -> list[tuple[str, int | None]]:
        steps = rows[number - 1]["label"]["steps"]
        return [(c["text"], c["rating"]) for labeled in steps for c in labeled["completions"]]

    assert {rating for item in result.rejects for _, rating in ratings(item.line or 0)} == {None}
    for item in result.duplicates:
        assert item.line is not None
        first = int(item.reason.split("line ")[1].split(":")[0])
        assert ratings(item.line) == ratings(first)


def test_every_span_of_the_real_solutions_gives_its_step(real_data: Path) -> None:
    """Spans cover the solution, and their text is the chosen completion, newlines inside included."""
    result = merged(import_labels(real_data / "prm800k" / "raw_lines.jsonl", "prm800k", "train"))

    steps = [(one.solution, span) for one in result.solutions for span in one.steps]
    assert len(steps) == 191
    assert all(text[span.char_start : span.char_end].strip() == span.step for text, span in steps)
    assert sum("\n" in span.step for _, span in steps) > 0


def test_real_alternatives_give_more_examples_than_the_paths(rebuilt: Rebuilt) -> None:
    """Beside 12,187 rated steps on the paths stand some 30,700 rated alternatives, each with its path."""
    rows, result = rebuilt
    alternatives = AlternativeSolutions()

    given = alternatives.of_chunk(result)

    refused_lines = {item.line for item in [*result.rejects, *result.duplicates]}
    told = {
        rating_of
        for number, line in enumerate(rows, 1)
        if number not in refused_lines
        for rating_of in beside(line)
    }
    assert len(given.solutions) == len({text for text, _ in told}) > 30_000
    assert len({(one.solution_id, one.rating) for one in given.rated_alternatives}) == len(told)
