"""One worker process as its parent holds it: started, given a pair, read from, ended.

Leaves out: what the process does (``worker``), and which pair it gets (``pool``). Linux only.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import Literal

Pair = tuple[str, str]
JudgeName = Literal["stepmark", "math-verify"]

READY = "ready"
_START_LIMIT_S = 120.0  # loading SymPy takes a second, more on a busy machine
_CLOCK_FACTOR = 10.0  # on a busy machine a second of work takes many by the clock
_END_LIMIT_S = 2.0  # between being asked to end and having ended
_CHUNK_BYTES = 65_536


class WorkerProcess:
    """A process that is starting, idle, or busy with one pair."""

    def __init__(self, judge: JudgeName, time_limit_s: float, memory_limit_mb: int) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        # -P keeps the working directory off the module path: a file named sympy.py there must not be run.
        command = [sys.executable, "-P", "-m", "stepmark.labeling.grading.worker"]
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and this package
            [*command, judge, str(time_limit_s), str(memory_limit_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        self._time_limit_s = time_limit_s
        self._received = b""
        self.is_ready = False
        self.pair: Pair | None = None
        self.deadline = time.monotonic() + _START_LIMIT_S

    def fileno(self) -> int:
        """The pipe it answers on, which is how a selector waits for it."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def is_late(self) -> bool:
        """Whether it has run past its limit by the clock."""
        return time.monotonic() >= self.deadline

    def send(self, pair: Pair) -> None:
        """Hand over a pair; raises BrokenPipeError if the process is gone."""
        assert self._process.stdin is not None
        self.pair = pair
        self.deadline = time.monotonic() + self._time_limit_s * _CLOCK_FACTOR
        self._process.stdin.write(json.dumps(pair).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> str | None:
        """A line if a whole one has come, else None; raises EOFError if the process has ended."""
        chunk = os.read(self.fileno(), _CHUNK_BYTES)
        if not chunk:
            raise EOFError
        self._received += chunk
        line, newline, rest = self._received.partition(b"\n")
        if not newline:
            return None
        self._received = rest
        return line.decode()

    def stop(self) -> str:
        """End the process and release everything it holds; returns the last line it wrote as an error."""
        self._process.terminate()  # it ends its child first
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_LIMIT_S)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        return lines[-1] if lines else "it wrote no error"
