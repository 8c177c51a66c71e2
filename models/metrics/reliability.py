"""How far people agree beyond chance: Cohen's kappa of a pair, Krippendorff's alpha of all, with intervals.

Takes a polars frame, one row per rating, with the columns ``problem_id``, ``item`` (what was rated),
``labeler`` and ``rating`` (an integer; null where none was given, which counts nowhere). A labeler rates an
item once.

Kappa is Cohen's (1960), "A coefficient of agreement for nominal scales", Educational and Psychological
Measurement 20(1), eq. 1. Alpha, its coincidence matrix and its nominal and ordinal differences are
Krippendorff's (2011), "Computing Krippendorff's Alpha-Reliability", University of Pennsylvania. Intervals
are percentiles of a bootstrap over problems, not the one over pairs of values that Krippendorff proposes:
items of a problem are no independent trials. Leaves out: weighted kappa, and alpha for interval and ratio
scales.

Legend: P problems, C categories in rising order, R resamples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

from .agreement import require_columns
from .intervals import UNDEFINED, PossibleEstimate, bootstrap_means

Floats = NDArray[np.float64]

_COLUMNS = ("problem_id", "item", "labeler", "rating")
NUM_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Reliability:
    """A coefficient (1 perfect, 0 chance) on ``num_items`` rated twice or more, of ``num_problems`` problems.

    The value is None where nothing could differ by chance: no such item, or one category only.
    """

    value: PossibleEstimate
    num_items: int
    num_problems: int


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """What two labelers, in alphabetical order, make of the items both rated."""

    labeler: str
    other_labeler: str
    kappa: Reliability


def krippendorff_alpha(
    ratings: pl.DataFrame, *, ordinal: bool, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> Reliability:
    """Alpha of all labelers (columns: see the module); ``ordinal`` counts how far apart two ratings rank.

    Raises ``InputError`` for a missing column, and for an item rated twice by one labeler.
    """
    given = _checked(ratings)
    categories = sorted(given["rating"].unique().to_list())
    items = given.filter(pl.len().over("item") > 1)
    problems, matrices = _coincidences(items, categories)
    value = _interval(matrices, lambda sums: _alpha(sums, ordinal), seed, num_resamples)
    return Reliability(value, items["item"].n_unique(), len(problems))


def pairwise_kappa(
    ratings: pl.DataFrame, *, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> list[PairAgreement]:
    """Cohen's kappa of every two labelers who rated an item in common (columns: see the module).

    Raises ``InputError`` as ``krippendorff_alpha`` does.
    """
    given = _checked(ratings)
    categories = sorted(given["rating"].unique().to_list())
    shared = given.filter(pl.len().over("item") > 1)
    by_labeler = {
        str(labeler): rows for (labeler,), rows in shared.partition_by("labeler", as_dict=True).items()
    }
    pairs = []
    for labeler, other in combinations(sorted(by_labeler), 2):
        both = by_labeler[labeler].join(by_labeler[other].select("item", other="rating"), on="item")
        if both.height:
            problems, tables = _tables(both.select("problem_id", "rating", "other"), categories)
            kappa = _interval(tables, _kappa, seed, num_resamples)
            pairs.append(PairAgreement(labeler, other, Reliability(kappa, both.height, len(problems))))
    return pairs


def _checked(ratings: pl.DataFrame) -> pl.DataFrame:
    require_columns(ratings, _COLUMNS)
    if ratings.select(pl.struct("item", "labeler").is_duplicated().any()).item():
        raise InputError("A labeler rates an item twice; decide on one rating, or leave the item out.")
    return ratings.select(_COLUMNS).filter(pl.col("rating").is_not_null())


def _coincidences(items: pl.DataFrame, categories: list[int]) -> tuple[list[str], Floats]:
    """Problems, and of each the coincidence matrix (P, C, C): every ordered pair of an item, over m - 1."""
    weighted = items.with_columns(weight=1 / (pl.len().over("item") - 1))
    pairs = weighted.join(weighted.select("item", other_labeler="labeler", other="rating"), on="item").filter(
        pl.col("labeler") != pl.col("other_labeler")
    )
    return _tables(pairs.select("problem_id", "rating", "other", "weight"), categories)


def _tables(pairs: pl.DataFrame, categories: list[int]) -> tuple[list[str], Floats]:
    """Problems, and of each the table (P, C, C) of the pairs' ratings, weighted where there is a weight."""
    weight = pl.col("weight").sum() if "weight" in pairs.columns else pl.len().cast(pl.Float64)
    cells = pairs.group_by("problem_id", "rating", "other").agg(weight.alias("weight"))
    problems = sorted(pairs["problem_id"].unique().to_list())
    place = {problem: index for index, problem in enumerate(problems)}
    column = {category: index for index, category in enumerate(categories)}
    tables = np.zeros((len(problems), len(categories), len(categories)))
    for problem, rating, other, value in cells.iter_rows():
        tables[place[problem], column[rating], column[other]] += value
    return problems, tables


def _interval(
    tables: Floats, figure: Callable[[Floats], Floats], seed: int, num_resamples: int
) -> PossibleEstimate:
    """``figure`` of the sum of ``tables`` (P, C, C), with the percentiles of its resamples over problems."""
    num_problems = len(tables)
    if not num_problems:
        return UNDEFINED
    value = float(figure(tables.sum(axis=0)[None])[0])
    if np.isnan(value):
        return UNDEFINED
    if num_problems < 2:
        return PossibleEstimate(value, None, None)
    flat = tables.reshape(num_problems, -1)
    means = bootstrap_means(flat, seed=seed, num_resamples=num_resamples)
    drawn = figure((means * num_problems).reshape(-1, *tables.shape[1:]))
    # A resample of one category says nothing, and is left out.
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return PossibleEstimate(value, float(low), float(high))


def _kappa(tables: Floats) -> Floats:
    """(p_o - p_e) / (1 - p_e) of contingency tables (R, C, C); NaN where p_e is 1. Shape (R,)."""
    shares = tables / tables.sum(axis=(1, 2), keepdims=True)
    observed = np.trace(shares, axis1=1, axis2=2)
    expected = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    return _quotient(observed - expected, 1 - expected)


def _alpha(matrices: Floats, ordinal: bool) -> Floats:
    """1 - D_o / D_e of coincidence matrices (R, C, C); NaN where D_e is 0. Shape (R,)."""
    totals = matrices.sum(axis=2)
    num_values = totals.sum(axis=1)
    difference = _ordinal(totals) if ordinal else 1.0 - np.eye(totals.shape[1])[None]
    observed = (matrices * difference).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * difference).sum(axis=(1, 2))
    return 1 - _quotient((num_values - 1) * observed, expected)


def _ordinal(totals: Floats) -> Floats:
    """Squared number of values from one category to the other, half of either end's. Shape (R, C, C)."""
    below = np.cumsum(totals, axis=1) - totals / 2
    return np.square(below[:, :, None] - below[:, None, :])


def _quotient(numerators: Floats, denominators: Floats) -> Floats:
    is_defined = denominators > 1e-12
    return np.where(is_defined, numerators / np.where(is_defined, denominators, 1.0), np.nan)
