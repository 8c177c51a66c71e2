"""Damaged rows and files of every format: whatever comes, it is read or refused with a reason, never a crash.

STEPMARK_FUZZ_MINUTES, a number, says how long each importer is tried; without it, a second.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import duckdb
import polars as pl
import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.reading import LabelImport
from stepmark.labeling.formats.registry import detect_format, import_labels
from stepmark.pipeline.label_files import ingest_labels
from stepmark.store.create import create_all, open_memory
from stepmark.store.rows import query

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is absent: pip install -e '.[dev]'")
st = hypothesis.strategies

# A sound row of every format; "omegaprm tree" is one of omegaprm.
VALID: dict[str, Any] = json.loads(Path(__file__).with_name("valid_rows.json").read_text(encoding="utf-8"))
_SECONDS = float(os.environ.get("STEPMARK_FUZZ_MINUTES", "0")) * 60 or 0.5
_EXAMPLES = 20  # between two looks at the clock
_STORED_ONE_IN = 20  # storing a file takes much longer than reading it

TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["", " ", "\n", "a\n\nb", "Step 1:", "Step 2: ки", "ки", "+", "-",
         "How many?", "\x00", "\u2028", "\r",
         "3", "-1", "1e999", "N/A", "rating_0", "rating_99", "true", "2026-01-05",
         "9999-12-31T23:59:59-23:00", "\U0001d465"]
    ),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-3, 5), st.sampled_from([2**31, -(2**63), 2**64, 10**30, 0.5, 1.5, -0.1, 1e308, 3.0])
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=5,
)


@st.composite
def damaged(draw: Callable[..., Any], value: Any) -> Any:
    """The value with one to three places in it replaced, dropped or doubled."""
    for _ in range(draw(st.integers(1, 3))):
        value = _damaged_once(draw, value)
    return value


def _damaged_once(draw: Callable[..., Any], value: Any) -> Any:
    if not value or not isinstance(value, dict | list) or draw(st.integers(0, 5)) == 0:
        return draw(VALUES)
    if isinstance(value, dict):
        key = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 5)) == 0:
            return {name: inner for name, inner in value.items() if name != key}
        return value | {key: _damaged_once(draw, value[key])}
    index = draw(st.integers(0, len(value) - 1))
    match draw(st.integers(0, 5)):
        case 0:
            return value[:index] + value[index + 1 :]
        case 1:
            return [*value, value[index]]
        case _:
            return [*value[:index], _damaged_once(draw, value[index]), *value[index + 1 :]]


@st.composite
def files(draw: Callable[..., Any], name: str) -> tuple[bytes, bool]:
    """A file of one sound row and some damaged ones, in some layout, perhaps with damaged bytes; and whether
    the sound row's own bytes are all there.
    """
    rows = [VALID[name], *draw(st.lists(damaged(VALID[name]), min_size=1, max_size=3))]
    layout = draw(st.sampled_from(["lines", "lines", "crlf", "pretty", "array", "bom"]))
    indent = 1 if layout == "pretty" else None
    texts = [json.dumps(row, indent=indent, ensure_ascii=draw(st.booleans())) for row in rows]
    text = (
        f"[{', '.join(texts)}]" if layout == "array" else ("\r\n" if layout == "crlf" else "\n").join(texts)
    )
    data = (b"\xef\xbb\xbf" if layout == "bom" else b"") + text.encode("utf-8", "replace")
    first = texts[0].encode("utf-8", "replace")
    parting = 2 if layout == "crlf" else 1  # bytes that part it from the next row
    sound = data[: data.index(first) + len(first) + parting]
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(data) - 1))
        data = (
            data[:place]
            + draw(st.sampled_from([b"", b"\xff", b'"', b"{", b"}", b"\n", b"\x00", b","]))
            + data[place + 1 :]
        )
    if draw(st.integers(0, 5)) == 0:
        data = data[: draw(st.integers(1, len(data)))]
    return data, data.startswith(sound)


def for_a_while(strategy: Any, check: Callable[[Any], None]) -> None:
    """Try the check on drawn values until the time is over; a failing value is made as small as can be."""
    start, number = time.monotonic(), 0
    quick = {"max_examples": _EXAMPLES, "deadline": None, "database": None}
    while number == 0 or time.monotonic() - start < _SECONDS:

        def once(value: Any) -> None:
            check(value)

        drawn = hypothesis.given(strategy)(once)
        seeded = hypothesis.seed(number)(drawn)
        hypothesis.settings(**quick, suppress_health_check=list(hypothesis.HealthCheck))(seeded)()
        number += 1


@pytest.fixture(scope="module")
def tables() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory with Stepmark's tables."""
    con = open_memory()
    create_all(con)
    yield con
    con.close()


def check_sentence(error: InputError) -> None:
    """A refusal of the whole file is one line."""
    assert "\n" not in str(error)


def check_import(chunks: list[LabelImport]) -> None:
    """Counts add up, reasons are sentences on one line, labels belong to steps."""
    for chunk in chunks:
        counts = chunk.counts
        assert counts["lines"] == counts["accepted"] + counts["rejected"] + counts["duplicates"]
        for reject in [*chunk.rejects, *chunk.duplicates]:
            assert reject.line is not None
            assert reject.line >= 1
            assert "\n" not in reject.reason
            assert reject.reason
        num_steps = {one.solution_id: len(one.steps) for one in (*chunk.solutions, *chunk.earlier_solutions)}
        for label in chunk.step_labels:
            assert 0 <= label.step_index < num_steps.get(label.solution_id, label.step_index + 1)
        for solution in chunk.solutions:
            pieces = [solution.solution[span.char_start : span.char_end] for span in solution.steps]
            assert "".join(pieces) == solution.solution
            assert [piece.strip() for piece in pieces] == [span.step for span in solution.steps]


class _Unkept:
    """A store whose transactions end with the test's own."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        yield self._con

    def read(self, sql: str) -> pl.DataFrame:
        return query(self._con, sql)


def check_stored(con: duckdb.DuckDBPyConnection, *paths: Path, label_format: str = "auto") -> None:
    """For some files: the database takes them one after the other, the last twice; no count is below zero."""
    if crc32(paths[-1].read_bytes()) % _STORED_ONE_IN:
        return
    store: Any = _Unkept(con)
    con.execute("BEGIN")
    try:
        for path in (*paths, paths[-1]):
            try:
                report = ingest_labels(store, path, label_format, "train")
            except InputError as error:
                check_sentence(error)  # no row in it
                return
            assert min(report.counts.values()) >= 0
            assert report.counts["lines"] == report.num_accepted + report.num_rejected + report.num_duplicates
        assert report.num_accepted == 0
    finally:
        con.execute("ROLLBACK")


@pytest.mark.slow
@pytest.mark.parametrize("name", VALID)
def test_damaged_rows_are_read_or_refused(
    tmp_path: Path, tables: duckdb.DuckDBPyConnection, name: str
) -> None:
    """The sound row that stands first is never lost to what follows it, unless its own bytes were hit.

    In a table, later rows are part of its solution, which they can spoil.
    """
    path, sound, label_format = tmp_path / "rows", tmp_path / "sound", name.split()[0]
    sound.write_text(json.dumps(VALID[name]), encoding="utf-8")
    [alone] = import_labels(sound, label_format, "train")

    def check(file: tuple[bytes, bool]) -> None:
        data, is_first_sound = file
        path.write_bytes(data)
        is_kept = is_first_sound and label_format != "table"
        try:
            chunks = list(import_labels(path, label_format, "train", chunk_lines=2))
        except InputError as error:
            check_sentence(error)
            assert not is_kept
            return
        check_import(chunks)
        check_stored(tables, sound, path, label_format=label_format)
        if is_kept:
            assert [one.row for one in chunks[0].labeled_lines[: len(alone.labeled_lines)]] == [1] * len(
                alone.labeled_lines
            )
            assert [one.solution_id for one in alone.labeled_lines] == [
                one.solution_id for one in chunks[0].labeled_lines[: len(alone.labeled_lines)]
            ]

    for_a_while(files(name), check)


def test_any_bytes_are_told_or_refused(tmp_path: Path, tables: duckdb.DuckDBPyConnection) -> None:
    """Detection never crashes, and what it names is imported or refused."""
    path = tmp_path / "rows"
    starts = st.sampled_from(
        [
            b"",
            b"{",
            b"[",
            b"PAR1",
            b"\x1f\x8b",
            b"\xff\xfe",
            b"problem,solution_id,step_index,step,rating\n",
            b'"',
        ]
    )

    def check(parts: tuple[bytes, bytes]) -> None:
        path.write_bytes(b"".join(parts))
        try:
            chunks = list(import_labels(path, detect_format(path), "train"))
        except InputError as error:
            check_sentence(error)
            return
        check_import(chunks)
        check_stored(tables, path)

    ends = st.one_of(st.binary(max_size=60), TEXTS.map(lambda text: text.encode("utf-8", "replace")))
    for_a_while(st.tuples(starts, ends), check)


def test_damaged_cells_of_csv_are_read_or_refused(tmp_path: Path, tables: duckdb.DuckDBPyConnection) -> None:
    """Quotes that do not close, cells that are missing, numbers that are none."""
    path = tmp_path / "rows.csv"
    cell = st.sampled_from(
        [
            "0",
            "1",
            "2",
            "-1",
            "",
            "x",
            '"',
            '"a',
            'a""b',
            '"a\nb"',
            "+",
            "true",
            "\x00",
            "1e9",
            "ann",
            "0.5",
            "é",
        ]
    )

    def check(rows: list[list[str]]) -> None:
        lines = ["problem,solution_id,step_index,step,rating,labeler,value", *(",".join(row) for row in rows)]
        path.write_text("\r\n".join(lines), newline="")
        check_import(list(import_labels(path, detect_format(path), "train")))
        check_stored(tables, path)

    row = st.lists(cell, min_size=6, max_size=8)
    for_a_while(st.lists(row, max_size=5), check)
