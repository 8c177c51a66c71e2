"""``stepmark import-labels``: ratings from files into the store."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.formats.registry import AUTO, IMPORT_CHOICES
from stepmark.labeling.vocabulary import SPLITS_OF_PROBLEMS

from .io.outputs import write_json
from .options import INPUT_FILE, as_text, home_option, output_option

if TYPE_CHECKING:
    from stepmark.store.labels.storing import LabelReport

_REJECTS_SHOWN = 10
_STORED = ("problems", "solutions", "steps", "human_labels", "step_labels")
_RATINGS = (("1", "right"), ("0", "neutral"), ("-1", "wrong"), ("null", "not given"))


@click.command("import-labels")
@click.argument("path", type=INPUT_FILE, callback=as_text)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(IMPORT_CHOICES)),
    default=AUTO,
    show_default=True,
    help="Format of the file; auto looks at its content. A table has one row a step.",
)
@click.option(
    "--split",
    type=click.Choice(SPLITS_OF_PROBLEMS),
    help="Split its problems are asked for in; without it, stored ones keep theirs, new ones are train.",
)
@output_option("--json", "json_path", "Also write the counts as JSON.")
@home_option
def import_labels_command(
    path: Path, format_name: str, split: str | None, json_path: Path | None, home: Path
) -> None:
    """Store the ratings of PATH and say what was accepted, refused or known before."""
    from stepmark.pipeline.label_files import ingest_labels  # noqa: PLC0415 - loads polars and DuckDB
    from stepmark.store.store import Store  # noqa: PLC0415

    store = Store(home)
    report = ingest_labels(store, path, IMPORT_CHOICES[format_name], split)
    store.publish()
    if json_path is not None:
        write_json(json_path, summary(report))
    click.echo(
        f"{report.format}: {report.num_accepted:,} accepted, {report.num_rejected:,} rejected,"
        f" {report.num_duplicates:,} duplicates, {report.counts['steps']:,} steps"
    )
    for line in sentences_of(report.counts):
        click.echo(f"  {line}")
    new = [f"{report.written[name]:,} {name.replace('_', ' ')}" for name in _STORED if report.written[name]]
    click.echo(f"  new in the store: {', '.join(new) or 'nothing'}")
    if report.num_in_other_split:
        click.echo(
            f"  {report.num_in_other_split:,} of its problems are stored in another split than the one asked"
            " for, and stay there; import it again without --split to leave them in theirs"
        )
    for reject in report.rejects[:_REJECTS_SHOWN]:
        click.echo(f"  rejected line {reject.line}: {reject.reason}")
    if len(report.rejects) > _REJECTS_SHOWN:
        click.echo(f"  and {len(report.rejects) - _REJECTS_SHOWN:,} more, in table rejects")
    if report.rejects and not (report.num_accepted or report.num_duplicates):
        raise StepmarkError(
            f"{path}: every row was rejected; see the reasons above, and try another --format."
        )


def sentences_of(counts: Mapping[str, int]) -> Iterator[str]:
    """What the first line does not say, in words, as far as there is any of it."""
    yield f"{counts['lines']:,} lines read, {counts['step_labels']:,} step labels in those not refused"
    if counts["completions"]:
        yield f"{counts['completions']:,} texts shown to people, {counts['human_written']:,} written by them"
    phases = sorted({name.split("_rating_")[0] for name in counts if "_rating_" in name})
    for phase in phases:
        where = "" if phase == "phase_None" else f" in {phase.replace('_', ' ')}"
        ratings = (f"{counts[f'{phase}_rating_{key}']:,} {word}" for key, word in _RATINGS)
        yield f"ratings{where}: {', '.join(ratings)}"
    if counts["quality_control"] or counts["screening"]:
        yield (
            f"{counts['quality_control']:,} questions check labelers, {counts['screening']:,} screen them;"
            " they give no step labels"
        )
    if counts["alternatives"] or counts["alternatives_conflicting"]:
        yield (
            f"{counts['alternatives']:,} rated alternatives to a step;"
            f" {counts['alternatives_conflicting']:,} more left out, for people disagree on them"
        )


def summary(report: "LabelReport") -> dict[str, object]:
    """The counts that scripts read."""
    return {
        "format": report.format,
        "accepted": report.num_accepted,
        "rejected": report.num_rejected,
        "duplicates": report.num_duplicates,
        "steps": report.counts["steps"],
        "counts": dict(+report.counts),
        "written": dict(report.written),
    }
