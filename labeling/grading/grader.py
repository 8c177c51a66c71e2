"""Grading answers against ground truth, with a time limit that holds in any thread.

Most pairs are decided in the calling process by exact arithmetic, which always ends quickly; the rest goes to
worker processes that are killed at the limit. Leaves out: how equivalence is decided (``equivalence``).
"""

import threading
from collections.abc import Sequence

from stepmark.labeling.errors import InputError
from stepmark.labeling.vocabulary import Verdict

from .equivalence import decide
from .pool import Pool, PooledGrader
from .worker_process import Pair

GRADER_VERSION = "1"  # stored beside every outcome; changes whenever a verdict may change

_MAX_REMEMBERED = 200_000


class Grader(PooledGrader):
    """Grades pairs of ground truth and answer. A context manager: its processes end with the block.

    ``time_limit_s`` is processor time per pair, so that a busy machine gives the same verdicts; by the clock
    a pair takes at most ten times as long. Workers start when a pair first needs one, and their start does
    not count. May be shared by threads; they take turns at the workers.
    """

    def __init__(self, time_limit_s: float = 1.0, num_workers: int = 2, memory_limit_mb: int = 2048) -> None:
        if time_limit_s <= 0 or num_workers < 1:
            raise ValueError(
                f"time_limit_s={time_limit_s} must be above 0 and num_workers={num_workers} above 0"
            )
        super().__init__(Pool("stepmark", time_limit_s, num_workers, memory_limit_mb))
        self._lock = threading.Lock()
        self._remembered: dict[Pair, Verdict] = {}
        self._is_closed = False

    def close(self) -> None:
        """End all worker processes. The grader cannot be used afterwards."""
        with self._lock:
            self._is_closed = True
            super().close()

    def grade(self, pairs: Sequence[tuple[str, str | None]]) -> list[Verdict]:
        """The verdict on each ``(ground_truth_answer, answer)``, in order; equal pairs are graded once.

        Raises:
            InputError: if a ground-truth answer is empty: nothing could equal it.
            ValueError: if the grader is closed.
        """
        if self._is_closed:
            raise ValueError("this grader is closed; make a new one")
        for index, (ground_truth, _) in enumerate(pairs):
            if not ground_truth.strip():
                raise InputError(
                    f"the ground-truth answer of pair {index} is empty; leave such problems out."
                )
        verdicts = {pair: decide(*pair) for pair in dict.fromkeys(pairs)}
        undecided = [pair for pair, verdict in verdicts.items() if verdict is None]
        slow = self._grade_slowly([(truth, answer) for truth, answer in undecided if answer is not None])
        return [verdicts[pair] or slow[pair[0], pair[1] or ""] for pair in pairs]

    def _grade_slowly(self, pairs: list[Pair]) -> dict[Pair, Verdict]:
        if not pairs:
            return {}
        with self._lock:
            if len(self._remembered) > _MAX_REMEMBERED:
                self._remembered.clear()
            new = [pair for pair in pairs if pair not in self._remembered]
            self._remembered.update(self._pool.grade(new))
            return {pair: self._remembered[pair] for pair in pairs}
