"""PRM800K's published and rebuilt files against a separate count over their JSON."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepmark.labeling.formats.alternatives import AlternativeSolutions
from stepmark.labeling.formats.reading import LabelImport, merged
from stepmark.labeling.formats.registry import import_labels

from .prm800k_rows import Row

pytestmark = pytest.mark.slow


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
