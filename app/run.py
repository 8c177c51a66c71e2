"""Running the job ``refresh`` in this process, with its runs kept where the UI finds them.

Leaves out: what the job does (stepmark.assets) and what is printed afterwards.
"""

import logging
import os
import sys
from pathlib import Path

import dagster as dg
import sqlalchemy.exc  # Dagster's

from stepmark.assets.definitions import build_definitions
from stepmark.assets.metadata import TOLD
from stepmark.assets.resources import Pipeline
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
# In the metadata of the assets that keep what is there; the others are made anew each time.
_COUNTS_OF_NEW = ("num_new", "num_completed", "num_graded", "num_scored", "num_likelihoods")
_INTERRUPTED = dg.DagsterExecutionInterruptedError.__name__
_QUERY_INTERRUPTED = "RuntimeError: Query interrupted"  # what DuckDB makes of an interrupt


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
    definitions = build_definitions(pipeline, settings, {_PLAIN: _plain_lines(names)})
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
        raise StepmarkError(_first_failure(result))


def _plain_lines(names: set[str]) -> dg.LoggerDefinition:
    """One plain line for each of the named assets as it starts; Dagster's own records keep the rest."""

    def logger_of(context: dg.InitLoggerContext) -> logging.Logger:
        logger = logging.Logger("stepmark.progress", logging.DEBUG)
        logger.addHandler(_StepLines(names))
        return logger

    return dg.LoggerDefinition(logger_of)


class _StepLines(logging.Handler):
    """Prints the name of an asset when it starts; the steps of its checks are not told.

    An asset that counts what it makes says so where all of it was there, or a second run would look like a
    first; and what an asset has to tell is told.
    """

    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self._names = names

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "dagster_event", None)
        if event is None or event.step_key not in self._names:
            return
        if event.event_type_value == "STEP_START":
            print(f"> {event.step_key}", file=sys.stderr, flush=True)
        elif event.event_type_value == "ASSET_MATERIALIZATION":
            metadata = event.event_specific_data.materialization.metadata
            counts = [metadata[name].value for name in _COUNTS_OF_NEW if name in metadata]
            if counts and not any(counts):
                print("  nothing new", file=sys.stderr, flush=True)
            if TOLD in metadata:
                print(f"  {metadata[TOLD].value}", file=sys.stderr, flush=True)


def _first_failure(result: dg.ExecuteInProcessResult) -> str:
    for event in result.all_events:
        if event.event_type_value == "STEP_FAILURE":
            stopped = _failed_check(result, event.step_key)
            if stopped is not None:
                return stopped
            error = event.step_failure_data.error
            cause = error.cause if error is not None and error.cause is not None else error
            if cause is not None and (cause.cls_name == _INTERRUPTED or _QUERY_INTERRUPTED in cause.message):
                raise KeyboardInterrupt
            message = "no reason was given" if cause is None else cause.message.strip()
            for prefix in (
                "stepmark.labeling.errors.InputError: ",
                "stepmark.labeling.errors.StepmarkError: ",
            ):
                message = message.removeprefix(prefix)
            return f"the asset {event.step_key!r} failed: {message}"
    return "the run failed before any asset started; look at it in the UI (stepmark ui)."


def _failed_check(result: dg.ExecuteInProcessResult, step_key: str | None) -> str | None:
    """What a check that stopped the run says of itself; None where the step is no such check."""
    for event in result.all_events:
        if event.event_type_value == "ASSET_CHECK_EVALUATION" and event.step_key == step_key:
            found = event.asset_check_evaluation_data
            if not found.passed and found.description:
                asset = found.asset_key.to_user_string()
                return f"the check {found.check_name!r} of the asset {asset!r} failed: {found.description}"
    return None
