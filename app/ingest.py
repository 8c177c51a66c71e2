"""``stepmark ingest``: problems from files into the store."""

from collections import Counter
from pathlib import Path

import click

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.vocabulary import SPLITS_OF_PROBLEMS

from .options import INPUT_PATH, as_text, home_option

_REJECTS_SHOWN = 10


@click.command("ingest")
@click.argument("path", type=INPUT_PATH, callback=as_text)
@click.option(
    "--source",
    default="math",
    show_default=True,
    callback=as_text,
    help="Name the problems are stored under.",
)
@click.option(
    "--split", type=click.Choice(SPLITS_OF_PROBLEMS), help="Their split, where the files do not tell it."
)
@home_option
def ingest_command(path: Path, source: str, split: str | None, home: Path) -> None:
    """Store the problems of PATH: JSON Lines, Parquet, or a folder of MATH's JSON files."""
    from stepmark.pipeline.ingest import ingest_path  # noqa: PLC0415 - loads polars and DuckDB
    from stepmark.store.store import Store  # noqa: PLC0415

    store = Store(home)
    report = ingest_path(store, path, source, split)
    store.publish()
    click.echo(
        f"{report.num_new:,} new problems, {report.num_known:,} known before, {len(report.rejects):,} refused"
    )
    if report.num_completed:
        click.echo(f"  {report.num_completed:,} of the known ones completed or corrected")
    if report.num_in_other_split:
        click.echo(
            f"  {report.num_in_other_split:,} of the known ones are stored in another split and stay there:"
            " what was trained on must not become a test"
        )
    reasons = Counter(reject.reason for reject in report.rejects)
    for reject in report.rejects[:_REJECTS_SHOWN]:
        where = reject.file if reject.line is None else f"{reject.file}, line {reject.line}"
        click.echo(f"  refused {where}: {reject.reason}")
    if len(report.rejects) > _REJECTS_SHOWN:
        click.echo(
            f"  and {len(report.rejects) - _REJECTS_SHOWN:,} more of {len(reasons):,} kinds, in table rejects"
        )
    if report.rejects and not (report.num_new or report.num_known):
        raise StepmarkError(
            f"{path}: every row was refused; see the reasons above, and give a file of problems."
        )
