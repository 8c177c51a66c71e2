"""What a finished run says: the comparison table, label quality, costs. Read from the published snapshot.

Leaves out: how it is shown (demo.py prints it, report.py makes a page of it).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from stepmark.assets.judge_assets import main_selectors
from stepmark.labeling.vocabulary import MONTE_CARLO, ORACLE
from stepmark.models.metrics.intervals import Estimate, PossibleEstimate
from stepmark.models.metrics.label_quality import ALL
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.quality import TRUTHS, Quality, metric_name, read_quality
from stepmark.pipeline.selection import BEST_OF_N, DIFFERENCE, UNSCORED
from stepmark.store.store import Store

_COSTS = """
    SELECT 'solutions' AS kind, count(*) AS num_samples, coalesce(sum(num_tokens), 0) AS num_tokens
    FROM solutions WHERE source = 'sampled'
    UNION ALL SELECT 'rollouts', count(*), coalesce(sum(num_tokens), 0) FROM rollouts
"""
_COUNTS = """
    SELECT (SELECT count(*) FROM problems) AS problems, (SELECT count(*) FROM solutions) AS solutions,
        (SELECT count(*) FROM steps) AS steps, (SELECT count(*) FROM rollouts) AS rollouts,
        (SELECT count(*) FROM step_labels) AS step_labels,
        (SELECT count(*) FROM human_labels) AS human_labels, (SELECT count(*) FROM scores) AS scores
"""
_LEAKS = "SELECT * FROM leaks ORDER BY is_allowed, kind, share DESC, evaluated_problem_id, trained_problem_id"
_KNOWS_LEAKS = "SELECT count(*) > 0 FROM duckdb_views() WHERE view_name = 'leaks'"
# Figures of label quality in the order they are shown.
QUALITY_LABELS = {
    "first_error_agreement": "first error agrees",
    "first_error_agreement_on_error": "  where there is an error",
    "first_error_off_by_one": "first error one step off",
    "first_error_undecided": "first error undecided",
    "wrong_step_precision": "wrong steps: precision",
    "wrong_step_recall": "wrong steps: recall",
    "wrong_step_f1": "wrong steps: F1",
    "step_undecided": "steps undecided",
    "calibration_error": "calibration error: value",
    "p_wrong_calibration_error": "calibration error: probability of being wrong",
}


@dataclass(frozen=True, slots=True)
class Results:
    """``curves`` and ``differences``: name, N, estimate. ``quality`` is that of Monte-Carlo labels, by truth;
    ``quality_rows`` are its rows of ``evaluations``.

    ``num_unscored``: answered samples without a score, by selector, where there are any; they rank last.
    ``leaks`` are the rows of that view; None where an older Stepmark published the snapshot.
    """

    curves: dict[str, dict[int, Estimate]]
    differences: dict[str, dict[int, Estimate]]
    num_unscored: dict[str, int]
    quality: Quality
    quality_rows: list[dict[str, Any]]
    first_errors: list[dict[str, Any]]
    num_test_problems: int
    num_quality_problems: dict[str, int]
    counts: dict[str, int]
    label_counts: list[dict[str, Any]]
    costs: dict[str, dict[str, int]]
    leaks: list[dict[str, Any]] | None


def read_results(store: Store, profile: Profile) -> Results:
    """Read the last run's results; what was not evaluated is empty."""
    stored = store.read_published("SELECT * FROM evaluations ORDER BY selector, slice, metric, n")
    evaluations = stored.filter(pl.col("slice") == "all")
    curves = _points(evaluations.filter(pl.col("metric") == BEST_OF_N))
    shown = [name for name in main_selectors(profile) if name in curves]
    quality_rows = stored.filter(pl.col("selector") == MONTE_CARLO)
    return Results(
        curves={name: curves[name] for name in shown} | {n: c for n, c in curves.items() if n not in shown},
        differences=_points(evaluations.filter(pl.col("metric") == DIFFERENCE)),
        num_unscored=_unscored(evaluations, shown),
        quality=read_quality(quality_rows),
        quality_rows=quality_rows.to_dicts(),
        first_errors=evaluations.filter(
            pl.col("metric").str.starts_with("first_error_f1")
            | pl.col("metric").str.starts_with("first_error_accuracy")
        )
        .filter(pl.col("selector") != MONTE_CARLO)
        .to_dicts(),
        num_test_problems=_largest(evaluations.filter(pl.col("metric") == BEST_OF_N)),
        num_quality_problems={truth: _num_judged(quality_rows, truth) for truth in TRUTHS},
        counts=store.read_published(_COUNTS).row(0, named=True),
        label_counts=store.read_published("SELECT * FROM label_counts ORDER BY label_source").to_dicts(),
        costs={
            row["kind"]: {"num_samples": row["num_samples"], "num_tokens": row["num_tokens"]}
            for row in store.read_published(_COSTS).iter_rows(named=True)
        },
        leaks=_leaks(store),
    )


def _leaks(store: Store) -> list[dict[str, Any]] | None:
    is_known = store.read_published(_KNOWS_LEAKS).item()
    return store.read_published(_LEAKS).to_dicts() if is_known else None


def _unscored(evaluations: pl.DataFrame, shown: Sequence[str]) -> dict[str, int]:
    rows = evaluations.filter((pl.col("metric") == UNSCORED) & (pl.col("value") > 0))
    counts = dict(rows.select("selector", pl.col("value").cast(pl.Int64)).iter_rows())
    return {name: counts[name] for name in shown if name in counts}


def unscored_line(results: Results) -> str | None:
    """One line on the samples that no score could rank; None where all have theirs."""
    if not results.num_unscored:
        return None
    counts = ", ".join(f"{name} {number:,}" for name, number in results.num_unscored.items())
    return f"Answered samples without a score, ranked last: {counts}"


def _points(rows: pl.DataFrame) -> dict[str, dict[int, Estimate]]:
    points: dict[str, dict[int, Estimate]] = {}
    for row in rows.iter_rows(named=True):
        points.setdefault(row["selector"], {})[row["n"]] = Estimate(
            row["value"], row["ci95_low"], row["ci95_high"]
        )
    return points


def _num_judged(quality_rows: pl.DataFrame, truth: str) -> int:
    name = metric_name("first_error_agreement", truth)
    return _largest(quality_rows.filter((pl.col("metric") == name) & (pl.col("slice") == ALL)))


def _largest(rows: pl.DataFrame) -> int:
    return int(rows["num_problems"].max() or 0)  # type: ignore[arg-type]


def as_json(results: Results) -> dict[str, Any]:
    """The results as plain values, for ``--json``."""
    return {
        "num_problems": results.num_test_problems,
        "curves": {name: _by_n(points) for name, points in results.curves.items()},
        "differences": {name: _by_n(points) for name, points in results.differences.items()},
        "num_unscored": results.num_unscored,
        "monte_carlo_labels": {
            name: None if point.value is None else _values(point)
            for name, point in results.quality.get(ORACLE, {}).get(ALL, {}).items()
        },
        "label_quality": results.quality_rows,
        "first_errors": results.first_errors,
        "counts": results.counts,
        "label_counts": results.label_counts,
        "costs": results.costs,
        "num_leaks": None if results.leaks is None else len(results.leaks),
    }


def _by_n(points: dict[int, Estimate]) -> dict[str, dict[str, float | None]]:
    return {str(n): _values(point) for n, point in points.items()}


def _values(point: Estimate | PossibleEstimate) -> dict[str, float | None]:
    return {"value": point.value, "ci95_low": point.low, "ci95_high": point.high}


def percent(point: Estimate | PossibleEstimate) -> str:
    """``52.3 [48.1, 56.0]``, in percent; without an interval where there is none."""
    if point.value is None:
        return "not defined"
    if point.low is None or point.high is None:
        return f"{100 * point.value:.1f}"
    return f"{100 * point.value:.1f} [{100 * point.low:.1f}, {100 * point.high:.1f}]"


def signed_percent(point: Estimate) -> str:
    """``+12.0 [+8.1, +16.0]``, in percentage points."""
    return f"{100 * point.value:+.1f} [{100 * point.low:+.1f}, {100 * point.high:+.1f}]"
