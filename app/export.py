"""``stepmark export``: labels from the published snapshot into a file of any format in use.

Leaves out: rows of other tables, which ``stepmark sql`` prints.
"""

import heapq
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.vocabulary import HUMAN

from .options import home_option, output_option
from .row_files import WRITERS
from .text_output import output_file

if TYPE_CHECKING:
    from stepmark.labeling.formats.export_registry import ExportFormat
    from stepmark.labeling.formats.writing import ExportTally, RatedSolution

FORMATS = (
    "prm800k", "trl", "math-shepherd", "rlhflow", "processbench", "omegaprm", "label-studio", "stepmark",
    "parquet", "csv", "jsonl",
)  # fmt: skip
_ALTERNATIVES = "rated alternatives to a step left out: prm800k alone holds them"
_TESTS_OF_LABELERS = "solutions left out: people rated them to be tested themselves"


@click.command("export")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
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
    from stepmark.labeling.formats.export_registry import FORMATS as EXPORTS  # noqa: PLC0415
    from stepmark.labeling.formats.tables_writer import COLUMNS  # noqa: PLC0415
    from stepmark.labeling.formats.writing import ExportOptions, ExportTally  # noqa: PLC0415

    chosen, tally = EXPORTS[format_name], ExportTally()
    options = ExportOptions(neutral=1 if neutral == "right" else -1)
    with closing(_Labels(home, chosen, label_source)) as labels, output_file(out) as file:
        labels.count_left_out(tally)
        rows = chosen.rows(labels.rated(), options, tally)
        num_rows = WRITERS[chosen.layout](file, rows, COLUMNS)
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

    def __init__(self, home: Path, wanted: "ExportFormat", label_source: str | None) -> None:
        from stepmark.store.labels.reader import label_sources  # noqa: PLC0415 - loads DuckDB
        from stepmark.store.snapshot import open_published  # noqa: PLC0415
        from stepmark.store.store import Store  # noqa: PLC0415

        published = Store(home).published
        self._wanted = wanted
        self._cons = [open_published(published)]
        try:
            self._source = _chosen_source(label_sources(self._cons[0]), wanted, label_source)
            if wanted.people == "beside":
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

    def count_left_out(self, tally: "ExportTally") -> None:
        """Tally what no row of the format is about."""
        from stepmark.store.labels.reader import count_alternatives, count_tests_of_labelers  # noqa: PLC0415 - loads DuckDB

        if self._source in (None, HUMAN) and self._wanted.people != "alone":
            tally.reasons += Counter(
                {
                    _ALTERNATIVES: count_alternatives(self._cons[0], self._source),
                    _TESTS_OF_LABELERS: count_tests_of_labelers(self._cons[0]),
                }
            )  # which drops what is 0

    def rated(self) -> Iterator["RatedSolution"]:
        """Solution by solution, in the order they were stored."""
        from stepmark.store.labels.reader import read_human_labels, read_labels  # noqa: PLC0415 - loads DuckDB

        people = self._wanted.people
        if people == "alone" and self._source == HUMAN:
            return read_human_labels(self._cons[0], with_tests_of_labelers=True)
        machines = read_labels(
            self._cons[0],
            self._source,
            is_by_problem=self._wanted.is_by_problem,
            without_human_labels=people == "beside",
        )
        if people == "beside" and self._source in (None, HUMAN):
            persons = read_human_labels(self._cons[1], with_tests_of_labelers=False)
            return heapq.merge(persons, machines, key=lambda one: one.place)
        return machines


def _chosen_source(found: dict[str, int], wanted: "ExportFormat", asked: str | None) -> str | None:
    """The label source to write; None for all of them."""
    told = ", ".join(f"{name} ({number:,} solutions)" for name, number in found.items())
    if not found:
        raise StepmarkError("The snapshot holds no labels; import or make some before exporting.")
    if asked is not None:
        if asked not in found:
            raise StepmarkError(f"No solution has labels of {asked!r}; --label-source can be {told}.")
        return asked
    if wanted.holds_sources:
        return None if len(found) > 1 else next(iter(found))
    if wanted.people == "alone" and HUMAN in found:
        return HUMAN
    if len(found) > 1:
        raise StepmarkError(f"The snapshot holds labels of {told}; say whose with --label-source.")
    return next(iter(found))
