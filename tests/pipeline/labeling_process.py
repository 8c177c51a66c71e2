"""A labeling run in a process of its own, to be killed: ``python labeling_process.py PROFILE HOME LOG``.

LOG gets a line "drawn N" for every batch that the engine drew, "kept N" once it was committed.
"""

import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from stepmark.models.sampling import Completion, SamplingSpec
from stepmark.pipeline.profile import SamplerSettings
from stepmark.pipeline.profile_file import load_profile
from stepmark.pipeline.rollouts import sample_rollouts
from stepmark.pipeline.samplers import Engines
from stepmark.store.store import Store

_BATCH_S = 0.02


class LoggedEngine:
    """Draws endings that are right half of the time; ``log`` keeps the count of what was drawn."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def sample(self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec) -> list[list[Completion]]:
        """Draw, after a while."""
        time.sleep(_BATCH_S)
        write(self.log, f"drawn {len(prompts) * num_samples}")
        return [[self._completion() for _ in range(num_samples)] for _ in prompts]

    def _completion(self) -> Completion:
        answer = "7" if random.random() < 0.5 else "8"
        return Completion(rf"The answer is $\boxed{{{answer}}}$.", "stop", 10, None)


def write(log: Path, line: str) -> None:
    """Append a line."""
    with log.open("a") as file:
        file.write(line + "\n")


def main(profile_path: str, home: Path, log: Path) -> None:
    """Label until nothing is asked for any more."""

    class LoggedEngines(Engines):
        @contextmanager
        def open(self, settings: SamplerSettings, seed: int) -> Iterator[LoggedEngine]:  # type: ignore[override]
            yield LoggedEngine(log)

        def checkpoint_sha256(self, settings: SamplerSettings) -> str:
            return "0" * 64

    class LoggedStore(Store):
        def insert(self, table: str, frame: object, **options: object) -> int:
            num_rows = super().insert(table, frame, **options)  # type: ignore[arg-type]
            write(log, f"kept {num_rows}")
            return num_rows

    asked = load_profile(profile_path)
    sample_rollouts(
        LoggedStore(home), asked.rollouts, asked.generator, asked.rollout_sampler, LoggedEngines()
    )
    write(log, "done")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
