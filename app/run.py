"""Running the job ``refresh`` in this process, with its runs kept where the UI finds them.

Leaves out: what the job does (stepmark.assets) and what is printed afterwards.
"""

import os
from pathlib import Path

import dagster as dg
import sqlalchemy.exc  # Dagster's

from stepmark.assets.definitions import build_definitions
from stepmark.assets.resources import Pipeline
from stepmark.assets.run_failure import failure_sentence
from stepmark.assets.run_log import plain_lines
from stepmark.labeling.errors import StepmarkError
from stepmark.store.create import refuse_unopenable
from stepmark.store.frames import one_line
from stepmark.store.store import Store

_PLAIN = "plain_lines"
# No telemetry, and no window that asks for an address before the graph is seen.
_INSTANCE_SETTINGS = "telemetry:\n  enabled: false\nnux:\n  enabled: false\n"
# The UI keeps what a run prints in files. On the command line that would take the terminal away from the
# progress bars, and leave helper processes that a Ctrl-C makes cry.
_COMMAND_LINE = "command-line.yaml"
_COMMAND_LINE_SETTINGS = (
    _INSTANCE_SETTINGS
    + "compute_logs:\n  module: dagster._core.storage.noop_compute_log_manager\n"
    + "  class: NoOpComputeLogManager\n"
)


def dagster_home(home: Path) -> Path:
    """The folder of Dagster's own records inside a home, made when absent."""
    refuse_unopenable(Store(home).live)  # Dagster's own database fails at a question mark, too
    folder = (home / "dagster").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("dagster.yaml", _INSTANCE_SETTINGS), (_COMMAND_LINE, _COMMAND_LINE_SETTINGS)):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def refresh(
    home: Path, profile: str, *, allow_leak: bool = False, resource: type[Pipeline] = Pipeline
) -> None:
    """Materialize what is missing in ``home``; one line on stderr for each asset as it starts.

    With ``allow_leak`` models are trained in spite of problems that are evaluated on too, or were asked for
    in both splits, on record. ``resource`` is what every asset gets its store, profile and engines from.

    Raises:
        StepmarkError: with the sentence of the asset, or the check, that failed.
        KeyboardInterrupt: if the run was interrupted, by Ctrl-C or SIGTERM.
    """
    folder = str(dagster_home(home))
    os.environ["DAGSTER_HOME"] = folder
    pipeline = resource(home=str(home.resolve()), profile=profile, allow_leak=allow_leak)
    settings = pipeline.settings()
    graph = build_definitions(pipeline, settings).resolve_asset_graph()
    names = {key.to_user_string() for key in graph.get_all_asset_keys()}
    definitions = build_definitions(pipeline, settings, {_PLAIN: plain_lines(names)})
    job = definitions.resolve_job_def("refresh")
    try:
        with dg.DagsterInstance.from_config(folder, _COMMAND_LINE) as instance:
            result = job.execute_in_process(
                # Naming a logger keeps Dagster from writing its own records to the screen as well.
                run_config={"loggers": {_PLAIN: {}}},
                instance=instance,
                raise_on_error=False,
            )
    except sqlalchemy.exc.DBAPIError as error:
        raise StepmarkError(
            f"Dagster's records of runs in {folder} cannot be read or written: "
            f"{one_line(error.orig or error)}; look at the disk's free space and permissions, or move that "
            "folder away: a new one is made."
        ) from error
    if not result.success:
        raise StepmarkError(failure_sentence(result))
