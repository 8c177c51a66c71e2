"""Worker processes that can be killed, the loop that feeds them, and graders that own them.

Works from any thread. Leaves out: which pairs need a process at all (``grader``), one process's life
(``worker_process``), and the limit of processor time, which the worker keeps itself.
"""

import json
import selectors
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Self, cast

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.vocabulary import TIMEOUT, Verdict

from .worker_process import READY, JudgeName, Pair, WorkerProcess

_MAX_TRIES = 3  # an idle worker that somebody killed costs a try


class _Work:
    """The pairs of one call: those that wait, how often each was handed out, and verdicts so far."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.waiting = deque(dict.fromkeys(pairs))
        self.tries: dict[Pair, int] = dict.fromkeys(self.waiting, 0)
        self.verdicts: dict[Pair, Verdict] = {}

    @property
    def num_open(self) -> int:
        return len(self.tries) - len(self.verdicts)


class Pool:
    """Lets ``judge`` judge pairs in up to ``num_workers`` processes. Not for concurrent use.

    They start when first needed.
    """

    def __init__(self, judge: JudgeName, time_limit_s: float, num_workers: int, memory_limit_mb: int) -> None:
        self._judge: JudgeName = judge
        self._time_limit_s = time_limit_s
        self._num_workers = num_workers
        self._memory_limit_mb = memory_limit_mb
        self._workers: list[WorkerProcess] = []

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers that are alive."""
        return [worker.pid for worker in self._workers if not worker.is_dead()]

    def grade(self, pairs: Sequence[Pair]) -> dict[Pair, Verdict]:
        """One verdict per distinct pair; "timeout" where a worker ran over its limit or died thrice.

        Raises:
            StepmarkError: if a worker cannot start.
        """
        work = _Work(pairs)
        for worker in [worker for worker in self._workers if worker.is_dead()]:
            self._remove(worker)
        try:
            while work.num_open:
                self._start_workers(work.num_open)
                self._send_pairs(work)
                for worker in self._wait():
                    self._read_reply(worker, work)
        finally:
            for worker in [worker for worker in self._workers if worker.pair is not None]:
                self._remove(worker)  # only after an error or an interrupt is anyone busy here
        return work.verdicts

    def close(self) -> None:
        """End all workers."""
        while self._workers:
            self._workers.pop().stop()

    def _start_workers(self, num_open: int) -> None:
        while len(self._workers) < min(self._num_workers, num_open):
            self._workers.append(WorkerProcess(self._judge, self._time_limit_s, self._memory_limit_mb))

    def _send_pairs(self, work: _Work) -> None:
        """Give each idle worker a pair that waits."""
        for worker in list(self._workers):
            if worker.is_ready and worker.pair is None and work.waiting:
                pair = work.waiting.popleft()
                try:
                    worker.send(pair)
                    work.tries[pair] += 1
                except OSError:  # it died while idle: no fault of the pair
                    work.waiting.appendleft(pair)
                    self._remove(worker)

    def _wait(self) -> list[WorkerProcess]:
        """Wait for a reply or a deadline; the workers that replied or have run over their limit."""
        expected = [worker for worker in self._workers if worker.pair is not None or not worker.is_ready]
        if not expected:
            return []
        with selectors.DefaultSelector() as selector:
            for worker in expected:
                selector.register(worker, selectors.EVENT_READ)
            wait_s = min(worker.deadline for worker in expected) - time.monotonic()
            replying = [cast(WorkerProcess, key.fileobj) for key, _ in selector.select(max(wait_s, 0))]
        now = time.monotonic()
        return replying + [worker for worker in expected if worker.deadline <= now and worker not in replying]

    def _read_reply(self, worker: WorkerProcess, work: _Work) -> None:
        pair = worker.pair
        try:
            line = worker.receive() if not worker.is_late() else ""
        except EOFError:
            line = ""
        if line is None:
            return
        if line == READY:
            worker.is_ready = True
        elif line and pair is not None:
            work.verdicts[pair] = cast(Verdict, json.loads(line))
            worker.pair = None
        else:
            self._give_up_worker(worker, work)

    def _give_up_worker(self, worker: WorkerProcess, work: _Work) -> None:
        """Remove a worker that died or is late; its pair is tried again, or has run out of time."""
        pair, is_over_limit = worker.pair, worker.is_late()
        last_error = self._remove(worker)
        if pair is None:
            raise StepmarkError(
                f"a grading process ended before it was ready ({last_error}); try "
                f"'{sys.executable} -m stepmark.labeling.grading.worker {self._judge} 1 2048' and check the "
                "installation."
            )
        if is_over_limit or work.tries[pair] >= _MAX_TRIES:
            work.verdicts[pair] = TIMEOUT
        else:
            work.waiting.append(pair)

    def _remove(self, worker: WorkerProcess) -> str:
        self._workers.remove(worker)
        return worker.stop()


class PooledGrader:
    """A grader that owns a pool. A context manager: its processes end with the block."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all worker processes."""
        self._pool.close()

    @property
    def worker_pids(self) -> list[int]:
        """Process ids of the workers that are alive."""
        return self._pool.pids
