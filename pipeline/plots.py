"""Pictures of results: best-of-N curves, training losses and label quality, as PNG.

Leaves out: the figures themselves (selection.py, quality.py).
"""

import io
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stepmark.models.metrics.intervals import Estimate, PossibleEstimate
from stepmark.models.metrics.slices import PASS_RATE_BINS

from .quality import Quality

_SIZE_INCHES, _WIDE_INCHES, _DPI = (7.0, 4.2), (9.0, 4.2), 110


def best_of_n_picture(points: Mapping[str, Mapping[int, Estimate]], selectors: Sequence[str]) -> bytes:
    """Share of problems solved against N, one line a selector, its 95% interval as a band."""
    figure = Figure(figsize=_SIZE_INCHES, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    for name in selectors:
        by_n = points.get(name)
        if by_n:
            ns = sorted(by_n)
            (line,) = axes.plot(ns, [by_n[n].value for n in ns], marker="o", markersize=4, label=name)
            axes.fill_between(
                ns, [by_n[n].low for n in ns], [by_n[n].high for n in ns], alpha=0.12, color=line.get_color()
            )
    axes.set_xscale("log", base=2)
    axes.set_xlabel("N, solutions per problem")
    axes.set_ylabel("share of problems solved")
    axes.set_ylim(0, 1)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _png(figure)


def loss_picture(train: Sequence[tuple[int, float]], validation: Sequence[tuple[int, float]]) -> bytes:
    """Train and validation loss, in nats per labeled step, against the training step."""
    figure = Figure(figsize=_SIZE_INCHES, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    for name, history in (("train", train), ("validation", validation)):
        axes.plot(
            [step for step, _ in history], [loss for _, loss in history], marker="o", markersize=3, label=name
        )
    axes.set_xlabel("training step")
    axes.set_ylabel("loss, nats per labeled step")
    axes.grid(alpha=0.3)
    axes.legend()
    return _png(figure)


def label_quality_picture(quality: Quality) -> bytes:
    """Agreement on the first error by pass rate of the problem; beside it what labels say and what holds."""
    figure = Figure(figsize=_WIDE_INCHES, dpi=_DPI, layout="constrained")
    agreement, reliability = figure.subplots(1, 2)
    reliability.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--")
    for truth, slices in quality.items():
        for metric, label in (("agreement", "all"), ("agreement_on_error", "with an error")):
            points = [
                (float(x), slices[name][f"first_error_{metric}"])
                for x, name in enumerate(PASS_RATE_BINS)
                if name in slices
            ]
            _draw(agreement, points, f"{truth}: {label}")
        for said, share in (("value", "share_right"), ("p_wrong", "share_wrong")):
            points = [
                (metrics[f"{said}_mean"].value or 0.0, metrics[f"{said}_{share}"])
                for name, metrics in sorted(slices.items())
                if name.startswith(f"{said}_")
            ]
            _draw(reliability, points, f"{truth}: {said}, {share.replace('_', ' ')}")
    agreement.set_xticks(
        range(len(PASS_RATE_BINS)), [name.removeprefix("pass_rate_") for name in PASS_RATE_BINS], fontsize=8
    )
    agreement.set_xlabel("pass rate of the problem")
    agreement.set_ylabel("first errors that agree")
    reliability.set_xlabel("what the label says, mean of a bin")
    reliability.set_ylabel("share that holds")
    for axes in (agreement, reliability):
        axes.set_ylim(0, 1)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    return _png(figure)


def _draw(axes: Axes, points: Sequence[tuple[float, PossibleEstimate]], label: str) -> None:
    """Points that have a value, with their intervals as bars; nothing where none has."""
    known = [(x, y.value, y.low, y.high) for x, y in points if y.value is not None]
    if not known:
        return
    below = [0.0 if low is None else value - low for _, value, low, _ in known]
    above = [0.0 if high is None else high - value for _, value, _, high in known]
    axes.errorbar(
        [x for x, _, _, _ in known],
        [value for _, value, _, _ in known],
        yerr=[below, above],
        label=label,
        marker="o",
        markersize=4,
        capsize=2,
        linewidth=1,
    )


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
