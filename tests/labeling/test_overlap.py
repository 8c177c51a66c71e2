"""Overlap of problems: what counts as the same text, what as nearly the same, and what does not."""

import json
from pathlib import Path

import pytest

from stepmark.labeling.formats.math import read_problems
from stepmark.labeling.minimath import distinct_problems
from stepmark.labeling.overlap import OverlapPolicy, find_overlaps, normalised

LONG = (
    "A baker sells 12 loaves of rye bread on Monday and 30 loaves of white bread on Tuesday, and every loaf"
    " of either kind costs the same; how many loaves does the baker sell on both days together?"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is $1+1$?", "what  is\n$1 + 1$"),
        (r"Compute $\left(2\right)\,x$.", "Compute $(2) x$"),
        (r"Is $\dfrac{1}{2} < \tfrac12$?", r"Is $\frac{1}{2}<\frac12$?"),
        ("What is 1,000 plus 2?", r"What is $1,\!000$ plus $2$?"),
        ("Find \N{FULLWIDTH LATIN SMALL LETTER X}\N{SUPERSCRIPT TWO}.", "find X2"),
        (r"Solve $x\\=1$", "Solve ~ $x = 1$."),
        (
            "Bob\N{RIGHT SINGLE QUOTATION MARK}s dog and the dogs' cat: 3 \N{MINUS SIGN} 2",
            "Bob's dog and the dogs cat: $3-2$",
        ),
        ("What is $x^{2} + .5$?", "What is $x^2 + 0.5$?"),
        ("Find $A$.", "find $a$"),
        ("A man has a dog.", "a man has a dog"),
    ],
)
def test_spelling_makes_no_other_problem(one: str, other: str) -> None:
    """Case, white space, LaTeX spacing, punctuation and Unicode forms do not count."""
    found = find_overlaps({"a": one}, {"b": other})

    assert [(pair.kind, pair.share) for pair in found] == [("normalised", 1.0)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is $1+1$?", "What is $1-1$?"),
        ("What is $12$?", "What is $1.2$?"),
        ("What is $5!$?", "What is $5$?"),
        ("What is $2(x+1)$?", "What is $2x+1$?"),
        (r"What is $\sin x$?", r"What is $\cos x$?"),
        ("What is 12 \N{MULTIPLICATION SIGN} 3?", "What is 12 ÷ 3?"),
        ("Is x ≤ 3?", "Is x ≥ 3?"),
        ("What is √16?", "What is 16?"),
        ("What is 2·3?", "What is 2 3?"),
        ("What is $.5 + 3$?", "What is $5 + 3$?"),
        ("What is $f'(2)$?", "What is $f(2)$?"),
        ("What is $f''(2)$?", "What is $f'(2)$?"),
        ("What is $2^{3+1}$?", "What is $2^3+1$?"),
        (r"What is $\frac{1}{2+x}$?", r"What is $\frac{1}{2}+x$?"),
        (r"With $A$ and $a$, find $A$.", "With $A$ and $a$, find $a$."),
        (r"With $\Delta$ and $\delta$, find $\Delta$.", r"With $\Delta$ and $\delta$, find $\delta$."),
    ],
)
def test_a_sign_or_a_number_makes_another_problem(one: str, other: str) -> None:
    """What changes the answer is no matter of spelling."""
    assert normalised(one) != normalised(other)
    assert find_overlaps({"a": one}, {"b": other}) == []


def test_outer_white_space_leaves_a_text_exact_and_a_problem_overlaps_with_itself() -> None:
    """One id on both sides is a problem asked for in both splits."""
    found = find_overlaps({"a": "What is $1$? ", "b": "Q?"}, {"b": "Q?", "c": "\nWhat is $1$?"})

    assert [(p.trained_problem_id, p.evaluated_problem_id, p.kind) for p in found] == [
        ("b", "b", "exact"),
        ("a", "c", "exact"),
    ]


def test_texts_without_a_word_are_told_apart_by_their_characters() -> None:
    """Two texts of signs alone are not one for having no words."""
    assert find_overlaps({"a": "?"}, {"b": "..."}) == []
    assert [pair.kind for pair in find_overlaps({"a": "?"}, {"b": " ?"})] == ["exact"]


def test_a_problem_within_a_longer_one_is_found_with_what_both_have() -> None:
    """The share is of the shorter one's grams; the excerpt is the longest run of words."""
    changed = "Here is a story. " + LONG.replace("how many loaves", "tell me how many loaves") + " Explain."
    found = find_overlaps({"a": LONG}, {"b": changed})

    assert [pair.kind for pair in found] == ["ngram"]
    assert found[0].share == pytest.approx(24 / 31)
    assert found[0].excerpt.startswith("a baker sells 12 loaves of rye bread on monday and 30")
    assert found[0].excerpt.endswith("costs the same")


def test_other_numbers_make_another_problem() -> None:
    """The same words around another number ask for another answer."""
    assert find_overlaps({"a": LONG}, {"b": LONG.replace("12", "13")}) == []
    assert find_overlaps({"a": LONG}, {"b": LONG.replace("12 loaves", "30 loaves") + " Think."}) == []
    swapped = LONG.replace("12", "x").replace("30", "12").replace("x", "30")
    assert find_overlaps({"a": LONG}, {"b": swapped}) == []


def test_a_number_in_words_is_a_number() -> None:
    """Another one makes another problem, and the same one in digits does not."""
    spelled_out = LONG.replace("12", "twelve")

    assert find_overlaps({"a": spelled_out}, {"b": LONG.replace("12", "eleven")}) == []
    assert [pair.kind for pair in find_overlaps({"a": spelled_out}, {"b": LONG})] == ["ngram"]


def test_known_answers_that_differ_make_another_problem() -> None:
    """Nearly one text may ask for two things; an answer that is not known tells nothing."""
    pair = {"a": LONG}, {"b": LONG.replace("both days together", "Monday alone")}

    assert find_overlaps(*pair, answers={"a": "42", "b": "12"}) == []
    assert len(find_overlaps(*pair, answers={"a": "42", "b": r"\frac{84}{2}"})) == 1
    assert len(find_overlaps(*pair, answers={"a": "42", "b": None})) == 1
    assert len(find_overlaps(*pair)) == 1


def test_known_answers_tell_apart_problems_of_equal_words_but_not_equal_texts() -> None:
    """What the words leave out may be what is asked; one text is one problem, whatever its answers."""
    pair = {"a": "Find it: ?"}, {"b": "find it"}

    assert find_overlaps(*pair, answers={"a": "4", "b": "5"}) == []
    assert [found.kind for found in find_overlaps(*pair, answers={"a": "4", "b": "4.0"})] == ["normalised"]
    same = {"a": "Find it"}, {"b": "Find it "}
    assert [found.kind for found in find_overlaps(*same, answers={"a": "4", "b": "5"})] == ["exact"]


def test_the_wording_of_a_family_is_no_overlap() -> None:
    """Runs that more problems have than the policy allows say nothing about one of them."""
    family = {f"p{i}": LONG + f" Pay in {name}." for i, name in enumerate(("euro", "yen", "peso", "rand"))}
    other = {"test": LONG + " Pay in kroner."}

    assert find_overlaps(family, other, OverlapPolicy(max_common=3)) == []
    assert len(find_overlaps(family, other, OverlapPolicy(max_common=4))) == 4


def test_every_field_of_the_policy_has_an_effect() -> None:
    """Shorter runs are shared more often, and a higher share is asked for."""
    changed = LONG.replace("on Monday", "at dawn").replace("either", "whatever")
    pair = {"a": LONG}, {"b": changed}

    assert find_overlaps(*pair, OverlapPolicy(num_words=8, min_share=0.6)) == []
    assert len(find_overlaps(*pair, OverlapPolicy(num_words=3, min_share=0.6))) == 1
    assert len(find_overlaps(*pair, OverlapPolicy(num_words=8, min_share=0.3))) == 1


def test_nothing_overlaps_with_nothing() -> None:
    """Empty sides, and problems shorter than a gram."""
    assert find_overlaps({}, {"b": LONG}) == []
    assert find_overlaps({"a": "Short."}, {}) == []
    assert find_overlaps({"a": "Short one."}, {"b": "Short two."}) == []


def test_minimaths_own_splits_do_not_overlap() -> None:
    """The demo's problems: templates of a family are no alarm, and no problem is in both splits."""
    train, test = (
        [worked.problem for worked in distinct_problems(number, 0, split)]
        for number, split in ((500, "train"), (200, "test"))
    )
    texts = [{problem.problem_id: problem.problem for problem in side} for side in (train, test)]
    answers = {problem.problem_id: problem.ground_truth_answer for problem in (*train, *test)}

    assert find_overlaps(*texts, answers=answers) == []


def test_processbench_repeats_108_test_problems_of_math(real_data: Path) -> None:
    """All of them word for word, whoever of the two is trained on."""
    math, _ = _texts(real_data / "math" / "prm800k_split_test_500.jsonl", "test")
    rows = json.loads((real_data / "step_labels" / "processbench_math.json").read_text(encoding="utf-8"))
    bench = {f"row {index}": row["problem"] for index, row in enumerate(rows)}
    found = find_overlaps(bench, math)

    assert len({pair.evaluated_problem_id for pair in found if pair.kind == "exact"}) == 108


def test_maths_own_splits_hold_one_problem_twice_and_three_in_other_spelling(real_data: Path) -> None:
    """One pair differs in outer white space only."""
    train = _texts(real_data / "math" / "math_train_7500.jsonl", "train")
    test = _texts(real_data / "math" / "math_test_5000.jsonl", "test")
    found = find_overlaps(train[0], test[0], answers=train[1] | test[1])
    kinds = [pair.kind for pair in found]

    assert (kinds.count("exact"), kinds.count("normalised"), kinds.count("ngram")) == (1, 3, 16)
    assert any("vertices of an equilateral triangle" in p.excerpt for p in found if p.kind == "exact")


def _texts(path: Path, split: str) -> tuple[dict[str, str], dict[str, str | None]]:
    problems, _ = read_problems(path, "math", split)
    texts = {problem.problem_id: problem.problem for problem in problems}
    return texts, {problem.problem_id: problem.ground_truth_answer for problem in problems}
