"""Four writers, two readers and a client at one store, writers killed with -9 at random moments.

    python -m tests.store.torture --kills 50 [--unguarded]

prints what was lost. An unguarded run, whose writers know no lock but DuckDB's own, loses rows or the whole
store sooner or later, by luck; test_stale_headers.py leaves nothing to luck.
"""

import argparse
import itertools
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from stepmark.labeling.errors import StepmarkError
from stepmark.store.store import Store

from .reader_process import HALF_WRITTEN

_HERE = Path(__file__).parent
_NUM_WRITERS = 4
_READERS = ("library", "library", "client")
_TRANSACTIONS_PER_KILL = 40
_ENOUGH_S_PER_KILL = 60.0  # on a machine that is busy with other work
_STUCK_S = 60.0  # without one acknowledged transaction: nothing opens the store any more


@dataclass(slots=True)
class Outcome:
    """What became of the transactions. ``failures``: what ended writers that nobody killed, or the store."""

    num_kills: int = 0
    num_acknowledged: int = 0
    num_stored: int = 0
    num_reads: int = 0
    lost: list[str] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    reader_errors: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class _Crowd:
    """Processes whose lines are in files, by the kind of their script; each one started gets a new name."""

    def __init__(self, home: Path, lines: Path) -> None:
        self.home, self.lines = home, lines
        self._numbers = itertools.count()
        self.running: dict[Path, subprocess.Popen[bytes]] = {}

    def start(self, script: str, kind: str, *options: str) -> None:
        path = self.lines / f"{script}-{kind}{next(self._numbers)}"
        name = path.name if script == "writer" else kind
        command = [sys.executable, str(_HERE / f"{script}_process.py"), str(self.home), name, *options]
        with path.open("wb") as out, path.with_suffix(".err").open("wb") as err:
            self.running[path] = subprocess.Popen(command, stdout=out, stderr=err)

    def kill(self, path: Path) -> bool:
        """Whether it was still running."""
        process = self.running.pop(path)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def kill_all(self) -> None:
        for path in list(self.running):
            self.kill(path)

    def writers(self) -> list[Path]:
        return [path for path in self.running if path.name.startswith("writer")]

    def said(self, script: str) -> list[str]:
        # A kill may cut the last line; only a whole one is a promise.
        files = sorted(path for path in self.lines.glob(f"{script}-*") if path.suffix != ".err")
        return [line for path in files for line in path.read_text().split("\n")[:-1]]


def torture(store: Store, lines: Path, num_kills: int, *options: str, seed: int = 0) -> Outcome:
    """Write until ``num_kills`` writers were killed and 40 times as many transactions acknowledged, or nobody
    gets any further.

    ``options`` are the writers'. ``lines`` is an empty folder for what the processes say.
    """
    store.publish()
    crowd, outcome, chance = _Crowd(store.home, lines), Outcome(), random.Random(seed)
    give_up = time.monotonic() + _ENOUGH_S_PER_KILL * num_kills
    num_said, stuck = 0, time.monotonic() + _STUCK_S
    with ExitStack() as stack:
        stack.callback(crowd.kill_all)
        for _ in range(_NUM_WRITERS):
            crowd.start("writer", "", *options)
        for kind in _READERS:
            crowd.start("reader", kind)
        while time.monotonic() < give_up:
            time.sleep(chance.uniform(0.0, 0.2))
            _replace_the_dead(crowd, outcome, options)
            num_before, num_said = num_said, len(crowd.said("writer"))
            if num_said > num_before:
                stuck = time.monotonic() + _STUCK_S
            elif time.monotonic() > stuck:
                break
            if num_said < _TRANSACTIONS_PER_KILL * outcome.num_kills:
                continue
            if outcome.num_kills == num_kills:
                break
            at_work = [path for path in crowd.writers() if path.stat().st_size]
            if at_work:
                outcome.num_kills += crowd.kill(chance.choice(at_work))
                crowd.start("writer", "", *options)
    return _judged(store, crowd, outcome)


def _replace_the_dead(crowd: _Crowd, outcome: Outcome, options: tuple[str, ...]) -> None:
    for path in crowd.writers():
        if crowd.running[path].poll() is not None:
            del crowd.running[path]
            outcome.failures += path.with_suffix(".err").read_text().strip().split("\n")[-1:]
            crowd.start("writer", "", *options)


def _judged(store: Store, crowd: _Crowd, outcome: Outcome) -> Outcome:
    acknowledged = pl.DataFrame({"problem_id": crowd.said("writer")}, schema={"problem_id": pl.String})
    outcome.num_acknowledged = acknowledged.height
    reads = crowd.said("reader")
    outcome.num_reads = len(reads)
    outcome.reader_errors = [line for line in reads if not line.endswith(" 0")]
    try:
        stored = store.read("SELECT problem_id FROM problems")
        outcome.partial = store.read(HALF_WRITTEN)["problem_id"].to_list()
    except StepmarkError as error:
        outcome.failures.append(str(error))
        stored = acknowledged.clear()
    outcome.num_stored = stored.height
    outcome.lost = acknowledged.join(stored, on="problem_id", how="anti")["problem_id"].to_list()
    return outcome


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--unguarded", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines"
        lines.mkdir()
        options = ["--unguarded"] if wanted.unguarded else []
        begun = time.monotonic()
        outcome = torture(Store(Path(folder) / "home"), lines, wanted.kills, *options, seed=wanted.seed)
    print(
        f"{time.monotonic() - begun:.0f} s, {outcome.num_kills} kills: of {outcome.num_acknowledged:,} "
        f"acknowledged transactions {len(outcome.lost)} lost; of {outcome.num_stored:,} stored "
        f"{len(outcome.partial)} partial; of {outcome.num_reads:,} reads "
        f"{len(outcome.reader_errors)} failed; "
        f"{len(outcome.failures)} writers failed {sorted(set(outcome.failures))[:3]}"
    )


if __name__ == "__main__":
    _main()
