"""A process that reads the snapshot for as long as it lives: ``python reader_process.py HOME KIND``.

A ``library`` reads by the store's own function, a ``client`` as `stepmark sql` does. One line on standard
output a read: the number of problems, and of transactions that are there in part; or ``error`` and why.
"""

import sys
import time
from pathlib import Path

from stepmark.app.sql import run_query
from stepmark.store.store import Store

HALF_WRITTEN = """
    SELECT problem_id
    FROM problems
    FULL JOIN (SELECT problem_id, count(*) AS num_solutions FROM solutions GROUP BY ALL) USING (problem_id)
    FULL JOIN (SELECT solution_id AS problem_id, count(*) AS num_steps FROM steps GROUP BY ALL)
        USING (problem_id)
    WHERE num_solutions IS DISTINCT FROM 1 OR num_steps IS DISTINCT FROM 3
"""
_PAUSE_S = 0.05  # on two cores, readers without a pause leave the writers little
_BOTH = f"SELECT (SELECT count(*) FROM problems), (SELECT count(*) FROM ({HALF_WRITTEN}))"


def _read(home: Path, kind: str) -> tuple[int, int]:
    read = Store(home).read_published(_BOTH).rows() if kind == "library" else run_query(home, _BOTH)[1]
    found = read[0]
    return found[0], found[1]


def _main(home: Path, kind: str) -> None:
    while True:
        time.sleep(_PAUSE_S)
        try:
            num_problems, num_partial = _read(home, kind)
            print(num_problems, num_partial, flush=True)
        except Exception as error:  # whatever a reader meets is what the test asks for
            print("error", repr(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2])
