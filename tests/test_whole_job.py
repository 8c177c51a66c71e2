"""The whole job for real and small: vLLM, the shipped models, DuckDB, training, judging."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stepmark.pipeline.profile_file import load_profile
from stepmark.store.auditing import run_audits
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

SIZES = {
    "num_minimath_train = 500": "num_minimath_train = 24",
    "num_minimath_test = 200": "num_minimath_test = 12",
    "num_train_samples = 12": "num_train_samples = 6",
    "num_test_samples = 64": "num_test_samples = 8",
    "n = [1, 4, 16, 64]": "n = [1, 4, 8]",
    "num_solutions_per_problem = 4": "num_solutions_per_problem = 2",
}
NUM_SOLUTIONS = 24 * 6 + 12 * 8


def small_profile(folder: Path, **changes: str) -> Path:
    """The embedded default with small sizes."""
    text = (Path(__file__).resolve().parents[1] / "pipeline" / "profiles" / "minimath.toml").read_text()
    for old, new in (SIZES | changes).items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "small.toml"
    path.write_text(text)
    return path


def refresh(home: Path, profile: Path) -> subprocess.Popen[str]:
    """Start `stepmark refresh` in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "stepmark.app.main",
        "refresh",
        "--profile",
        str(profile),
        "--home",
        str(home),
    ]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Path, str]:
    """A finished run: its store, its profile, and what it said on stderr."""
    folder = tmp_path_factory.mktemp("job")
    profile = small_profile(folder)
    process = refresh(folder / "home", profile)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return Store(folder / "home"), profile, said


def test_every_table_of_the_job_is_filled(done: tuple[Store, Path, str]) -> None:
    """Problems, solutions, steps, rollouts, labels, models, scores, evaluations."""
    store, _, _ = done
    counts = {
        table: store.read_published(f"SELECT count(*) FROM {table}").item()
        for table in ("problems", "solutions", "steps", "rollouts", "step_labels", "scores", "evaluations")
    }

    assert counts["problems"] == 36
    assert counts["solutions"] == NUM_SOLUTIONS
    assert all(number > 0 for number in counts.values()), counts
    kinds = store.read_published(
        "SELECT kind, count(*) FROM reward_models GROUP BY kind ORDER BY kind"
    ).rows()
    assert kinds == [("likelihood", 4), ("orm", 2), ("prm", 2)]


def test_every_label_and_score_is_traceable(done: tuple[Store, Path, str]) -> None:
    """One query reaches weights, parameters, seed and code behind each of them."""
    store, _, _ = done
    lost = {
        view: store.read_published(
            f"SELECT count(*) FROM {view} WHERE {' OR '.join(f'{column} IS NULL' for column in columns)}"
        ).item()
        for view, columns in (
            ("label_lineage", ("code_version", "generator_sha256", "generator_seed", "problem_generator")),
            ("score_lineage", ("code_version", "base_sha256", "checkpoint_sha256", "generator_sampling")),
            ("(FROM label_lineage WHERE label_source = 'monte_carlo')", ("completer_sha256", "estimator")),
        )
    }

    assert set(lost.values()) == {0}, lost


def test_no_audit_finds_an_offender(done: tuple[Store, Path, str]) -> None:
    """What the asset checks look at, on a real run."""
    store, _, _ = done
    offenders = {name: frame.height for name, frame in run_audits(store).items() if frame.height}

    assert offenders == {}


def test_progress_is_told_in_plain_lines(done: tuple[Store, Path, str]) -> None:
    """Every asset is named as it starts, in the order of the graph."""
    _, _, said = done
    started = [line[2:] for line in said.splitlines() if line.startswith("> ")]

    assert started[0] == "problems"
    assert started[-1] == "published_snapshot"
    assert {"solutions", "rollouts", "orm", "prm_oracle", "best_of_n"} <= set(started)
    assert "Traceback" not in said


def test_curves_are_stored_with_intervals(done: tuple[Store, Path, str]) -> None:
    """pass@N bounds every selector, and at N = 1 all selectors are a random pick."""
    store, _, _ = done
    rows = store.read_published(
        "SELECT selector, n, value, ci95_low, ci95_high FROM evaluations WHERE metric = 'best_of_n'"
    )
    at_one = {round(value, 9) for _, n, value, _, _ in rows.iter_rows() if n == 1}
    limit = {n: value for name, n, value, _, _ in rows.iter_rows() if name == "pass"}

    assert len(at_one) == 1
    assert all(low <= value <= high for _, _, value, low, high in rows.iter_rows())
    assert all(value <= limit[n] + 1e-9 for _, n, value, _, _ in rows.iter_rows())


def test_a_second_run_does_no_work_twice(done: tuple[Store, Path, str]) -> None:
    """Not a sample, not a training step, not a score is made again."""
    store, profile, _ = done
    queries = {
        "solutions": "SELECT * FROM solutions ORDER BY ALL",
        "rollouts": "SELECT * FROM rollouts ORDER BY ALL",
        "models": "SELECT reward_model_id, created_at FROM reward_models ORDER BY ALL",
        "scores": "SELECT * FROM scores ORDER BY ALL",
        "evaluations": "SELECT * FROM evaluations ORDER BY ALL",
        "audits": "SELECT * FROM grader_audits ORDER BY ALL",
    }
    before = {name: store.read_published(query) for name, query in queries.items()}
    process = refresh(store.home, profile)
    _, said = process.communicate(timeout=300)

    assert process.returncode == 0, said
    for word in ("samples,", "training ", "scoring by"):
        assert word not in said
    for asset in ("problems", "solutions", "outcomes", "rollouts", "orm", "prm_oracle", "scores"):
        assert f"> {asset}\n  nothing new\n" in said
    for name, query in queries.items():
        assert store.read_published(query).equals(before[name]), name


def test_a_killed_run_loses_at_most_the_batch_in_flight(tmp_path: Path) -> None:
    """Kill -9 between batches of solutions; what was committed stays as it was, and the rest is made."""
    profile = small_profile(tmp_path, **{"batch_tokens = 500_000": "batch_tokens = 4_000"})
    store = Store(tmp_path / "home")
    process = refresh(store.home, profile)
    deadline = time.monotonic() + 300
    kept = 0
    while kept == 0 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.2)
        kept = store.read("SELECT count(*) FROM solutions").item() if store.live.exists() else 0
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = store.read("SELECT solution_id, solution FROM solutions ORDER BY solution_id")
    again = refresh(store.home, profile)
    _, said = again.communicate(timeout=600)
    after = store.read("SELECT solution_id, solution FROM solutions ORDER BY solution_id")

    assert 0 < before.height < NUM_SOLUTIONS
    assert again.returncode == 0, said
    assert after.height == NUM_SOLUTIONS
    assert after.join(before, on=["solution_id", "solution"], how="inner").height == before.height


def test_the_report_and_the_commands_read_the_run(done: tuple[Store, Path, str], tmp_path: Path) -> None:
    """report, sql and score work on what the run left."""
    store, profile, _ = done

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "stepmark.app.main", *arguments, "--home", str(store.home)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    page = tmp_path / "report.html"
    report = run("report", "--profile", str(profile), "--out", str(page))
    counted = run("sql", "SELECT count(*) AS n FROM solutions", "--format", "json")
    solutions = tmp_path / "solutions.jsonl"
    problem = {"problem": "Solve $2x + 1 = 7$ for $x$.", "steps": ["Collect: $2x = 7 - 1$.", "So: $2x = 6$."]}
    solutions.write_text(json.dumps(problem) + "\n")
    scored = run("score", "prm_oracle", str(solutions))

    assert report.returncode == 0, report.stderr
    assert "Which selector picks better" in page.read_text()
    assert page.read_text().count('class="solution"') >= 2
    assert json.loads(counted.stdout) == [{"n": NUM_SOLUTIONS}]
    assert scored.returncode == 0, scored.stderr
    line = json.loads(scored.stdout)
    assert line["problem"] == problem["problem"]
    assert len(line["probabilities"]) == len(line["step_scores"]) == 2
    assert all(abs(sum(step.values()) - 1) < 1e-4 for step in line["probabilities"])
    assert load_profile(str(profile)).evaluation.n == (1, 4, 8)


def test_outcome_and_process_supervision_are_compared_on_a_finished_home(
    done: tuple[Store, Path, str],
) -> None:
    """The benchmark's row: both models pick from the same samples, and the difference is theirs."""
    store, profile, _ = done
    benchmark = Path(__file__).resolve().parents[1] / "benchmarks" / "supervision.py"
    command = [sys.executable, str(benchmark), "--home", str(store.home), "--profile", str(profile)]
    run = subprocess.run(
        [*command, "--sizes", "5", "--draws", "2", "--steps", "4"], capture_output=True, text=True, check=True
    )
    row = run.stdout.splitlines()[-1]
    size, _, _, orm, _, _, prm, _, _, difference, *_ = row.split()

    assert size == "5"
    assert 0 <= float(orm) <= 100
    assert abs(float(prm) - float(orm) - float(difference)) < 0.15
