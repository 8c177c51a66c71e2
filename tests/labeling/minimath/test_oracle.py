"""The oracle: exact ratings of steps, from the texts alone."""

import itertools

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.minimath import FAMILIES, first_error, rate_steps, stream
from stepmark.labeling.minimath.catalog import NUM_LEVELS

LINEAR = "Solve $4x + 7 = 31$ for $x$."
BOXES = "A shop has $3$ boxes of $12$ pens and sells $7$ pens. How many pens are left?"
REMAINDER = r"What is the remainder when $47 \cdot 16 + 29$ is divided by $7$?"
ROOTS = "What is the larger root of $x^2 - 11x + 24 = 0$?"


def test_every_step_of_every_canonical_solution_is_right() -> None:
    """All families, all levels, several wordings."""
    for worked in itertools.islice(stream(7, "train"), 2000):
        ratings = rate_steps(worked.problem.problem, worked.steps)
        assert ratings == [1] * len(worked.steps), (worked.problem.problem, worked.steps)


def test_seven_subjects_and_five_levels_are_covered() -> None:
    """Minimath has MATH's shape."""
    drawn = list(itertools.islice(stream(0, "train"), 500))

    assert len({worked.problem.subject for worked in drawn}) == 7
    assert {worked.problem.level for worked in drawn} == set(range(1, NUM_LEVELS + 1))
    assert len(FAMILIES) >= 7


@pytest.mark.parametrize(
    ("problem", "steps", "ratings"),
    [
        (LINEAR, ["Collect: $4x = 31 - 7$.", "So: $4x = 24$.", "Divide: $x = 6$."], [1, 1, 1]),
        (LINEAR, ["Collect: $4x = 31 - 7$.", "So: $4x = 25$.", "Divide: $x = 6$."], [1, -1, 1]),
        (BOXES, [r"At first: $3 \cdot 12 = 36$."], [1]),
        (BOXES, [r"To start: $12 \cdot 3 = 36$."], [1]),
        # The arithmetic is right, but it is not about this problem's boxes.
        (BOXES, [r"At first: $3 \cdot 13 = 39$."], [-1]),
        (BOXES, [r"At first: $3 \cdot 12 = 37$.", "After selling: $37 - 7 = 30$."], [-1, -1]),
        (BOXES, ["The answer is $\\boxed{29}$."], [1]),
        (BOXES, ["The answer is $\\boxed{28}$."], [-1]),
        (REMAINDER, [r"First factor: $47 \equiv 5$.", r"Second factor: $16 \equiv 3$."], [1, -1]),
        # 47 * 16 + 29 leaves 4; 11 is congruent to it, and is no remainder of a division by 7.
        (REMAINDER, [r"The remainder: $3 + 1 \equiv 4$.", r"The answer is $\boxed{4}$."], [1, 1]),
        (REMAINDER, [r"The answer is $\boxed{11}$."], [-1]),
        (ROOTS, [r"The sum: $3 + 8 = 11$ and product: $3 \cdot 8 = 24$."], [1]),
        # True arithmetic on two numbers that are not the roots.
        (ROOTS, [r"The sum: $5 + 6 = 11$ and product: $5 \cdot 6 = 30$."], [-1]),
        (ROOTS, ["Factor: $(x - 3)(x - 8) = 0$."], [1]),
        (ROOTS, ["Factor: $(x - 3)(x - 7) = 0$."], [-1]),
    ],
)
def test_ratings_of_known_steps(problem: str, steps: list[str], ratings: list[int]) -> None:
    """A claim is true or false of this problem, whatever the arithmetic says."""
    assert rate_steps(problem, steps) == ratings


@pytest.mark.parametrize(
    "step",
    [
        "",
        "Collect: $4x = $.",
        "Collect: $4x = 24.",
        "So it is clear.",
        "Divide: $6$.",
        "So: $x = 6 / 0$.",
        r"So: $x = \frac{6}{0}$.",
        "So: $x = 6^99999999$.",
        "Nonsense: $x = 6$.",
        "So: $" + "(" * 5000 + "$.",
    ],
)
def test_text_that_claims_nothing_is_wrong(step: str) -> None:
    """The oracle rates any text, and never fails on it."""
    assert rate_steps(LINEAR, [step]) == [-1]


def test_a_repeated_step_is_neutral() -> None:
    """It is true and brings nothing."""
    assert rate_steps(LINEAR, ["Divide: $x = 6$.", "Divide: $x = 6$."]) == [1, 0]


def test_the_first_error_is_the_first_negative_step() -> None:
    """-1 where there is none."""
    assert first_error([1, 0, -1, -1]) == 2
    assert first_error([1, 0, 1]) == -1


def test_a_problem_of_another_source_is_refused() -> None:
    """The oracle knows minimath only, and says so."""
    with pytest.raises(InputError, match="no minimath family reads"):
        rate_steps("What is the sum of the first 10 primes?", ["2"])
