"""Damaged lines between sound ones: text that is no row of any format is told by its line."""

import json
from pathlib import Path

import pytest

from stepmark.store.store import Store

from .conftest import TABLE, changed, import_file, numbered, valid

pytestmark = pytest.mark.slow


def lines(*damaged: bytes) -> bytes:
    """A sound TRL row, the damaged lines, another sound row."""
    first, last = (json.dumps(numbered(valid("trl"), number)).encode() for number in (1, 3))
    return b"\n".join([first, *damaged, last])


# A file, the line of its one reject, and a part of the reason.
REFUSED_LINES: dict[str, tuple[bytes, int, str]] = {
    "NaN": (lines(b'{"prompt": "Q", "completions": ["a"], "labels": [NaN]}'), 2, "holds NaN, which"),
    "a key twice": (lines(b'{"prompt": "Q", "prompt": "R"}'), 2, "gives the key 'prompt' twice"),
    "half a character": (lines(b'{"prompt": "\\ud83d"}'), 2, "holds a lone surrogate"),
    "Latin-1": (lines(b'{"prompt": "\xe9"}'), 2, "holds bytes that are not UTF-8"),
    "single quotes": (lines(b"{'prompt': 1}"), 2, "is not JSON"),
    "two objects on a line": (lines(b'{"a": 1} {"a": 2}'), 2, "has more text after its JSON value"),
    "a number": (lines(b"7"), 2, "is a JSON number, not an object"),
    "a string": (lines(b'"labels"'), 2, "is a JSON string, not an object"),
    "an endless number": (lines(b'{"a": ' + b"9" * 5000 + b"}"), 2, "holds an integer of thousands"),
    "deep nesting": (lines(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"), 2, "is nested too deeply"),
    "a torn line": (lines(b'{"prompt": "Q", "completions": ['), 2, "that starts here does not end"),
    "a torn pretty-printed object": (lines(b"{", b'"a": "x,', b'"b": [', b"1"), 2, "does not end"),
    "a last line cut off": (lines() + b'\n{"prompt": "Q', 3, "is cut off"),
    "an array cut off": (b"[" + lines().replace(b"\n", b",\n") + b",\n", 3, "its closing ] is missing"),
    "a labeler of two minds": (
        lines(json.dumps(numbered(changed(valid("trl"), "labels", [False, False]), 1)).encode()),
        2,
        "trl rated this solution differently in line 1; the first rating stays",
    ),
    "a text divided otherwise": (
        lines(b'{"prompt": "How many 1?", "completions": ["a\\n b"], "labels": [true]}'),
        2,
        "line 1 divides the same text into other steps",
    ),
    "CSV of too few cells": (TABLE + b"Q,x,0,a,1\nQ,y,0\nQ,z,0,c,1\n", 3, "has 3 cells for 5 columns"),
    "CSV in Latin-1": (TABLE + b"Q,x,0,a,1\nQ,y,0,\xe9,1\n", 3, "holds bytes that are not UTF-8"),
    "a quote left open": (TABLE + b'Q,x,0,a,1\nQ,y,0,"b,1\n', 3, "the row is not CSV"),
    "a later row of a solution": (TABLE + b"Q,x,0,a,1\nQ,y,0,b,1\nQ,y,1,c,7\n", 4, "rating is 7"),
    "a step twice": (TABLE + b"Q,x,0,a,1\nQ,y,0,b,1\nQ,y,0,b,-1\n", 4, "stands in this solution twice"),
    "a label of 0 that may mean two things": (
        TABLE.replace(b"rating", b"label") + b"Q,x,0,a,1\nQ,y,0,b,0\n", 3, "it may mean wrong or neutral"
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", REFUSED_LINES)
def test_damage_between_sound_lines_is_told_by_its_line(home: Path, damage: str) -> None:
    """The sound rows are stored, the damage is one reject."""
    data, line, reason = REFUSED_LINES[damage]
    _, error = import_file(home, data)

    assert error is None
    [(found, told)] = Store(home).read("SELECT line, reason FROM rejects").rows()
    assert reason in told
    assert line in (found, 0)
    assert Store(home).read("SELECT count(*) FROM solutions WHERE source IN ('trl', 'table')").item() >= 2
