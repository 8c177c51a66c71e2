"""``stepmark export``: labels from the published snapshot into a file of any format in use.

Leaves out: rows of other tables, which ``stepmark sql`` prints.
"""

import heapq
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.formats.format import Writer
from stepmark.labeling.formats.registry import EXPORT_CHOICES
from stepmark.labeling.formats.writing import ExportedSolution, ExportOptions, ExportTally
from stepmark.labeling.vocabulary import HUMAN

from .io.outputs import output_file
from .options import home_option, output_option

_ALTERNATIVES = "rated alternatives to a step left out: prm800k alone holds them"
_TESTS_OF_LABELERS = "solutions left out: people rated them to be tested themselves"


@click.command("export")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(EXPORT_CHOICES)),
    required=True,
    help="Format of the file; parquet, csv and jsonl are plain tables, one row a step.",
)
@output_option("--out", "out", "File to write.", required=True)
@click.option("--label-source", help="Whose labels; needed where there are several and the format holds one.")
@click.option(
    "--neutral",
    type=click.Choice(["right", "wrong"]),
    default="right",
    show_default=True,
    help="What a neutral rating becomes in formats that know right and wrong only.",
)
@home_option
def export_command(format_name: str, out: Path, label_source: str | None, neutral: str, home: Path) -> None:
    """Write the labels of the published snapshot to a file, which import-labels can read again."""
    writer, tally = EXPORT_CHOICES[format_name], ExportTally()
    options = ExportOptions(neutral=1 if neutral == "right" else -1)
    with closing(_Labels(home, writer, label_source)) as labels, output_file(out) as file:
        labels.count_left_out(tally)
        num_rows = writer.write(file, labels.solutions(), options, tally)
        if not num_rows:
            reasons = "; ".join(f"{number:,} {what}" for what, number in sorted(tally.reasons.items()))
            raise StepmarkError(
                f"No label of {labels.whose} can be written as {format_name}"
                + (f" ({reasons})" if reasons else "")
                + "; choose another --format or --label-source."
            )
    click.echo(f"{out}: {num_rows:,} rows of {format_name}, labels of {labels.whose}")
    for what, number in sorted(tally.reasons.items()):
        click.echo(f"  {number:,} {what}")


class _Labels:
    """The labels to write, read from the snapshot over connections that ``close`` closes."""

    def __init__(self, home: Path, writer: Writer, label_source: str | None) -> None:
        from stepmark.store.labels.reader import label_sources  # noqa: PLC0415 - loads DuckDB
        from stepmark.store.snapshot import open_published  # noqa: PLC0415
        from stepmark.store.store import Store  # noqa: PLC0415

        published = Store(home).published
        self._writer = writer
        self._cons = [open_published(published)]
        try:
            self._source = _chosen_source(label_sources(self._cons[0]), writer, label_source)
            if writer.labelers == "beside":
                self._cons.append(open_published(published))  # two results are read side by side
        except BaseException:
            self.close()
            raise

    @property
    def whose(self) -> str:
        """The label source for a person to read."""
        return self._source or "all label sources"

    def close(self) -> None:
        """Close the connections."""
        for con in self._cons:
            con.close()

    def count_left_out(self, tally: ExportTally) -> None:
        """Tally what no row of the format is about."""
        from stepmark.store.labels.reader import count_alternatives, count_tests_of_labelers  # noqa: PLC0415 - loads DuckDB

        if self._source in (None, HUMAN) and self._writer.labelers != "alone":
            tally.reasons += Counter(
                {
                    _ALTERNATIVES: count_alternatives(self._cons[0], self._source),
                    _TESTS_OF_LABELERS: count_tests_of_labelers(self._cons[0]),
                }
            )  # which drops what is 0

    def solutions(self) -> Iterator[ExportedSolution]:
        """Solution by solution, in the order they were stored."""
        from stepmark.store.labels.reader import read_human_labels, read_labels  # noqa: PLC0415 - loads DuckDB

        labelers = self._writer.labelers
        if labelers == "alone" and self._source == HUMAN:
            return read_human_labels(self._cons[0], with_tests_of_labelers=True)
        by_source = read_labels(
            self._cons[0],
            self._source,
            is_by_problem=self._writer.is_by_problem,
            without_human_labels=labelers == "beside",
        )
        if labelers == "beside" and self._source in (None, HUMAN):
            by_labeler = read_human_labels(self._cons[1], with_tests_of_labelers=False)
            return heapq.merge(by_labeler, by_source, key=lambda one: one.place)
        return by_source


def _chosen_source(found: dict[str, int], writer: Writer, wanted: str | None) -> str | None:
    """The label source to write; None for all of them."""
    listed = ", ".join(f"{name} ({number:,} solutions)" for name, number in found.items())
    if not found:
        raise StepmarkError("The snapshot holds no labels; import or make some before exporting.")
    if wanted is not None:
        if wanted not in found:
            raise StepmarkError(f"No solution has labels of {wanted!r}; --label-source can be {listed}.")
        return wanted
    if writer.holds_sources:
        return None if len(found) > 1 else next(iter(found))
    if writer.labelers == "alone" and HUMAN in found:
        return HUMAN
    if len(found) > 1:
        raise StepmarkError(f"The snapshot holds labels of {listed}; say whose with --label-source.")
    return next(iter(found))
