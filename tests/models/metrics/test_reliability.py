"""Agreement beyond chance, against published worked examples and cases small enough to work out by hand."""

import polars as pl
import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.intervals import PossibleEstimate
from stepmark.models.metrics.reliability import krippendorff_alpha, pairwise_kappa

_SCHEMA = {"problem_id": pl.String, "item": pl.String, "labeler": pl.String, "rating": pl.Int64}


def ratings(**by_labeler: str) -> pl.DataFrame:
    """One row per rating; each labeler's ratings of items in order, a dot where there is none."""
    rows = [
        (f"p{index}", f"u{index}", labeler, None if rating == "." else int(rating))
        for labeler, line in by_labeler.items()
        for index, rating in enumerate(line.split())
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def crossed(table: list[list[int]]) -> pl.DataFrame:
    """Ratings of two labelers, a and b, with this contingency table, each item of a problem of its own."""
    pairs = [(i, j) for i, row in enumerate(table) for j, number in enumerate(row) for _ in range(number)]
    return ratings(a=" ".join(str(i) for i, _ in pairs), b=" ".join(str(j) for _, j in pairs))


# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units.
FOUR_OBSERVERS = ratings(
    A="1 2 3 3 2 1 4 1 2 . . .",
    B="1 2 3 3 2 2 4 1 2 5 . 3",
    C=". 3 3 3 2 3 4 2 2 5 1 .",
    D="1 2 3 3 2 4 4 1 2 5 1 .",
)
# The computational example of the article "Krippendorff's alpha" in Wikipedia: 3 coders, 15 units.
THREE_CODERS = ratings(
    A=". . . . . 3 4 1 2 1 1 3 3 . 3",
    B="1 . 2 1 3 3 4 3 . . . . . . .",
    C=". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
)


@pytest.mark.parametrize(
    ("frame", "ordinal", "published"),
    [(FOUR_OBSERVERS, False, 0.743), (FOUR_OBSERVERS, True, 0.815), (THREE_CODERS, False, 0.691)],
)
def test_alpha_is_the_published_one(frame: pl.DataFrame, ordinal: bool, published: float) -> None:
    """To the three places that the sources print."""
    assert krippendorff_alpha(frame, ordinal=ordinal).value.value == pytest.approx(published, abs=5e-4)


def test_an_item_rated_once_counts_nowhere() -> None:
    """Of the 12 units 11 are rated twice or more; the last one is not."""
    found = krippendorff_alpha(FOUR_OBSERVERS, ordinal=False)
    paired = FOUR_OBSERVERS.filter(pl.col("item") != "u11")

    assert (found.num_items, found.num_problems) == (11, 11)
    assert krippendorff_alpha(paired, ordinal=False).value.value == found.value.value


@pytest.mark.parametrize(
    ("table", "published"),
    [
        # Fleiss, Levin & Paik, "Statistical Methods for Rates and Proportions", 3rd ed. 2003, table 18.1.
        ([[75, 1, 4], [5, 4, 1], [0, 0, 10]], 0.676),
        # The 50 grant proposals of the article "Cohen's kappa" in Wikipedia.
        ([[20, 5], [10, 15]], 0.4),
    ],
)
def test_kappa_is_the_published_one(table: list[list[int]], published: float) -> None:
    """(p_o - p_e) / (1 - p_e) of two labelers."""
    (pair,) = pairwise_kappa(crossed(table))

    assert (pair.labeler, pair.other_labeler) == ("a", "b")
    assert pair.kappa.value.value == pytest.approx(published, abs=5e-4)
    assert pair.kappa.num_items == sum(map(sum, table))


def test_both_are_1_where_all_agree_and_fall_below_0_where_none_does() -> None:
    """By hand: two labelers, two items, crossed over. Alpha: 1 - 3 * 4 / 8; kappa: (0 - .5) / .5."""
    same, crossed_over = ratings(a="0 1", b="0 1"), ratings(a="0 1", b="1 0")

    assert krippendorff_alpha(same, ordinal=True).value.value == 1.0
    assert pairwise_kappa(same)[0].kappa.value.value == 1.0
    assert krippendorff_alpha(crossed_over, ordinal=False).value.value == pytest.approx(-0.5)
    assert pairwise_kappa(crossed_over)[0].kappa.value.value == pytest.approx(-1.0)


def test_one_rank_apart_is_less_than_two_in_ordinal_alpha_alone() -> None:
    """Nominal alpha does not see how far apart ratings are; ordinal alpha does."""
    near, far = ratings(a="-1 0 1 -1", b="-1 0 1 0"), ratings(a="-1 0 1 -1", b="-1 0 1 1")

    assert krippendorff_alpha(near, ordinal=False).value.value == pytest.approx(
        krippendorff_alpha(far, ordinal=False).value.value
    )
    near_value = krippendorff_alpha(near, ordinal=True).value.value
    far_value = krippendorff_alpha(far, ordinal=True).value.value
    assert near_value is not None
    assert far_value is not None
    assert near_value > far_value


def test_what_cannot_differ_by_chance_has_no_value() -> None:
    """One category only, or no item that two people rated."""
    assert krippendorff_alpha(ratings(a="1 1", b="1 1"), ordinal=False).value == PossibleEstimate(
        None, None, None
    )
    assert pairwise_kappa(ratings(a="1 1", b="1 1"))[0].kappa.value == PossibleEstimate(None, None, None)
    assert krippendorff_alpha(ratings(a="1 .", b=". 0"), ordinal=False).value == PossibleEstimate(
        None, None, None
    )
    assert pairwise_kappa(ratings(a="1 .", b=". 0")) == []
    assert krippendorff_alpha(ratings(), ordinal=True).value == PossibleEstimate(None, None, None)


def test_the_interval_is_over_problems_and_wider_where_they_are_few() -> None:
    """The same items in two problems instead of one each: fewer problems, less certainty."""
    frame = crossed([[20, 5], [10, 15]])
    kappa = pairwise_kappa(frame)[0].kappa
    halves = frame.with_columns(
        problem_id=pl.when(pl.col("item") < "u25").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    one = frame.with_columns(problem_id=pl.lit("x"))

    assert kappa.value.low is not None
    assert kappa.value.high is not None
    assert 0.1 < kappa.value.low < 0.2
    assert 0.6 < kappa.value.high < 0.7
    assert pairwise_kappa(halves)[0].kappa.num_problems == 2
    assert pairwise_kappa(one)[0].kappa.value == PossibleEstimate(kappa.value.value, None, None)


def test_one_seed_gives_one_interval_and_another_seed_another() -> None:
    """The seed is read and nothing else is random."""
    once, again, other = (
        krippendorff_alpha(FOUR_OBSERVERS, ordinal=True, seed=seed).value for seed in (0, 0, 1)
    )

    assert once == again
    assert once != other


def test_a_rater_who_rates_an_item_twice_is_refused() -> None:
    """Which of the two ratings counts is for the caller to say."""
    twice = pl.concat([FOUR_OBSERVERS, FOUR_OBSERVERS.head(1)])

    with pytest.raises(InputError, match="rates an item twice"):
        krippendorff_alpha(twice, ordinal=False)
    with pytest.raises(InputError, match="lacks the column 'labeler'"):
        pairwise_kappa(twice.drop("labeler"))
