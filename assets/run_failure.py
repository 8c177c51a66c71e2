"""Why a run failed, in the sentence of the asset or the check that stopped it.

Leaves out: Dagster's traceback, which the UI shows.
"""

import dagster as dg

from stepmark.labeling.errors import InputError, StepmarkError

_INTERRUPTED = dg.DagsterExecutionInterruptedError.__name__
_QUERY_INTERRUPTED = "RuntimeError: Query interrupted"  # what DuckDB makes of an interrupt
# Dagster keeps an error as the text of a traceback's last line.
_OWN_ERRORS = [f"{kind.__module__}.{kind.__qualname__}: " for kind in (InputError, StepmarkError)]


def failure_sentence(result: dg.ExecuteInProcessResult) -> str:
    """What a run that did not succeed says of itself.

    Raises:
        KeyboardInterrupt: if it was interrupted.
    """
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
            for prefix in _OWN_ERRORS:
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
