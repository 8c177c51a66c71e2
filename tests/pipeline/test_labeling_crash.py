"""A labeling run killed at random moments and started again: nothing is lost, doubled or paid twice.

STEPMARK_KILLS sets how often, by default 5 times.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from stepmark.pipeline.profile_file import load_profile
from stepmark.store.store import Store
from tests.small_pipeline import PROFILE, FakeEngine, FakeEngines, SmallPipeline

NUM_KILLS = int(os.environ.get("STEPMARK_KILLS", "5"))
NUM_PROBLEMS = max(150, 12 * NUM_KILLS)  # work enough to be killed in so often
BATCH_SAMPLES = 8
SCRIPT = Path(__file__).with_name("labeling_process.py")
_LABELS = "FROM step_labels ORDER BY ALL"
_SHAPES = """
    SELECT prefix_id, count(*) AS num_stored, max(rollout_index) + 1 AS num_indexed FROM rollouts GROUP BY ALL
"""


def start(profile: Path, home: Path, log: Path) -> "subprocess.Popen[bytes]":
    """A labeling process."""
    return subprocess.Popen([sys.executable, str(SCRIPT), str(profile), str(home), str(log)])


def counted(log: Path, what: str) -> int:
    """Rollouts that the log says were drawn, or kept."""
    lines = log.read_text().splitlines() if log.exists() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith(what + " "))


def kill_soon(process: "subprocess.Popen[bytes]", log: Path, rng: random.Random) -> bool:
    """Kill once it has begun to draw, or at once after; returns whether it was still running."""
    before = counted(log, "drawn")
    while process.poll() is None and counted(log, "drawn") == before:
        time.sleep(0.005)
    time.sleep(rng.uniform(0, 0.2))
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


@pytest.mark.slow
def test_a_labeling_run_survives_kills(engine: FakeEngine, tmp_path: Path) -> None:
    """No rollout is paid twice beyond the batch in flight, none lost or counted twice."""
    path = tmp_path / "profile.toml"
    path.write_text(
        PROFILE.replace("num_minimath_train = 4", f"num_minimath_train = {NUM_PROBLEMS}")
        .replace("batch_tokens = 40", f"batch_tokens = {BATCH_SAMPLES * 10}")
        .replace('estimator = "exhaustive"', 'estimator = "adaptive"')
    )
    store, log = Store(tmp_path / "home"), tmp_path / "log"
    small = SmallPipeline(store, load_profile(str(path)), FakeEngines(engine)).make_graded_solutions()
    rng = random.Random(0)
    num_kills = sum(kill_soon(start(path, store.home, log), log, rng) for _ in range(NUM_KILLS))
    assert start(path, store.home, log).wait() == 0
    shapes = store.read(_SHAPES)
    num_stored = int(shapes["num_stored"].sum())

    assert num_kills == NUM_KILLS
    assert log.read_text().endswith("done\n")
    assert shapes["num_stored"].equals(shapes["num_indexed"].rename("num_stored"))
    assert counted(log, "kept") <= num_stored <= counted(log, "drawn")
    assert counted(log, "drawn") - num_stored <= NUM_KILLS * BATCH_SAMPLES
    assert store.read("SELECT count(*) FROM rollouts WHERE outcome IS NULL").item() == 0
    small.label_from_rollouts()
    labels = store.read(_LABELS)
    small.label_from_rollouts()
    assert labels.height > 300
    assert_frame_equal(labels, store.read(_LABELS))
