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
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

_EXIT_CODE = 130
_has_come = False


def ended_at_once() -> contextlib.AbstractContextManager[None]:
    """An interrupt of the block ends the process, and nothing is said."""
    return _handled_by(_end_at_once)


@contextlib.contextmanager
def ended_with_a_sentence(*made_of_one: type[Exception]) -> Iterator[None]:
    """An interrupt of the block ends the process with one sentence, whatever became of it there.

    ``made_of_one`` are the errors that some library is known to make of an interrupt it caught itself.
    """
    with _handled_by(_remember):
        try:
            yield
        except BaseException as error:
            if not (_has_come or isinstance(error, (KeyboardInterrupt, *made_of_one))):
                raise
            with _handled_by(_end_at_once):  # a second one, of somebody who cannot wait
                _end_with_a_sentence()


@contextlib.contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], NoReturn]) -> Iterator[None]:
    # A handler that is neither Python's nor ours is another's, such as that of a process in the background.
    before = signal.getsignal(signal.SIGINT)
    with contextlib.suppress(ValueError):  # not the main thread: signals are not ours to handle
        if before in (signal.default_int_handler, _remember):
            signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handler:
            signal.signal(signal.SIGINT, before)


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_EXIT_CODE)


def _remember(number: int, frame: FrameType | None) -> NoReturn:
    global _has_come  # noqa: PLW0603 - a signal is the process's own
    _has_come = True
    if "logging" in sys.modules:  # what libraries log of being interrupted is no news
        sys.modules["logging"].disable()
    raise KeyboardInterrupt


def _end_with_a_sentence() -> NoReturn:
    # Not by sys.exit: Python, having seen an interrupt in an import, ends by the signal then.
    with contextlib.suppress(OSError, ValueError):  # nobody reads any more
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("Interrupted; what was committed stays, and the next run goes on from there.\n")
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(_EXIT_CODE)
