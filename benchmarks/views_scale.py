"""Seconds that each question of docs/sql.md, and each view as a whole, takes on a large store.

    python benchmarks/views_scale.py [--rollouts 10000000] [--threads 2] [--home FOLDER]

DuckDB's own generators fill the store: 75,000 solutions of 12,500 problems, 800,000 steps, two labels each,
scores of two PRMs and an ORM, and ten million rollouts. A whole view is read by hashing all its rows. With
--home the store stays, and is used again. Leaves out: speed of writing as the pipeline writes.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
import duckdb

from stepmark.app.sql_page import questions
from stepmark.store.schema import views
from stepmark.store.store import Store

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
SELECT solution_id, j, j * 31, (j + 1) * 31, solution[j * 31 + 1 : (j + 1) * 31 - 1]
FROM solutions, range(length(solution) // 31) AS r(j);

INSERT INTO step_labels (solution_id, step_index, label_source, rating)
SELECT solution_id, step_index, 'oracle', CASE WHEN hash(solution_id, step_index) % 12 = 0 THEN -1 ELSE 1 END
FROM steps;

INSERT INTO step_labels (solution_id, step_index, label_source, value, num_rollouts, num_correct,
    num_truncated, num_ungraded, cost_tokens, completer_id, estimator, code_version)
SELECT solution_id, step_index, 'monte_carlo', k / 12, 12, k, 0, 0, 700, 'g0', '{"name": "exhaustive"}',
    '0.1.0'
FROM (SELECT *, (hash(step_index, solution_id) % 13)::INTEGER AS k FROM steps);

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
SELECT solution_id, step_index, 0, 'labeler ' || hash(solution_id) % 40, step, false,
    CASE WHEN hash(step_index, solution_id) % 15 = 0 THEN -1 ELSE 1 END
FROM steps WHERE hash(solution_id) % 4 = 0;

INSERT INTO answer_verdicts
SELECT (i % 12500)::VARCHAR, i::VARCHAR, 'v1', 'different' FROM range(100000) AS r(i);

INSERT INTO evaluations
SELECT 'selector ' || i % 12, 'best_of_n', (2 ** (i // 12))::INTEGER, 'all', 0, 0.5, 0.4, 0.6, 500
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


def seconds(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[float, float]:
    """Seconds by the clock and of processors to run a query and fetch all its rows."""
    begun, used = time.perf_counter(), time.process_time()
    con.execute(sql).fetchall()
    return time.perf_counter() - begun, time.process_time() - used


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
        con = duckdb.connect(str(store.published), read_only=True, config={"threads": threads})
        slow = 0
        for question in questions():
            took, used = seconds(con, question.sql)
            slow += took > LIMIT_S
            click.echo(f"{took:7.2f} s ({used:5.2f} s of processors)  {question.text}")
        for view in views():
            took, used = seconds(con, f'SELECT count(*), bit_xor(hash(read)) FROM "{view}" AS read')
            click.echo(f"{took:7.2f} s ({used:5.2f} s of processors)  the whole view {view}")
        con.close()
    if slow:
        raise SystemExit(f"{slow} questions take longer than {LIMIT_S:.0f} s")


if __name__ == "__main__":
    main()
