"""``stepmark first-error``: ProcessBench's accuracies and F1 from a file of labels and predictions.

Leaves out: making predictions from step scores (``stepmark.models.metrics.thresholds``).
"""

import re
from pathlib import Path

import click

from stepmark.models.metrics.first_error import FirstErrorMetrics, first_error_metrics
from stepmark.models.metrics.intervals import Estimate

from .estimates import interval_fields, percent
from .io.jsonl import JsonLine, read_jsonl, shown
from .io.outputs import write_json
from .options import INPUT_FILE, output_option

_REMEDY = "give the 0-based index of the first wrong step, or -1 for none"
_FIGURES = ("accuracy_error", "accuracy_correct", "f1")


@click.command("first-error")
@click.argument("file", type=INPUT_FILE)
@output_option("--json", "json_path", "Also write the figures as JSON.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resamples.")
def first_error_command(file: Path, json_path: Path | None, seed: int) -> None:
    """ProcessBench's accuracies and F1 with 95% intervals.

    FILE holds one JSON object a solution: {"label": 2, "prediction": -1}, the 0-based index of the first
    wrong step, -1 for none. A null prediction (the judge named none) counts as wrong and is counted apart.
    """
    labels: list[int] = []
    predictions: list[int | None] = []
    for line in read_jsonl(file):
        labels.append(_index(line, "label"))
        is_null = line.required("prediction", _REMEDY) is None
        predictions.append(None if is_null else _index(line, "prediction"))
    metrics = first_error_metrics(labels, predictions, seed=seed)
    if json_path is not None:
        write_json(json_path, metrics_as_json(metrics))
    click.echo(format_metrics(metrics))


def metrics_as_json(metrics: FirstErrorMetrics) -> dict[str, object]:
    """Shares under the published keys, null where undefined; intervals, counts and reason beside them."""
    figures = {name: getattr(metrics, name) for name in _FIGURES}
    values = {name: None if estimate is None else estimate.value for name, estimate in figures.items()}
    intervals = {
        name: None if estimate is None else interval_fields(estimate) for name, estimate in figures.items()
    }
    return {
        **values,
        "intervals": intervals,
        "num_error": metrics.num_error,
        "num_correct": metrics.num_correct,
        "num_without_prediction": metrics.num_without_prediction,
        "reason": metrics.reason,
    }


def format_metrics(metrics: FirstErrorMetrics) -> str:
    """The figures in percent with 95% intervals, one a line, and in words what is missing."""
    lines = [
        f"accuracy on {metrics.num_error} erroneous solutions: {_percent(metrics.accuracy_error)}",
        f"accuracy on {metrics.num_correct} correct solutions: {_percent(metrics.accuracy_correct)}",
        f"F1: {_percent(metrics.f1)}",
    ]
    if metrics.num_without_prediction:
        lines.append(f"{metrics.num_without_prediction} solutions without a prediction, counted as wrong")
    if metrics.reason is not None:
        lines.append(f"Not known: {metrics.reason}.")
    return "\n".join(lines)


def _percent(estimate: Estimate | None) -> str:
    return "not known" if estimate is None else percent(estimate)


def _index(line: JsonLine, key: str) -> int:
    value = line.required(key, _REMEDY)
    index: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        index = value
    elif isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", value):
        index = int(value)
    if index is None or index < -1:
        line.refuse(f'"{key}" is {shown(value)}', _REMEDY)
    return index
