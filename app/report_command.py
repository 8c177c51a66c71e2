"""``stepmark report``: the page on the published snapshot. Leaves out: the page itself (report.py)."""

from pathlib import Path

import click

from .options import home_option, output_option
from .profile_option import profile_option


@click.command("report")
@profile_option
@output_option("--out", "out", "File to write [default: report.html in the home].")
@home_option
def report_command(profile: str, out: Path | None, home: Path) -> None:
    """Write the report on the published snapshot as one HTML file."""
    from stepmark.pipeline.profile_file import load_profile  # noqa: PLC0415
    from stepmark.store.store import Store  # noqa: PLC0415

    from .report import write_report  # noqa: PLC0415 - Dagster and matplotlib load slowly

    page = write_report(Store(home), load_profile(profile).reward, out or home / "report.html")
    click.echo(f"Report: {page}")
