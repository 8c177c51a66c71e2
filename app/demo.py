"""``stepmark demo``: the main job on the embedded default, from problems to a judged PRM.

Leaves out: the work itself (stepmark.assets); this file runs it and prints what came out.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepmark.labeling.vocabulary import ORACLE
from stepmark.pipeline.profile import BUILT_IN

from .json_output import write_json
from .options import home_option, output_option
from .refresh import database_line

if TYPE_CHECKING:
    from .results import Results

_QUALITY_ROWS = (
    "first_error_agreement",
    "first_error_agreement_on_error",
    "first_error_undecided",
    "wrong_step_precision",
    "wrong_step_recall",
    "wrong_step_f1",
    "p_wrong_calibration_error",
)


@click.command("demo")
@output_option("--json", "json_path", "Also write the results as JSON.")
@home_option
def demo_command(json_path: Path | None, home: Path) -> None:
    """Sample, grade, label, train and judge on minimath, and print which selector picks better."""
    from stepmark.pipeline.profile import load_profile  # noqa: PLC0415
    from stepmark.store.store import Store  # noqa: PLC0415

    from .report import write_report  # noqa: PLC0415 - matplotlib and Dagster load slowly
    from .results import as_json, read_results  # noqa: PLC0415
    from .run import refresh  # noqa: PLC0415

    started = time.monotonic()
    reward = load_profile(BUILT_IN[0]).reward
    refresh(home, BUILT_IN[0])
    store = Store(home)
    report = write_report(store, reward, home / "report.html")
    results = read_results(store, reward)
    if json_path is not None:
        write_json(json_path, as_json(results))
    click.echo("\n".join(["", *_table(results), "", *_differences(results), "", *_quality(results)]))
    click.echo("\n".join(["", *_first_errors(results), "", *_costs(results), ""]))
    click.echo(database_line(home))
    click.echo(f"Report    {report}")
    click.echo(f"UI        stepmark ui --home {home}, then http://127.0.0.1:3000")
    click.echo(f"Done in {(time.monotonic() - started) / 60:.1f} minutes.")


def _table(results: "Results") -> list[str]:
    from .results import percent, unscored_line  # noqa: PLC0415

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


def _differences(results: "Results") -> list[str]:
    from .results import signed_percent  # noqa: PLC0415

    lines = ["Paired differences at the largest N, in percentage points [95% interval]:"]
    for name, points in results.differences.items():
        largest = points[max(points)]
        verdict = "" if largest.low <= 0 <= largest.high else "  (the interval excludes 0)"
        lines.append(f"  {name:<52}{signed_percent(largest)}{verdict}")
    return lines


def _quality(results: "Results") -> list[str]:
    from stepmark.models.metrics.label_quality import ALL  # noqa: PLC0415

    from .results import QUALITY_LABELS, percent  # noqa: PLC0415

    num_problems, figures = results.num_quality_problems[ORACLE], results.quality.get(ORACLE, {}).get(ALL, {})
    lines = [f"Monte-Carlo labels against the oracle, {num_problems} problems, in percent:"]
    shown = [metric for metric in _QUALITY_ROWS if metric in figures]
    return lines + [f"  {QUALITY_LABELS[metric]:<52}{percent(figures[metric])}" for metric in shown]


def _first_errors(results: "Results") -> list[str]:
    lines = ["Finding the first error in test solutions (ProcessBench's F1), in percent:"]
    for row in results.first_errors:
        if row["metric"].startswith("first_error_f1") and row["value"] is not None:
            source = row["metric"].removeprefix("first_error_f1_")
            figures = f"{100 * row['value']:.1f} [{100 * row['ci95_low']:.1f}, {100 * row['ci95_high']:.1f}]"
            lines.append(f"  {row['selector'] + ', truth: ' + source:<52}{figures}")
    return lines


def _costs(results: "Results") -> list[str]:
    return [
        f"Tokens sampled: {cost['num_tokens']:,} for {cost['num_samples']:,} {kind}"
        for kind, cost in results.costs.items()
    ]
