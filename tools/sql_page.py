"""The page docs/sql.md: questions of data teams, each with its query and its output on a small store.

``python -m tools.sql_page docs/sql.md`` makes it anew. A question is a file in ``questions/``: a
comment that asks, then the query. Leaves out: the views themselves (store/views/).
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from stepmark.app.io.layouts import as_table
from stepmark.app.sql import run_query

from .example_store import make_example_store

_INTRO = """\
# Questions and queries

Made by `python -m tools.sql_page docs/sql.md` from `tools/questions/`: change those. Each query runs as
`stepmark sql "..."`, or on `<home>/published/stepmark.duckdb` in any DuckDB client from 1.2 on. What each
view and column means stands in [tables.md](tables.md). The output is that of a small made-up store: it shows
what an answer looks like, and says nothing about any model.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in words, and the query that answers it."""

    text: str
    sql: str


def questions() -> list[Question]:
    """Every question, in the order of their files."""
    folder = resources.files(__package__).joinpath("questions")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name)
    parts = [file.read_text(encoding="utf-8").strip().partition("\n") for file in files]
    return [Question(comment.removeprefix("-- "), sql) for comment, _, sql in parts]


def sql_page(home: Path) -> str:
    """The whole page, with the output of the store in ``home``."""
    return "\n".join(_lines(home))


def _lines(home: Path) -> Iterator[str]:
    yield _INTRO
    for number, question in enumerate(questions(), start=1):
        yield f"## {number}. {question.text}\n"
        yield f"```sql\n{question.sql}\n```\n"
        yield f"```\n{as_table(*run_query(home, question.sql))}\n```\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        make_example_store(Path(folder))
        Path(sys.argv[1]).write_text(sql_page(Path(folder)), encoding="utf-8")
