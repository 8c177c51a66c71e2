"""Progress a person sees: a bar on a terminal, a plain line every few seconds elsewhere.

Leaves out: Dagster's events; what is worth keeping becomes an asset's metadata.
"""

import sys
import time
from types import TracebackType

from tqdm import tqdm

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_WORTH_A_LINE = 1.0


class Progress:
    """Counts work done, out of a total where it is known (not 0). Use as a context manager.

    Call ``advance`` as work is done. Work that is over at once says nothing.
    """

    def __init__(self, what: str, total: int, unit: str) -> None:
        self._what, self._total, self._unit = what, total, unit
        self._done, self._note = 0, ""
        self._done_in_line = 0
        self._is_finished = False
        self._started = self._last_line = time.monotonic()
        self._bar = None

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            self._bar = tqdm(
                total=self._total or None, desc=self._what, unit=f" {self._unit}", file=sys.stderr
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()

    def finish(self) -> None:
        """Show the last state, once; leaving the context does it too."""
        if self._is_finished:
            return
        self._is_finished = True
        if self._bar is not None:
            self._bar.close()
        elif self._done > self._done_in_line and time.monotonic() - self._started > _SECONDS_WORTH_A_LINE:
            self._line()

    def advance(self, num_done: int, note: str = "") -> None:
        """Count ``num_done`` more; ``note`` stands at the end of the line until the next one."""
        self._done += num_done
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(num_done)
        elif time.monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._line()

    def reach(self, num_done: int, note: str = "", total: int | None = None) -> None:
        """Count up to ``num_done`` in all; ``total`` is told here where it was not known before."""
        if total is not None and total != self._total:
            self._total = total
            if self._bar is not None:
                self._bar.total = total
        self.advance(num_done - self._done, note)

    def _line(self) -> None:
        self._last_line, self._done_in_line = time.monotonic(), self._done
        elapsed_s = self._last_line - self._started
        note = f"  {self._note}" if self._note else ""
        of = f" of {self._total:,}" if self._total else ""
        print(
            f"{self._what}: {self._done:,}{of} {self._unit}, {elapsed_s:.0f} s{note}",
            file=sys.stderr,
            flush=True,
        )
