"""Views on the people who rate, worked out by hand, and on real lines beside a count of their own."""

import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.formats.registry import import_labels
from stepmark.store.labels.storing import store_labels
from stepmark.store.store import Store

_QUALITY = "num_compared, num_agreeing, num_checks, num_checks_compared, num_checks_agreeing"


@pytest.fixture
def rated(store: Store) -> Store:
    """One problem with two solutions that part after their first step, and who rated what.

    ann, bob and eve rated the first step in either solution; ann met it twice.
    """
    with store.transaction() as con:
        con.execute(
            "INSERT INTO problems (problem_id, source, split, problem, ground_truth_answer) "
            "VALUES ('p', 'm', 'train', 'Q', '1')"
        )
        con.execute(
            "INSERT INTO solutions (solution_id, problem_id, source, solution) "
            r"VALUES ('s', 'p', 'prm800k', E'a\nb'), ('t', 'p', 'prm800k', E'a\nc\n')"
        )
        con.execute(
            "INSERT INTO steps VALUES ('s', 0, 0, 2, 'a'), ('s', 1, 2, 3, 'b'), "
            "('t', 0, 0, 2, 'a'), ('t', 1, 2, 4, 'c')"
        )
        con.execute(
            "INSERT INTO human_labels (solution_id, step_index, alternative_index, labeler, completion, "
            "is_human_written, rating, is_screening, duration_ms) VALUES "
            "('s', 0, 0, 'ann', 'a', false, 1, false, 3000), ('s', 1, 0, 'ann', 'b', false, 0, false, 3000), "
            "('s', 1, 1, 'ann', ' d', false, -1, false, 3000), "
            "('s', 2, 0, 'ann', 'e', false, NULL, false, 3000), "
            "('t', 0, 0, 'ann', 'a', false, 1, false, 1000), "
            "('t', 0, 0, 'bob', 'a ', false, 1, true, NULL), ('t', 1, 0, 'bob', 'b', false, 1, true, NULL), "
            "('t', 1, 1, 'bob', 'd', false, -1, true, NULL), "
            "('t', 0, 0, 'eve', 'a', false, -1, false, 500), "
            "('t', 0, 0, 'unknown', 'a', false, -1, false, NULL)"
        )
    return store


def test_one_text_is_one_wherever_people_met_it(rated: Store) -> None:
    """The same problem, the same steps so far and the same next step, outer white space aside."""
    counts = rated.read(
        "SELECT num, count(*) FROM (SELECT count(*) AS num FROM text_ratings('keep') GROUP BY text_id) "
        "GROUP BY num ORDER BY num"
    )
    twice = rated.read("SELECT labeler, rating FROM text_ratings('keep') WHERE num_completions > 1")

    assert counts.rows() == [(1, 1), (2, 2), (4, 1)]  # e; b and d; a
    assert twice.rows() == [("ann", 1)]


def test_pairs_of_labelers_are_compared_on_what_both_rated(rated: Store) -> None:
    """Ann and bob: 1 and 1, 0 and 1, -1 and -1; by chance (1 * 2 + 1 * 0 + 1 * 1) / 9."""
    columns = "labeler, other_labeler, num_texts, num_problems, num_agreeing, chance_agreement, kappa"
    rows = rated.read(f"SELECT {columns} FROM labeler_agreement ORDER BY ALL").rows()

    assert [row[:5] for row in rows] == [
        ("ann", "bob", 3, 1, 2),
        ("ann", "eve", 1, 1, 0),
        ("bob", "eve", 1, 1, 0),
    ]
    assert rows[0][5:] == (pytest.approx(3 / 9), pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3)))


@pytest.mark.parametrize(
    ("neutral_as", "num_texts", "num_agreeing", "num_conflicts"),
    [("keep", 3, 2, 2), ("positive", 3, 3, 1), ("negative", 3, 2, 2), ("drop", 2, 2, 1)],
)
def test_a_neutral_rating_is_what_the_policy_says(
    rated: Store, neutral_as: str, num_texts: int, num_agreeing: int, num_conflicts: int
) -> None:
    """Ann's neutral b agrees with bob's right one where neutral is positive."""
    pair = rated.read(
        "SELECT num_texts, num_agreeing FROM labeler_agreement_under(?) WHERE labeler = 'ann' "
        "AND other_labeler = 'bob'",
        [neutral_as],
    )
    conflicts = rated.read("FROM conflicting_ratings_under(?)", [neutral_as])

    assert pair.rows() == [(num_texts, num_agreeing)]
    assert conflicts.height == num_conflicts


def test_an_unknown_policy_is_refused(rated: Store) -> None:
    """A misspelt policy must not read as one of the others."""
    with pytest.raises(StepmarkError, match="keep, positive, negative or drop"):
        rated.read("FROM text_ratings('positiv')")


def test_a_labeler_is_compared_with_most_of_the_others(rated: Store) -> None:
    """On a: ann against bob and eve is a tie; bob against ann and eve too; eve against two 1s is alone."""
    rows = rated.read(f"SELECT labeler, {_QUALITY} FROM labeler_quality ORDER BY ALL").rows()

    assert rows == [
        ("ann", 2, 1, 0, 0, 0),  # b against bob's 1, d against his -1
        ("bob", 2, 1, 3, 2, 1),
        ("eve", 1, 0, 0, 0, 0),
        ("unknown", 0, 0, 0, 0, 0),
    ]


def test_what_a_labeler_gave_and_how_long_it_took(rated: Store) -> None:
    """Ann: 3 steps in 3 s and 1 in 1 s; bob's times are not known, which is counted."""
    columns = (
        "labeler, num_solutions, num_steps, num_completions, num_unrated, num_contradictory, "
        "num_solutions_without_time, ms_per_step, median_ms_per_step, check_agreement"
    )
    rows = rated.read(f"SELECT {columns} FROM labeler_quality ORDER BY ALL").rows()

    assert rows == [
        ("ann", 2, 4, 5, 1, 0, 0, 1000.0, 1000.0, None),
        ("bob", 1, 2, 3, 0, 0, 1, None, None, 0.5),
        ("eve", 1, 1, 1, 0, 0, 0, 500.0, 500.0, None),
        ("unknown", 1, 1, 1, 0, None, 1, None, None, None),
    ]


def test_conflicting_ratings_name_who_said_what(rated: Store) -> None:
    """The unknown labeler makes the number of people unknown."""
    columns = (
        "step_index, completion, num_labelers, num_negative, num_neutral, num_positive, labelers, is_check"
    )
    rows = rated.read(f"SELECT {columns} FROM conflicting_ratings ORDER BY step_index").rows()

    assert rows == [
        (0, "a", None, 2, 0, 2, ["ann", "bob", "eve", "unknown"], True),
        (1, "b", 2, 0, 1, 1, ["ann", "bob"], True),
    ]


def test_a_labeler_who_contradicts_himself_is_a_conflict_and_no_opinion(rated: Store) -> None:
    """One text offered twice in a step and rated differently."""
    with rated.transaction() as con:
        con.execute(
            "INSERT INTO human_labels (solution_id, step_index, alternative_index, labeler, completion, "
            "is_human_written, rating) VALUES ('t', 0, 1, 'eve', 'a', false, 1)"
        )
    eve = rated.read("SELECT num_contradictory, num_compared FROM labeler_quality WHERE labeler = 'eve'")
    conflict = rated.read(
        "SELECT num_negative, num_contradictory FROM conflicting_ratings WHERE completion = 'a'"
    )

    assert eve.rows() == [(1, 0)]
    assert conflict.rows() == [(1, 1)]


def _rated_texts(lines: list[dict[str, Any]]) -> dict[tuple[str, tuple[str, ...], str], dict[str, set[int]]]:
    """Text to labeler to ratings, from the lines as published, without the importer."""
    found: dict[tuple[str, tuple[str, ...], str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for line in lines:
        path: list[str] = []
        pre_generated = line["question"].get("pre_generated_steps")
        for index, step in enumerate(line["label"]["steps"]):
            completions = [*step["completions"], *filter(None, [step["human_completion"]])]
            for completion in completions:
                if completion["rating"] is not None:
                    text = (line["question"]["problem"].strip(), tuple(path), completion["text"].strip())
                    found[text][line["labeler"]].add(completion["rating"])
            if pre_generated:
                path.append(pre_generated[index].strip())
            elif step["chosen_completion"] is not None:
                path.append(step["completions"][step["chosen_completion"]]["text"].strip())
            elif step["human_completion"]:
                path.append(step["human_completion"]["text"].strip())
    return found


def _by_a_second_person(line: dict[str, Any]) -> dict[str, Any]:
    """The same line by somebody who calls every third completion of a step's place neutral."""
    copy = json.loads(json.dumps(line)) | {"labeler": "second"}
    for index, step in enumerate(copy["label"]["steps"]):
        for completion in step["completions"]:
            completion["rating"] = 0 if index % 3 == 2 else completion["rating"]
    return copy


def test_the_views_on_real_lines_agree_with_a_count_of_their_own(
    store: Store, real_data: Path, tmp_path: Path
) -> None:
    """PRM800K as published, and again as a second person might have rated it: pairs, conflicts, times."""
    published = (real_data / "prm800k" / "raw_lines.jsonl").read_text(encoding="utf-8").splitlines()
    lines = [json.loads(line) for line in published]
    lines += [_by_a_second_person(line) for line in lines]
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    store_labels(
        store, lambda contradicted: import_labels(file, "prm800k", "train", stored=contradicted), str(file)
    )
    texts = _rated_texts(lines)
    pairs: Counter[tuple[str, str]] = Counter()
    agreeing: Counter[tuple[str, str]] = Counter()
    for by_labeler in texts.values():
        single = {labeler: min(given) for labeler, given in by_labeler.items() if len(given) == 1}
        for pair in combinations(sorted(single), 2):
            pairs[pair] += 1
            agreeing[pair] += single[pair[0]] == single[pair[1]]
    conflicts = [t for t, by in texts.items() if len(set().union(*by.values())) > 1]
    steps: Counter[str] = Counter()
    times: Counter[str] = Counter()
    for line in lines:
        steps[line["labeler"]] += len(line["label"]["steps"])
        times[line["labeler"]] += line["label"]["total_time"]
    quality = store.read("SELECT labeler, num_steps, ms_per_step, num_screening FROM labeler_quality")
    agreement = store.read("SELECT labeler, other_labeler, num_texts, num_agreeing FROM labeler_agreement")

    assert len(pairs) == 10
    assert {tuple(row[:2]): row[2:] for row in agreement.iter_rows()} == {
        pair: (pairs[pair], agreeing[pair]) for pair in pairs
    }
    assert store.read("FROM conflicting_ratings").height == len(conflicts) > 0
    assert {row[0]: row[1] for row in quality.iter_rows()} == dict(steps)
    assert {row[0]: row[2] for row in quality.iter_rows()} == {
        labeler: pytest.approx(times[labeler] / steps[labeler]) for labeler in steps
    }
    assert sum(row[3] for row in quality.iter_rows()) == 2 * 12
