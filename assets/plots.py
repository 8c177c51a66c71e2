"""Pictures of results: best-of-N curves and training losses, as PNG.

Leaves out: the figures themselves (selection.py).
"""

import io
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from stepmark.models.metrics.intervals import Estimate

_SIZE_INCHES, _DPI = (7.0, 4.2), 110


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


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
