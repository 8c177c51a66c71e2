"""The process that grades what needs computer algebra: one JSON line in, one JSON line out.

Started by ``grading_pool`` as ``python -m stepmark.labeling.grading_worker TIME_LIMIT_S MEMORY_LIMIT_MB``. It
says ``ready`` once SymPy is loaded and warm. While a pair is graded a kernel timer counts the processor time
and ends the process at the limit, even inside a C function and even if the parent is gone. The process also
ends when its input does.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable

_WARM_UP = [("\\sin^2 x + \\cos^2 x", "1"), ("\\log_2 8", "3")]
_MEBIBYTE = 1024 * 1024


def main(arguments: list[str]) -> None:
    """Grade lines ``[ground_truth, answer]`` from standard input until it ends."""
    time_limit_s, memory_limit_mb = float(arguments[0]), int(arguments[1])
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not mix with the replies
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    from .equivalence import equivalent  # noqa: PLC0415 - slow, and errors must go to the redirected output

    for pair in _WARM_UP:
        equivalent(*pair)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit_mb * _MEBIBYTE, memory_limit_mb * _MEBIBYTE))
    print("ready", file=replies, flush=True)
    for line in sys.stdin:
        verdict = _timed_verdict(equivalent, json.loads(line), time_limit_s)
        print(json.dumps(verdict), file=replies, flush=True)


def _timed_verdict(equivalent: Callable[[str, str], str], pair: list[str], time_limit_s: float) -> str:
    signal.setitimer(signal.ITIMER_PROF, time_limit_s)
    try:
        return equivalent(*pair)
    except RecursionError:
        return "unparsable"  # nested too deeply to be an answer
    except MemoryError:
        return "timeout"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
