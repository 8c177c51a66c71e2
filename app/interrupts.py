"""Ctrl-C at any moment is exit code 130 and at most one sentence.

While the command line itself is imported, nothing is begun and the process just ends; so this module is
imported before all others and needs next to nothing. Later, libraries make other errors of an interrupt (a
failed import, a failed query), so it is remembered that one came. Leaves out: what Python does before it
runs a line of ours.
"""

import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

_CODE = 130
_has_come = False


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_CODE)


def _remember(number: int, frame: FrameType | None) -> NoReturn:
    global _has_come  # noqa: PLW0603 - a signal is the process's own
    _has_come = True
    if "logging" in sys.modules:  # what libraries log of being interrupted is no news
        sys.modules["logging"].disable()
    raise KeyboardInterrupt


def _replace(old: object, new: object) -> None:
    # A handler that is not the one expected is another's, such as that of a process in the background.
    with contextlib.suppress(ValueError):  # not the main thread: signals are not ours to handle
        if signal.getsignal(signal.SIGINT) is old:
            signal.signal(signal.SIGINT, new)  # type: ignore[arg-type]


def imported() -> None:
    """Say that the command line is imported: an interrupt is an exception again."""
    _replace(_end_at_once, signal.default_int_handler)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """End the process with one sentence where an interrupt ended the block, whatever became of it there."""
    _replace(signal.default_int_handler, _remember)
    try:
        yield
    except BaseException as error:
        if not (_has_come or isinstance(error, KeyboardInterrupt)):
            raise
        end()
    finally:
        _replace(_remember, signal.default_int_handler)


def end() -> NoReturn:
    """Say in one sentence that the process was interrupted, and end it.

    ``sys.exit`` would not do: Python, having seen an interrupt in an import, ends by the signal then.
    """
    for handler in (_remember, signal.default_int_handler):
        _replace(handler, _end_at_once)  # one who cannot wait
    with contextlib.suppress(OSError, ValueError):  # nobody reads any more
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("Interrupted; what was committed stays, and the next run goes on from there.\n")
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(_CODE)


_replace(signal.default_int_handler, _end_at_once)
