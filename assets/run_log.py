"""A run as the command line shows it: one plain line for each asset as it starts, on stderr.

Leaves out: Dagster's own records, which the UI shows, and what is said of a failure (run_failure.py).
"""

import logging
import sys
from collections.abc import Collection

import dagster as dg

from .metadata import NOTE

# In the metadata of the assets that keep what is there; the others are made anew each time.
_COUNTS_OF_NEW = ("num_new", "num_completed", "num_graded", "num_scored", "num_likelihoods")


def plain_lines(names: Collection[str]) -> dg.LoggerDefinition:
    """A logger that shows the assets of these names, and no step of a check."""

    def logger_of(context: dg.InitLoggerContext) -> logging.Logger:
        logger = logging.Logger("stepmark.progress", logging.DEBUG)
        logger.addHandler(_AssetLines(names))
        return logger

    return dg.LoggerDefinition(logger_of)


class _AssetLines(logging.Handler):
    """Prints an asset's name when it starts, and its note when it is made.

    An asset that counts what it makes says so where all of it was there, or a second run would look like a
    first.
    """

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "dagster_event", None)
        if event is None or event.step_key not in self._names:
            return
        if event.event_type_value == "STEP_START":
            _print(f"> {event.step_key}")
        elif event.event_type_value == "ASSET_MATERIALIZATION":
            metadata = event.event_specific_data.materialization.metadata
            counts = [metadata[name].value for name in _COUNTS_OF_NEW if name in metadata]
            if counts and not any(counts):
                _print("  nothing new")
            if NOTE in metadata:
                _print(f"  {metadata[NOTE].value}")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
