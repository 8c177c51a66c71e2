"""What ``stepmark demo`` prints of its results: curves, differences, label quality, first errors, costs.

Leaves out: reading them (results.py), and the page that shows them all (report.py).
"""

from collections.abc import Iterator

from stepmark.labeling.vocabulary import ORACLE
from stepmark.models.metrics.intervals import Estimate
from stepmark.models.metrics.label_quality import ALL

from .estimates import percent, signed_percent
from .results import QUALITY_LABELS, Results, unscored_line

_QUALITY_ROWS = (
    "first_error_agreement",
    "first_error_agreement_on_error",
    "first_error_undecided",
    "wrong_step_precision",
    "wrong_step_recall",
    "wrong_step_f1",
    "p_wrong_calibration_error",
)


def demo_lines(results: Results) -> Iterator[str]:
    """All that is printed, with blank lines between the parts."""
    for part in (curve_lines, _difference_lines, quality_lines, _first_error_lines, _cost_lines):
        yield ""
        yield from part(results)
    yield ""


def curve_lines(results: Results) -> list[str]:
    """A row for each selector, a column for each N."""
    ns = sorted(next(iter(results.curves.values()), {}))
    lines = [
        f"Problems solved of {results.num_test_problems} unseen ones, in percent [95% interval],",
        "when N samples are offered and the selector picks one:",
        "",
        f"{'selector':<34}" + "".join(f"{f'N = {n}':<20}" for n in ns),
    ]
    hidden = [
        name
        for name in results.curves
        if name.endswith(("_min", "_mean", "_last")) and "likelihood" not in name
    ]
    for name, points in results.curves.items():
        if name not in hidden:
            lines.append(f"{name:<34}" + "".join(f"{percent(points[n]):<20}" for n in ns))
    unscored = unscored_line(results)
    if unscored is not None:
        lines.append(unscored)
    if hidden:
        lines.append("Steps aggregated by last, mean or min instead of the product: in the report.")
    return lines


def _difference_lines(results: Results) -> list[str]:
    lines = ["Paired differences at the largest N, in percentage points [95% interval]:"]
    for name, points in results.differences.items():
        largest = points[max(points)]
        verdict = "" if largest.low <= 0 <= largest.high else "  (the interval excludes 0)"
        lines.append(f"  {name:<52}{signed_percent(largest)}{verdict}")
    return lines


def quality_lines(results: Results) -> list[str]:
    """Figures of the Monte-Carlo labels, as far as they were computed."""
    num_problems, figures = results.num_quality_problems[ORACLE], results.quality.get(ORACLE, {}).get(ALL, {})
    lines = [f"Monte-Carlo labels against the oracle, {num_problems} problems, in percent:"]
    shown = [metric for metric in _QUALITY_ROWS if metric in figures]
    return lines + [f"  {QUALITY_LABELS[metric]:<52}{percent(figures[metric])}" for metric in shown]


def _first_error_lines(results: Results) -> list[str]:
    lines = ["Finding the first error in test solutions (ProcessBench's F1), in percent:"]
    for row in results.first_errors:
        if row["metric"].startswith("first_error_f1") and row["value"] is not None:
            source = row["metric"].removeprefix("first_error_f1_")
            estimate = Estimate(row["value"], row["ci95_low"], row["ci95_high"])
            lines.append(f"  {row['selector'] + ', truth: ' + source:<52}{percent(estimate)}")
    return lines


def _cost_lines(results: Results) -> list[str]:
    return [
        f"Tokens sampled: {cost['num_tokens']:,} for {cost['num_samples']:,} {kind}"
        for kind, cost in results.costs.items()
    ]
