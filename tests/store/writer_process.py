"""A process that writes for as long as it lives: ``python writer_process.py HOME NAME``. Killed by tests.

Each transaction writes one problem, its solution and three steps, and is acknowledged on standard output by
its number once it is committed. Every tenth one is published.
"""

import itertools
import sys
from pathlib import Path

import polars as pl

from stepmark.store import rows
from stepmark.store.store import Store


def write_for_ever(home: Path, name: str) -> None:
    """Write transaction after transaction and print each one's key after its commit."""
    store = Store(home)
    for number in itertools.count():
        key = f"{name}-{number}"
        with store.transaction() as con:
            con.execute(
                "INSERT INTO problems VALUES (?, 'test', 'train', NULL, NULL, 'text', NULL, NULL)", [key]
            ).fetchall()
            rows.insert(con, "steps", _three_steps(key))
            con.execute(
                "INSERT INTO solutions (solution_id, problem_id, source, solution) "
                "VALUES (?, ?, 'test', 'abc')",
                [key, key],
            ).fetchall()
        print(key, flush=True)
        if number % 10 == 9:
            store.publish()


def _three_steps(key: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "solution_id": [key] * 3,
            "step_index": [0, 1, 2],
            "char_start": [0, 1, 2],
            "char_end": [1, 2, 3],
            "step": ["a", "b", "c"],
        }
    )


if __name__ == "__main__":
    write_for_ever(Path(sys.argv[1]), sys.argv[2])
