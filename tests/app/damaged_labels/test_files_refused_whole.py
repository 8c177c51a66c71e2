"""Damage to a label file as a whole: it is refused, and no byte of the store changes."""

import gzip
import io
from pathlib import Path

import polars as pl
import pytest

from stepmark.labeling.errors import InputError

from .conftest import TABLE, import_file

PARQUET = pl.DataFrame({"problem": ["Q"] * 500, "step": [str(index) for index in range(500)]})


def parquet(frame: pl.DataFrame) -> bytes:
    """The bytes of a Parquet file."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


REFUSED_WHOLE: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "the file holds no JSON object"),
    "white space": (b" \n\n\t", "the file holds no JSON object"),
    "a byte-order mark and nothing": (b"\xef\xbb\xbf", "the file holds no JSON object"),
    "UTF-16": ("{}".encode("utf-16"), "the file is UTF-16; save it as UTF-8"),
    "prose": (b"Dear Sir,\nno labels here\n", "the file holds no JSON object"),
    "an archive": (b"PK\x03\x04\x14\x00\x00\x00", "the file holds no JSON object"),
    "numbers": (b"[1, 2, 3]", "the file holds no JSON object"),
    "an empty array": (b"[]", "the file holds no JSON object"),
    "an object torn off": (b'{"prompt": "How', "the file holds no JSON object"),
    "foreign keys": (b'{"b": 1, "a": 2}', "line 1: no label format has the keys a, b"),
    "a problem": (b'{"problem": "?", "answer": "2"}', "line 1: this is a problem, not a labeled solution"),
    "a header alone": (TABLE, "the file holds no row"),
    "a table without labels": (
        b"problem,solution_id,step_index,step\nQ,x,0,a\n",
        "a table of steps has the columns",
    ),
    "a table without steps": (b"problem,rating\nQ,1\n", "a table of steps has the columns"),
    "a column twice": (
        TABLE.replace(b"\n", b",step\n") + b"Q,x,0,a,1,a\n",
        "line 1: a column is named twice",
    ),
    "Parquet of other columns": (parquet(PARQUET), "a table of steps has the columns"),
    "Parquet cut off": (parquet(PARQUET)[:-200], "the Parquet file is damaged"),
    "Parquet of four bytes": (b"PAR1", "the Parquet file is damaged"),
    "gzip cut off at once": (gzip.compress(b'{"a": 1}')[:12], "line 1: the compressed data is damaged"),
    "gzip cut off": (
        gzip.compress(b'{"prompt": "Q", "completions": ["a"], "labels": [true]}\n' * 900, 0)[:30_000],
        "the compressed data is damaged from here on",
    ),
    "gzip that is none": (b"\x1f\x8bnot so", "line 1: the compressed data is damaged"),
    "one object with NaN": (
        b'{"a": NaN}',
        "line 1: the file holds no JSON object that can be read: the text",
    ),
}


@pytest.mark.parametrize("damage", REFUSED_WHOLE)
def test_a_file_refused_as_a_whole_changes_no_byte_of_the_store(home: Path, damage: str) -> None:
    """One sentence names the file and the remedy."""
    data, message = REFUSED_WHOLE[damage]
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    _, error = import_file(home, data)

    assert isinstance(error, InputError)
    assert message in str(error)
    assert str(error).startswith(str(home.parent / "labels"))
    assert "\n" not in str(error)
    assert ";" in str(error)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
