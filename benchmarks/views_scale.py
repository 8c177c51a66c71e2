"""Seconds that each question of docs/sql.md takes on a large store, and each view, whole and of one solution.

    python benchmarks/views_scale.py [--rollouts 10000000] [--threads 2] [--home FOLDER]

DuckDB's own generators fill the store: 75,000 solutions of 12,500 problems, 800,000 steps, labels by an
oracle and by Monte-Carlo for each and by people for a quarter of them, scores of two PRMs and an ORM, and ten
million rollouts. A whole view is read by hashing all its rows, however many; what takes more than two seconds
by the clock is marked. Run it where nothing else runs: elsewhere only processor seconds say something, of
which two quiet cores take little more than half. label_rollouts, ten million rows, is the nearest to two
seconds; its comment says to ask for one solution. With --home the store stays, and is used again with the
views as they are now. Leaves out: speed of writing as the pipeline writes.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import duckdb

from stepmark.store.schema import views
from stepmark.store.store import Store
from tools.sql_page import questions

LIMIT_S = 2.0
_FILL = """
CREATE TEMP TABLE size AS SELECT 12500 AS problems, 75000 AS solutions;

INSERT INTO problems (problem_id, source, split, subject, level, problem, ground_truth_answer, generator)
SELECT 'p' || substr(md5(i::VARCHAR), 1, 20), 'minimath', CASE WHEN i % 10 = 0 THEN 'test' ELSE 'train' END,
    'Subject ' || i % 7, 1 + i % 5, 'Problem ' || i || repeat(' and so on', 15), i::VARCHAR,
    '{"family": "family ' || i % 10 || '", "name": "minimath", "seed": 0}'
FROM size, range(size.problems) AS r(i);

INSERT INTO samplers
SELECT 'g' || i, 'model', 'abc', '{"temperature": 1}', 'in_process', 0, '0.1.0', '2026-01-01'
FROM range(3) AS r(i);

INSERT INTO solutions (solution_id, problem_id, source, round, generator_id, sampling, sample_index, solution,
    finish_reason, num_tokens, sum_logprob, final_answer, outcome, grader_version)
SELECT 's' || substr(md5(i::VARCHAR), 1, 20), 'p' || substr(md5((i % problems)::VARCHAR), 1, 20), 'sampled',
    i % 3, 'g' || i % 3, '{}', i // problems,
    repeat(
        printf('step of %07d, here and there;\n', CASE WHEN i % 50 = 0 THEN 0 ELSE i END),
        10 + CAST(i % 3 > 0 AS INTEGER)
    ),
    CASE WHEN i % 31 = 0 THEN 'length' ELSE 'stop' END, 150 + i % 100, -50,
    CASE WHEN i % 31 <> 0 THEN (i % 977)::VARCHAR END,
    CASE WHEN i % 31 = 0 THEN 'truncated' WHEN hash(i) % 5 < 2 THEN 'correct' ELSE 'incorrect' END, 'v1'
FROM size, range(size.solutions) AS r(i);

INSERT INTO steps
SELECT solution_id, j, j * 33, (j + 1) * 33, solution[j * 33 + 1 : (j + 1) * 33 - 1]
FROM solutions, range(length(solution) // 33) AS r(j);

INSERT INTO step_labels (solution_id, step_index, label_source, rating)
SELECT solution_id, step_index, 'oracle', CASE WHEN hash(solution_id, step_index) % 12 = 0 THEN -1 ELSE 1 END
FROM steps;

INSERT INTO step_labels (solution_id, step_index, label_source, value, num_rollouts, num_correct,
    num_truncated, num_ungraded, cost_tokens, completer_id, estimator, code_version)
SELECT solution_id, step_index, 'monte_carlo', k / (12 - cut_off), 12, k, cut_off, 0, 700, 'g0',
    '{"name": "exhaustive"}', '0.1.0'
FROM (
    SELECT *, (hash(step_index, solution_id) % 13)::INTEGER AS k,
        CAST(k < 12 AND hash(solution_id, step_index) % 7 = 0 AS INTEGER) AS cut_off
    FROM steps
);

INSERT INTO reward_models (reward_model_id, kind, round, base_model, label_sources, config, checkpoint,
    checkpoint_sha256, metrics, created_at)
SELECT name, split_part(name, '_', 1), 0, 'base', ['oracle'], '{}', name, 'abc', '{}', '2026-01-01'
FROM (VALUES ('prm_oracle'), ('prm_monte_carlo'), ('orm')) AS v(name);

INSERT INTO scores
SELECT reward_model_id, solution_id, step_index, 1 - p, 0, p
FROM (
    SELECT reward_model_id, solution_id, step_index,
        hash(reward_model_id, solution_id, step_index) % 1000 / 1000 AS p
    FROM steps, reward_models WHERE kind = 'prm'
    UNION ALL
    SELECT 'orm', solution_id, max(step_index), any_value(hash(solution_id)) % 1000 / 1000
    FROM steps GROUP BY solution_id
);

INSERT INTO human_labels
    (solution_id, step_index, alternative_index, labeler, completion, is_human_written, rating)
SELECT solution_id, step_index, 0, 'labeler ' || hash(solution_id) // 4 % 40, step, false,
    CASE WHEN hash(step_index, solution_id) % 15 = 0 THEN -1 ELSE 1 END
FROM steps WHERE hash(solution_id) % 4 = 0;

INSERT INTO step_labels (solution_id, step_index, label_source, rating)
SELECT solution_id, step_index, 'human', rating FROM human_labels;

INSERT INTO answer_verdicts
SELECT (i % 12500)::VARCHAR, i::VARCHAR, 'v1', 'different' FROM range(100000) AS r(i);

INSERT INTO evaluations
SELECT 'selector ' || i % 12, 'model ' || i % 12, 'best_of_n', (2 ** (i // 12))::INTEGER, 'all', 0, 0.5,
    0.4, 0.6, 500, true
FROM range(84) AS r(i);

INSERT INTO rejects
SELECT 'file ' || i % 5, 1 + i, 'level is ' || i || ', not 1 to 5', '{}' FROM range(10000) AS r(i);
"""
_ROLLOUTS = """
INSERT INTO rollouts
WITH different AS MATERIALIZED (SELECT DISTINCT prefix_id FROM step_prefixes)
SELECT prefix_id, 'g0', i, 'and so the answer is ' || hash(prefix_id, i), 'stop', 60,
    (hash(prefix_id, i) % 977)::VARCHAR,
    CASE hash(prefix_id, i) % 40 WHEN 0 THEN 'truncated' WHEN 1 THEN 'grader_timeout'
        ELSE CASE WHEN hash(prefix_id, i) % 2 = 0 THEN 'correct' ELSE 'incorrect' END END, 'v1'
FROM different, range($1 // (SELECT count(*) FROM different) + 1) AS r(i)
LIMIT $1
"""


def fill(store: Store, num_rollouts: int) -> None:
    """Make the store's rows and publish it."""
    with store.transaction() as con:
        con.execute(_FILL).fetchall()
    with store.transaction() as con:
        con.execute(_ROLLOUTS, [num_rollouts]).fetchall()
    store.publish()


@dataclass(frozen=True, slots=True)
class Reading:
    """How long one query took, by the clock and of processors, and how many rows it read."""

    name: str
    wall_s: float
    cpu_s: float
    num_rows: int

    @property
    def is_slow(self) -> bool:
        """True where it took longer than LIMIT_S by the clock."""
        return self.wall_s > LIMIT_S

    def __str__(self) -> str:
        mark = f"  OVER {LIMIT_S:.0f} S" if self.is_slow else ""
        return f"{self.wall_s:7.2f} {self.cpu_s:7.2f} {self.num_rows:>11,}  {self.name}{mark}"


def readings(con: duckdb.DuckDBPyConnection) -> Iterator[Reading]:
    """Each question, each whole view, and of each view by solution the rows of one solution."""
    for question in questions():
        yield _reading(con, question.text, question.sql)
    [(solution_id,)] = con.execute("SELECT min(solution_id) FROM human_labels").fetchall()
    for view in views().values():
        hashed = f'SELECT count(*), bit_xor(hash(read)) FROM "{view.name}" AS read'
        yield _reading(con, f"{view.name}, whole", hashed, is_counted=True)
        if "solution_id" in view.column_names:
            sql = f"SELECT * FROM \"{view.name}\" WHERE solution_id = '{solution_id}'"
            yield _reading(con, f"{view.name}, of one solution", sql)


def _reading(con: duckdb.DuckDBPyConnection, name: str, sql: str, is_counted: bool = False) -> Reading:
    begun, used = time.perf_counter(), time.process_time()
    rows = con.execute(sql).fetchall()
    took_s, used_s = time.perf_counter() - begun, time.process_time() - used
    return Reading(name, took_s, used_s, rows[0][0] if is_counted else len(rows))


@contextlib.contextmanager
def _home(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@click.command()
@click.option("--rollouts", "num_rollouts", default=10_000_000, show_default=True)
@click.option("--threads", default=2, show_default=True)
@click.option("--home", "given", type=click.Path(path_type=Path), help="Keep the store here.")
def main(num_rollouts: int, threads: int, given: Path | None) -> None:
    """Print seconds per question and per view; the exit code is 1 where one takes longer than two."""
    with _home(given) as home:
        store = Store(home)
        if not store.published.exists():
            begun = time.perf_counter()
            fill(store, num_rollouts)
            size_mb = store.published.stat().st_size / 1e6
            click.echo(f"made in {time.perf_counter() - begun:.0f} s: {size_mb:,.0f} MB")
        else:
            store.publish()
        con = duckdb.connect(str(store.published), read_only=True, config={"threads": threads})
        click.echo("   wall     cpu        rows  seconds by the clock and of processors")
        slow = 0
        for reading in readings(con):
            slow += reading.is_slow
            click.echo(str(reading))
        con.close()
    if slow:
        raise SystemExit(f"{slow} took longer than {LIMIT_S:.0f} s")


if __name__ == "__main__":
    main()
