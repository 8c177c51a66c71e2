"""Importing a label file of PRM800K's size: seconds, peak memory, and the same beside Hugging Face datasets.

    python benchmarks/import_scale.py --data FOLDER

Makes a PRM800K file of 75,000 solutions with 800,000 rated completions out of the 953 shared lines: every
copy gets a number in its problem and in its first step, so that none repeats another. Then processes, one
after the other, read it: ``stepmark import-labels`` into a fresh store; ``datasets.load_dataset`` with a loop
that makes one row a rated completion, which checks nothing and stores nothing; and, where that Python has
duckdb, the same with a loop that makes the rows of problems, solutions, steps and ratings, with hashes for
ids, and inserts them into tables with primary keys. Last, the rows that the import made are inserted into
another store, from Parquet and without reading or checking anything: no import takes less. Where datasets is
not installed (``--datasets-python`` names a Python that has it), pyarrow's own JSON reader stands in:
datasets reads JSON with it. Leaves out: the machine's load, which the caller knows.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from stepmark.store.store import Store

Row = dict[str, Any]

_IMPORT = """
import sys
from stepmark.app.main import cli
cli.main(["import-labels", sys.argv[1], "--home", sys.argv[2], "--json", sys.argv[3]], standalone_mode=False)
"""
# The least that storing takes: the rows are made already, and nothing about them is asked.
_TABLES = ("problems", "solutions", "steps", "human_labels", "step_labels", "rejects")
_INSERT = f"""
import sys
from pathlib import Path
from stepmark.store.store import Store
store = Store(Path(sys.argv[1]))
with store.transaction() as con:
    for table in {_TABLES}:
        con.execute(f"INSERT INTO {{table}} FROM read_parquet('{{sys.argv[2]}}/{{table}}.parquet')")
store.publish()
"""
_LOOP = """
rows = []
for line in lines:
    problem = line["question"]["problem"]
    for step_index, step in enumerate(line["label"]["steps"]):
        for text in step["completions"] or []:
            rows.append((problem, step_index, text["text"], text["rating"]))
print(len(rows))
"""
_STORING_LOOP = """
import hashlib, duckdb, pyarrow
def key(*parts):
    return hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:20]
problems, solutions, steps, ratings = {}, {}, [], []
for line in lines:
    question, rated = line["question"], line["label"]["steps"]
    problem = key(question["problem"])
    problems[problem] = (question["problem"], question["ground_truth_answer"])
    texts = question.get("pre_generated_steps")
    if not texts:
        texts = []
        for step in rated:
            if step["chosen_completion"] is not None:
                texts.append(step["completions"][step["chosen_completion"]]["text"])
            elif step["human_completion"]:
                texts.append(step["human_completion"]["text"])
    solution = key(problem, *texts)
    if solution in solutions:
        continue
    solutions[solution] = (problem, chr(10).join(texts))
    steps += [(solution, index, text) for index, text in enumerate(texts)]
    for index, step in enumerate(rated):
        for number, text in enumerate(step["completions"] or []):
            given = (text["text"], text["rating"], text["flagged"])
            ratings.append((solution, index, number, line["labeler"], *given))
con = duckdb.connect(sys.argv[3])
con.execute("CREATE TABLE problems (id VARCHAR PRIMARY KEY, problem VARCHAR, answer VARCHAR)")
con.execute("CREATE TABLE solutions (id VARCHAR PRIMARY KEY, problem_id VARCHAR, solution VARCHAR)")
con.execute("CREATE TABLE steps (id VARCHAR, step INTEGER, text VARCHAR, PRIMARY KEY (id, step))")
con.execute(
    "CREATE TABLE ratings (id VARCHAR, step INTEGER, number INTEGER, labeler VARCHAR, text VARCHAR,"
    " rating INTEGER, flagged BOOLEAN, PRIMARY KEY (id, step, number))"
)
for name, rows in (
    ("problems", [(one, *more) for one, more in problems.items()]),
    ("solutions", [(one, *more) for one, more in solutions.items()]),
    ("steps", steps), ("ratings", ratings),
):
    columns = [pyarrow.array(column) for column in zip(*rows)]
    con.register("made", pyarrow.table(columns, [f"c{i}" for i in range(len(columns))]))
    con.execute(f"INSERT INTO {name} FROM made")
con.close()
print(len(ratings))
"""
_DATASETS = """
import sys
from datasets import load_dataset
lines = load_dataset("json", data_files=sys.argv[1], split="train", cache_dir=sys.argv[2])
"""
_PYARROW = """
import sys
from pyarrow import json
options = json.ReadOptions(block_size=64 << 20)
lines = json.read_json(sys.argv[1], read_options=options).to_pylist()
"""


def shared_lines(data: Path) -> list[Row]:
    """The published and rebuilt lines; a line without a step taken is left out."""
    rows: list[Row] = []
    for name in ("raw_lines.jsonl", "phase1_train_reconstructed.jsonl"):
        with (data / "prm800k" / name).open(encoding="utf-8") as file:
            rows += [json.loads(line) for line in file]
    return [row for row in rows if _num_ratings(row) and _taken(row)]


def _completions(row: Row) -> Iterator[Row]:
    for step in row["label"]["steps"]:
        yield from step["completions"] or []
        if step["human_completion"]:
            yield step["human_completion"]


def _num_ratings(row: Row) -> int:
    return sum(completion["rating"] is not None for completion in _completions(row))


def _taken(row: Row) -> bool:
    first = row["label"]["steps"][0]
    return first["chosen_completion"] is not None or first["human_completion"] is not None


def write_copies(rows: list[Row], out: Path, num_solutions: int, num_ratings: int) -> tuple[int, int]:
    """Write ``num_solutions`` numbered copies that hold about ``num_ratings``; return what was written.

    One line in a hundred is of phase 1, as in PRM800K. The others are drawn so that the running mean of
    ratings a line stays at the one asked for: short ones while the file is ahead of it, else long ones.
    """
    rng = random.Random(7)
    mean = num_ratings / num_solutions
    first = [row for row in rows if "pre_generated_steps" not in row["question"]]
    second = [row for row in rows if row not in first and not row["is_initial_screening_question"]]
    short = [row for row in second if _num_ratings(row) <= mean]
    long = [row for row in second if _num_ratings(row) > mean]
    written = 0
    with out.open("w", encoding="utf-8") as file:
        for number in range(num_solutions):
            is_ahead = written > mean * number
            row = rng.choice(first if number % 100 == 0 else short if is_ahead else long)
            written += _num_ratings(row)
            file.write(json.dumps(_numbered(row, number), ensure_ascii=False) + "\n")
    return num_solutions, written


def _numbered(row: Row, number: int) -> Row:
    copy: Row = json.loads(json.dumps(row))
    copy["question"]["problem"] += f" (Number {number % (len(str(number)) * 2000)}.)"
    mark = f" (No. {number}.)"
    first = copy["label"]["steps"][0]
    for completion in [*(first["completions"] or []), first["human_completion"]]:
        if completion:
            completion["text"] += mark
    if copy["question"].get("pre_generated_steps"):
        copy["question"]["pre_generated_steps"][0] += mark
    return copy


def timed(python: str, program: str, *arguments: str) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and peak memory in GB of a program in a process of its own."""
    start = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - programs of this file
        [python, "-c", _MEASURED + program, *arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise click.ClickException(f"{python} failed, see above")
    _, cpu, peak_kb = done.stdout.splitlines()[-1].split()
    return seconds, float(cpu), int(peak_kb) / 2**20


_MEASURED = """
import atexit, resource
used = lambda: resource.getrusage(resource.RUSAGE_SELF)
atexit.register(lambda: print("measured", used().ru_utime + used().ru_stime, used().ru_maxrss))
"""


def copy_rows(home: Path, folder: Path) -> None:
    """Write the rows of a store's tables to Parquet files, one a table."""
    with Store(home).transaction(read_only=True) as con:
        for table in _TABLES:
            con.execute(f"COPY {table} TO '{folder}/{table}.parquet'")


def _shown(measured: tuple[float, float, float]) -> str:
    seconds, cpu, peak = measured
    return f"{seconds:.1f} s ({cpu:.1f} s of processor), {peak:.2f} GB"


def _has(python: str, module: str) -> bool:
    done = subprocess.run(  # noqa: S603 - a Python the caller names
        [python, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False
    )
    return not done.returncode


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), default=Path("../shared/data"))
@click.option("--solutions", default=75_000, show_default=True)
@click.option("--ratings", default=800_000, show_default=True)
@click.option("--datasets-python", default=sys.executable, help="A Python that has the package datasets.")
def main(data: Path, solutions: int, ratings: int, datasets_python: str) -> None:
    """Make the file, import it both ways, print seconds, memory and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.jsonl"
        num_solutions, num_ratings = write_copies(shared_lines(data), path, solutions, ratings)
        click.echo(
            f"{num_solutions:,} solutions, {num_ratings:,} ratings, {path.stat().st_size / 2**20:,.0f} MB"
        )
        out = Path(folder) / "counts.json"
        ours = timed(sys.executable, _IMPORT, str(path), f"{folder}/home", str(out))
        counts = json.loads(out.read_text())
        click.echo(f"stepmark import-labels: {_shown(ours)}")
        click.echo(f"  {counts['accepted']:,} lines accepted; rows written: {counts['written']}")
        reader, name = _DATASETS, "datasets.load_dataset"
        if not _has(datasets_python, "datasets"):
            reader, name = _PYARROW, "pyarrow.json (datasets is absent)"
        arguments = (str(path), f"{folder}/cache", f"{folder}/other.duckdb")
        for loop, what in ((_LOOP, "a loop"), (_STORING_LOOP, "a loop that stores its rows in DuckDB")):
            if loop is _STORING_LOOP and not _has(datasets_python, "duckdb"):
                continue
            other = timed(datasets_python, reader + loop, *arguments)
            shutil.rmtree(f"{folder}/cache", ignore_errors=True)
            click.echo(f"{name} and {what}: {_shown(other)}")
            click.echo(
                f"  stepmark takes {ours[0] / other[0]:.2f} of the seconds,"
                f" {ours[1] / other[1]:.2f} of the processor's"
            )
        copy_rows(Path(folder) / "home", Path(folder))
        insert = timed(sys.executable, _INSERT, f"{folder}/home of the rows", folder)
        click.echo(f"the import's rows, ready made, into a store's tables: {_shown(insert)}")
        shutil.rmtree(f"{folder}/home")


if __name__ == "__main__":
    main()
