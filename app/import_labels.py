"""``stepmark import-labels``: ratings from files into the store."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepmark.labeling.errors import StepmarkError

from .json_output import write_json
from .options import INPUT_FILE, home_option, output_option

if TYPE_CHECKING:
    from stepmark.assets.ingest import LabelReport

FORMATS = ("auto", "prm800k", "math-shepherd", "trl", "processbench", "rlhflow", "omegaprm", "stepmark")
_REJECTS_SHOWN = 10


@click.command("import-labels")
@click.argument("path", type=INPUT_FILE)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="auto",
    show_default=True,
    help="Format of the file; auto looks at its content.",
)
@click.option(
    "--split",
    type=click.Choice(["train", "test"]),
    default="train",
    show_default=True,
    help="Split of problems that are not stored yet.",
)
@output_option("--json", "json_path", "Also write the counts as JSON.")
@home_option
def import_labels_command(
    path: Path, format_name: str, split: str, json_path: Path | None, home: Path
) -> None:
    """Store the ratings of PATH and say what was accepted, refused or known before."""
    from stepmark.assets.ingest import ingest_labels  # noqa: PLC0415 - loads polars and DuckDB
    from stepmark.store.store import Store  # noqa: PLC0415

    store = Store(home)
    report = ingest_labels(store, path, format_name, split)
    store.publish()
    if json_path is not None:
        write_json(json_path, summary(report))
    click.echo(
        f"{report.format}: {report.num_accepted:,} accepted, {len(report.rejects):,} rejected,"
        f" {report.num_duplicates:,} duplicates, {report.counts['steps']:,} steps"
    )
    for name, number in sorted(report.counts.items()):
        click.echo(f"  {name}: {number:,}")
    for reject in report.rejects[:_REJECTS_SHOWN]:
        click.echo(f"  rejected line {reject.line}: {reject.reason}")
    if len(report.rejects) > _REJECTS_SHOWN:
        click.echo(f"  and {len(report.rejects) - _REJECTS_SHOWN:,} more, in table rejects")
    if report.rejects and not (report.num_accepted or report.num_duplicates):
        raise StepmarkError(
            f"{path}: every row was rejected; see the reasons above, and try another --format."
        )


def summary(report: "LabelReport") -> dict[str, object]:
    """The counts that scripts read."""
    return {
        "format": report.format,
        "accepted": report.num_accepted,
        "rejected": len(report.rejects),
        "duplicates": report.num_duplicates,
        "steps": report.counts["steps"],
        "counts": dict(report.counts),
        "written": dict(report.written),
    }
