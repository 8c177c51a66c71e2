"""The process that judges what may take long: one JSON line in, one JSON line out.

Started by ``pool`` as ``python -m stepmark.labeling.grading.worker JUDGE SECONDS MEBIBYTES``,
it writes ``ready`` once its libraries are loaded and warm, which takes a second. A child that it forks does
the judging: a kernel timer counts the child's processor time for each pair and ends it at the limit, even
inside a C function and even if everyone else is gone, and the next child is there at once. Both end with the
input.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from stepmark.labeling.vocabulary import TIMEOUT, UNPARSABLE, Verdict

from .worker_process import READY

Judge = Callable[[str, str], Verdict]

_WARM_UP = [("\\sin^2 x + \\cos^2 x", "1"), ("\\log_2 8", "3")]
_MEBIBYTE = 1024 * 1024
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Judge lines ``[ground_truth, answer]`` from standard input until it ends."""
    name, time_limit_s, memory_limit_mb = arguments[0], float(arguments[1]), int(arguments[2])
    replies = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not mix with the replies
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    judge = _judge(name)
    for pair in _WARM_UP:
        judge(*pair)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit_mb * _MEBIBYTE, memory_limit_mb * _MEBIBYTE))
    os.write(replies, READY.encode() + b"\n")
    while (status := _serve_in_child(judge, time_limit_s, replies)) == -signal.SIGPROF:
        _reply(replies, TIMEOUT)
    os._exit(status != 0)  # an orderly end would take the interpreter a third of a second


def _judge(name: str) -> Judge:
    # Imported here: they are slow, and their errors must go to the redirected output.
    if name == "math-verify":
        from .second_grader import decide_with_math_verify  # noqa: PLC0415

        return decide_with_math_verify
    from .equivalence import decide_with_algebra  # noqa: PLC0415

    return decide_with_algebra


def _serve_in_child(judge: Judge, time_limit_s: float, replies: int) -> int:
    """Judge in a forked child until the input ends, or the child; its exit code, negative for a signal."""
    parent = os.getpid()
    # Ended before it can end the child with itself, it would leave the child behind.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    child = os.fork()
    if child == 0:
        _end_with(parent)
        while line := sys.stdin.buffer.readline():
            _reply(replies, _timed_verdict(judge, json.loads(line), time_limit_s))
        os._exit(0)
    signal.signal(signal.SIGTERM, lambda number, frame: _end(child))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _end_with(parent: int) -> None:
    """Let the kernel end this process when its parent is killed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    if os.getppid() != parent:  # it was killed before the second line
        os._exit(1)


def _end(child: int) -> None:
    with suppress(ProcessLookupError, ChildProcessError):  # it has just ended by itself
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os._exit(0)


def _reply(replies: int, verdict: Verdict) -> None:
    os.write(replies, json.dumps(verdict).encode() + b"\n")


def _timed_verdict(judge: Judge, pair: list[str], time_limit_s: float) -> Verdict:
    signal.setitimer(signal.ITIMER_PROF, time_limit_s)
    try:
        return judge(*pair)
    except RecursionError:
        return UNPARSABLE  # nested too deeply to be an answer
    except MemoryError:
        return TIMEOUT
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
