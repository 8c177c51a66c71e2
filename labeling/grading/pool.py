"""Worker processes that can be killed, and the loop that feeds them. Works from any thread.

Leaves out: what is graded and the fast path, which ``grading`` decides, and the limit of processor time,
which the worker keeps itself. Linux only.
"""

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, cast

from stepmark.labeling.errors import StepmarkError

from .equivalence import Verdict

Pair = tuple[str, str]
Judge = Literal["stepmark", "math-verify"]

_START_LIMIT_S = 120.0  # loading SymPy takes a second, more on a busy machine
_CLOCK_FACTOR = 10.0  # on a busy machine a second of work takes many by the clock
_END_LIMIT_S = 2.0  # between being asked to end and having ended
_MAX_TRIES = 3  # an idle worker that somebody killed costs a try
_CHUNK_BYTES = 65_536


class _Worker:
    """One worker process: starting, idle, or busy with one pair."""

    def __init__(self, judge: Judge, time_limit_s: float, memory_limit_mb: int) -> None:
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
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_dead(self) -> bool:
        return self._process.poll() is not None

    def send(self, pair: Pair) -> None:
        """Hand over a pair; raises BrokenPipeError if the worker is gone."""
        assert self._process.stdin is not None
        self.pair = pair
        self.deadline = time.monotonic() + self._time_limit_s * _CLOCK_FACTOR
        self._process.stdin.write(json.dumps(pair).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> str | None:
        """A line if a whole one has come, else None; raises EOFError if the worker has ended."""
        chunk = os.read(self.fileno(), _CHUNK_BYTES)
        if not chunk:
            raise EOFError
        self._received += chunk
        line, newline, rest = self._received.partition(b"\n")
        if not newline:
            return None
        self._received = rest
        return line.decode()

    def is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def stop(self) -> str:
        """End the process and release everything it holds; returns the last line it wrote as an error."""
        self._process.terminate()  # it kills and buries its child first
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


class Pool:
    """Lets ``judge`` judge pairs in up to ``num_workers`` processes. Not for concurrent use.

    They start when first needed.
    """

    def __init__(self, judge: Judge, time_limit_s: float, num_workers: int, memory_limit_mb: int) -> None:
        self._judge: Judge = judge
        self._time_limit_s = time_limit_s
        self._num_workers = num_workers
        self._memory_limit_mb = memory_limit_mb
        self._workers: list[_Worker] = []

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers that are alive."""
        return [worker.pid for worker in self._workers if not worker.is_dead()]

    def grade(self, pairs: Sequence[Pair]) -> dict[Pair, Verdict]:
        """One verdict per distinct pair; "timeout" where a worker ran over its limit or died thrice.

        Raises:
            StepmarkError: if a worker cannot start.
        """
        waiting = deque(dict.fromkeys(pairs))
        tries: dict[Pair, int] = dict.fromkeys(waiting, 0)
        verdicts: dict[Pair, Verdict] = {}
        self._workers = [worker for worker in self._workers if not self._is_gone(worker)]
        try:
            while len(verdicts) < len(tries):
                self._staff(len(tries) - len(verdicts))
                self._hand_out(waiting, tries)
                for worker in self._listen():
                    self._settle(worker, waiting, tries, verdicts)
        finally:
            for worker in [w for w in self._workers if w.pair is not None]:
                self._dismiss(worker)  # only after an error or an interrupt is anyone busy here
        return verdicts

    def close(self) -> None:
        """End all workers."""
        while self._workers:
            self._workers.pop().stop()

    def _is_gone(self, worker: _Worker) -> bool:
        if worker.is_dead():
            worker.stop()
            return True
        return False

    def _staff(self, num_open: int) -> None:
        while len(self._workers) < min(self._num_workers, num_open):
            self._workers.append(_Worker(self._judge, self._time_limit_s, self._memory_limit_mb))

    def _hand_out(self, waiting: deque[Pair], tries: dict[Pair, int]) -> None:
        for worker in list(self._workers):
            if worker.is_ready and worker.pair is None and waiting:
                pair = waiting.popleft()
                try:
                    worker.send(pair)
                    tries[pair] += 1
                except OSError:  # it died while idle: nobody's fault
                    waiting.appendleft(pair)
                    self._dismiss(worker)

    def _listen(self) -> list[_Worker]:
        """Workers that have something to say or have run over their limit."""
        concerned = [worker for worker in self._workers if worker.pair is not None or not worker.is_ready]
        if not concerned:
            return []
        with selectors.DefaultSelector() as selector:
            for worker in concerned:
                selector.register(worker, selectors.EVENT_READ)
            wait_s = min(worker.deadline for worker in concerned) - time.monotonic()
            speaking = [cast(_Worker, key.fileobj) for key, _ in selector.select(max(wait_s, 0))]
        now = time.monotonic()
        return speaking + [w for w in concerned if w.deadline <= now and w not in speaking]

    def _settle(
        self,
        worker: _Worker,
        waiting: deque[Pair],
        tries: dict[Pair, int],
        verdicts: dict[Pair, Verdict],
    ) -> None:
        pair = worker.pair
        try:
            line = worker.receive() if not worker.is_late() else ""
        except EOFError:
            line = ""
        if line is None:
            return
        if line == "ready":
            worker.is_ready = True
        elif line and pair is not None:
            verdicts[pair] = cast(Verdict, json.loads(line))
            worker.pair = None
        else:
            self._bury(worker, waiting, tries, verdicts)

    def _bury(
        self,
        worker: _Worker,
        waiting: deque[Pair],
        tries: dict[Pair, int],
        verdicts: dict[Pair, Verdict],
    ) -> None:
        pair, is_over_limit = worker.pair, worker.is_late()
        last_words = self._dismiss(worker)
        if pair is None:
            raise StepmarkError(
                f"a grading process ended before it was ready ({last_words}); try "
                f"'{sys.executable} -m stepmark.labeling.grading.worker {self._judge} 1 2048' and check the "
                "installation."
            )
        if is_over_limit or tries[pair] >= _MAX_TRIES:
            verdicts[pair] = "timeout"
        else:
            waiting.append(pair)

    def _dismiss(self, worker: _Worker) -> str:
        self._workers.remove(worker)
        return worker.stop()
