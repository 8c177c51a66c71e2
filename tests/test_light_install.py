"""The light install: `pip install stepmark` alone, without torch, transformers, vLLM and Dagster."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # it installs about 600 MB

ROOT = Path(__file__).resolve().parents[1]
LABELS = {"problem": "1 + 1?", "steps": ["1 + 1 = 2", "So 2"], "label_source": "mine", "ratings": [1, -1]}
FILES = {
    "pairs.jsonl": [{"gold": "1/2", "pred": "0.5"}],
    "labels.jsonl": [LABELS],
    "problems.jsonl": [{"problem": "1 + 2?", "answer": "3"}],
    "samples.jsonl": [
        {"problem_id": "p", "answer": "3", "gold": "3", "scores": {"prm": 0.9}},
        {"problem_id": "p", "answer": "4", "gold": "3", "scores": {"prm": 0.1}},
    ],
    "errors.jsonl": [{"label": 1, "prediction": 1}, {"label": -1, "prediction": -1}],
}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`stepmark` of a new environment that has the wheel and its base dependencies, beside small files."""
    environment, folder = tmp_path_factory.mktemp("light"), tmp_path_factory.mktemp("work")
    venv.create(environment, with_pip=False)
    install = ["--quiet", "--no-compile", "--constraint", str(ROOT / "requirements" / "cpu.lock"), str(wheel)]
    pip = [sys.executable, "-m", "pip", "--python", str(environment)]
    subprocess.run([*pip, "install", *install], check=True)
    for name, rows in FILES.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(environment / "bin" / "stepmark"), *arguments]
        return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)

    return run


def test_commands_on_files_need_no_more(light: Run) -> None:
    """Each says what it does in the full install."""
    graded = light("grade", "pairs.jsonl")
    curves = light("best-of-n", "samples.jsonl")
    errors = light("first-error", "errors.jsonl")

    assert graded.stdout == '{"gold": "1/2", "pred": "0.5", "verdict": "equal"}\n', graded.stderr
    assert "100.0 [20.7, 100.0]" in curves.stdout, curves.stderr
    assert "F1: 100.0" in errors.stdout, errors.stderr


def test_labels_go_in_and_out_of_the_store(light: Run) -> None:
    """Imported, asked for, and exported as another format; problems beside them."""
    imported = light("import-labels", "labels.jsonl")
    ingested = light("ingest", "problems.jsonl", "--split", "train")
    asked = light("sql", "SELECT count(*) AS n FROM step_labels", "--format", "csv")
    exported = light("export", "--format", "parquet", "--out", "out.parquet")

    assert "1 accepted, 0 rejected" in imported.stdout, imported.stderr
    assert "1 new problems" in ingested.stdout, ingested.stderr
    assert asked.stdout == "n\n2\n", asked.stderr
    assert "2 rows of parquet" in exported.stdout, exported.stderr


def test_every_command_explains_itself(light: Run) -> None:
    """The help of what is not installed is there, too."""
    listed = light("--help")

    assert listed.returncode == 0, listed.stderr
    for command in ("demo", "ui", "refresh", "score", "report", "convert-gguf", "tiny-generator"):
        assert command in listed.stdout
        assert light(command, "--help").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "library", "extra"),
    [
        (["refresh"], "Dagster", "pipeline"),
        (["ui"], "Dagster", "pipeline"),
        (["demo"], "Jinja", "pipeline"),
        (["report"], "Jinja", "pipeline"),
        (["score", "prm", "pairs.jsonl"], "PyTorch", "pipeline"),
        (["tiny-generator", "train", "base", "--out", "out"], "PyTorch", "pipeline"),
        (["convert-gguf", "pairs.jsonl", "--out", "out"], "accelerate", "gguf"),
    ],
)
def test_a_command_that_needs_more_names_the_extra(
    light: Run, arguments: list[str], library: str, extra: str
) -> None:
    """One sentence, exit code 1."""
    done = light(*arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Error: stepmark {arguments[0]} needs {library}, which is not installed;"
        f" pip install 'stepmark[{extra}]'.\n"
    )
