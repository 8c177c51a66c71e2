"""``stepmark demo``: the main job on the embedded default, from problems to a judged PRM.

Leaves out: the work itself (stepmark.assets), and the words for what came out (demo_text.py).
"""

import time
from pathlib import Path

import click

from .io.outputs import write_json
from .options import home_option, output_option
from .refresh import database_line


@click.command("demo")
@output_option("--json", "json_path", "Also write the results as JSON.")
@home_option
def demo_command(json_path: Path | None, home: Path) -> None:
    """Sample, grade, label, train and judge on minimath, and print which selector picks better."""
    # Dagster and matplotlib load slowly, and a light install is without them.
    from stepmark.pipeline.profile_file import BUILT_IN, load_profile  # noqa: PLC0415
    from stepmark.store.store import Store  # noqa: PLC0415

    from .demo_text import demo_lines  # noqa: PLC0415
    from .report import write_report  # noqa: PLC0415
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
    click.echo("\n".join(demo_lines(results)))
    click.echo(database_line(home))
    click.echo(f"Report    {report}")
    click.echo(f"UI        stepmark ui --home {home}, then http://127.0.0.1:3000")
    click.echo(f"Done in {(time.monotonic() - started) / 60:.1f} minutes.")
