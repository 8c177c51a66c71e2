"""A process that writes for as long as it lives, or as often as told. Killed by tests.

    python writer_process.py HOME NAME [--unguarded] [--transactions N]

Each transaction writes one problem, its solution and three steps, and is acknowledged on standard output by
its key once it is committed. Every tenth one is published. An unguarded writer opens the live file without
the store's lock, again and again until DuckDB lets it, as programs do that know no better.
"""

import argparse
import contextlib
import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import polars as pl

from stepmark.store import rows
from stepmark.store.store import Store

Transaction = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


def write_all(begin: Transaction, keys: Iterable[str]) -> Iterator[str]:
    """Write a transaction for each key, and yield the key after its commit."""
    for key in keys:
        with begin() as con:
            con.execute(
                "INSERT INTO problems (problem_id, source, split, problem) "
                "VALUES (?, 'test', 'train', 'text')",
                [key],
            ).fetchall()
            rows.insert(con, "steps", _three_steps(key))
            con.execute(
                "INSERT INTO solutions (solution_id, problem_id, source, solution) "
                "VALUES (?, ?, 'test', 'abc')",
                [key, key],
            ).fetchall()
        yield key


@contextlib.contextmanager
def unguarded(live: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A transaction on a connection that was opened as soon as DuckDB's own lock let it."""
    con = _opened_at_last(live)
    try:
        con.execute("BEGIN")
        yield con
        con.execute("COMMIT")
    finally:
        con.close()


def _opened_at_last(live: Path) -> duckdb.DuckDBPyConnection:
    while True:
        try:
            return duckdb.connect(str(live))
        except duckdb.IOException as error:
            if "Could not set lock" not in str(error):
                raise
            time.sleep(random.uniform(0, 0.01))


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


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("name")
    parser.add_argument("--unguarded", action="store_true")
    parser.add_argument("--transactions", type=int)
    wanted = parser.parse_args()
    store = Store(wanted.home)
    begin: Transaction = (lambda: unguarded(store.live)) if wanted.unguarded else store.transaction
    numbers = itertools.count() if wanted.transactions is None else range(wanted.transactions)
    for done, key in enumerate(write_all(begin, (f"{wanted.name}-{number}" for number in numbers)), start=1):
        print(key, flush=True)
        if done % 10 == 0 and not wanted.unguarded:
            store.publish()


if __name__ == "__main__":
    _main()
