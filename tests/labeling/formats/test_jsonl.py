"""Reading objects: every layout a JSON file comes in, and every kind of damage."""

import gzip
import json
import time
import tracemalloc
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io import json_arrays, json_values, jsonl
from stepmark.labeling.formats.io.jsonl import read_objects
from stepmark.labeling.records import Reject


def read(tmp_path: Path, content: str | bytes) -> list[tuple[int, object]]:
    """The items of a file with this content: objects as they are, rejects as their reason."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [(line, item.reason if isinstance(item, Reject) else item) for line, item in read_objects(path)]


CUT_OFF = "cut off: Unterminated string starting at (its character"
TWO = [{"a": "x", "steps": [{"t": "{["}, {}]}, {"a": "y"}]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n\n"])
def test_json_lines_are_read_whatever_ends_them(tmp_path: Path, ending: str) -> None:
    """CRLF and blank lines between the rows change nothing."""
    items = read(tmp_path, ending.join(json.dumps(row) for row in TWO))

    assert [item for _, item in items] == TWO


def test_a_byte_order_mark_and_a_missing_final_newline_change_nothing(tmp_path: Path) -> None:
    """Windows editors add the one and leave out the other."""
    assert read(tmp_path, b'\xef\xbb\xbf{"a": 1}\n{"a": 2}') == [(1, {"a": 1}), (2, {"a": 2})]


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
def test_an_array_is_read_element_by_element(tmp_path: Path, indent: int | None) -> None:
    """An array is read in whatever indentation, although its file is named .jsonl."""
    items = read(tmp_path, json.dumps(TWO, indent=indent))

    assert [item for _, item in items] == TWO


@pytest.mark.parametrize("indent", [0, 2])
def test_pretty_printed_objects_one_after_another_are_read(tmp_path: Path, indent: int) -> None:
    """Objects over many lines need no array around them."""
    items = read(tmp_path, "\n".join(json.dumps(row, indent=indent) for row in TWO * 2))

    assert [item for _, item in items] == TWO * 2


def test_lines_of_pretty_printed_objects_are_where_they_start(tmp_path: Path) -> None:
    """The line number points at the opening brace."""
    assert read(tmp_path, '{\n"a": 1\n}\n{\n"a": 2\n}\n') == [(1, {"a": 1}), (4, {"a": 2})]


def test_lines_of_array_elements_are_where_they_start(tmp_path: Path) -> None:
    """The line number of an element counts the newlines before it."""
    assert read(tmp_path, '[\n{"a":\n1},\n\n{"a": 2}]') == [(2, {"a": 1}), (5, {"a": 2})]


def test_a_line_cut_off_at_the_end_is_refused_by_its_number(tmp_path: Path) -> None:
    """A download that broke off loses its last row only."""
    items = read(tmp_path, '{"a": 1}\n{"a": 2}\n{"a": "thr')

    assert items[:2] == [(1, {"a": 1}), (2, {"a": 2})]
    assert items[2] == (3, f"the text is {CUT_OFF} 7)")


@pytest.mark.parametrize(
    "torn", ['{"a": [1,', '{"a": [', '{"a":', '{"a": "x', '{"a": 1', "{", '{"a": {"b": 1}']
)
def test_a_line_torn_in_the_middle_does_not_take_the_next_with_it(tmp_path: Path, torn: str) -> None:
    """After a crashed writer the next line is read as an object of its own."""
    items = read(tmp_path, f'{{"a": 1}}\n{torn}\n{{"a": 3}}\n')

    assert items[0] == (1, {"a": 1})
    assert items[1][0] == 2
    assert isinstance(items[1][1], str)
    assert items[2:] == [(3, {"a": 3})]


def test_a_line_cut_off_among_escaped_quotes_is_refused_in_linear_time(tmp_path: Path) -> None:
    """Half a million of them; tried as starts one by one they would take hours."""
    [(line, reason)] = read(tmp_path, '{"problem": "' + 500_000 * '\\"' + "\n")

    assert line == 1
    assert isinstance(reason, str)


def test_a_damaged_pretty_printed_object_is_one_reject(tmp_path: Path) -> None:
    """Its further lines are not refused one by one."""
    items = read(tmp_path, '{\n"a": "x,\n"b": [\n1\n]\n}\n{\n"a": 2\n}\n')

    assert items == [(1, "the object that starts here does not end"), (7, {"a": 2})]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"a": NaN}', "the text holds NaN, which is not JSON"),
        ('{"a": -Infinity}', "the text holds -Infinity, which is not JSON"),
        ("[1]", "the element is a JSON number, not an object"),
        ('"a"', "the text is a JSON string, not an object"),
        ("null", "the text is a JSON null, not an object"),
        ('{"a": 1} {"a": 2}', "the text has more text after its JSON value, from character 9 on"),
        ('{"a": "\\ud83d"}', "the text holds a lone surrogate, half of a character"),
        (
            "{'a': 1}",
            "the text is not JSON: Expecting property name enclosed in double quotes (its character 2)",
        ),
        ('{"a": ' + "9" * 5000 + "}", "the text holds an integer of thousands of digits"),
        ('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}", "the text is nested too deeply"),
    ],
)
def test_what_is_no_json_object_is_refused_with_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    """Python's reader would let NaN and lone surrogates pass; no database takes them."""
    assert read(tmp_path, row + "\n") == [(1, reason)]


def test_a_pair_of_surrogates_is_a_character(tmp_path: Path) -> None:
    """Only half a pair is refused."""
    assert read(tmp_path, '{"a": "\\ud83d\\ude00"}') == [(1, {"a": "\N{GRINNING FACE}"})]


def test_bytes_that_are_not_utf8_refuse_their_line_only(tmp_path: Path) -> None:
    """The rows before and after a Latin-1 line are read."""
    items = read(tmp_path, b'{"a": 1}\n{"a": "\xe9"}\n{"a": 3}\n')

    assert items == [(1, {"a": 1}), (2, "the text holds bytes that are not UTF-8"), (3, {"a": 3})]


def test_damaged_elements_of_an_array_refuse_only_themselves(tmp_path: Path) -> None:
    """NaN, a number, Latin-1 bytes and a syntax error stand between good elements."""
    content = b'[\n{"a": 1},\n{"a": NaN},\n7,\n{"a": "\xe9"},\n{"a" 5},\n{"a": 6}\n]\n'

    assert read(tmp_path, content) == [
        (2, {"a": 1}),
        (3, "the element holds NaN, which is not JSON"),
        (4, "the element is a JSON number, not an object"),
        (5, "the element holds bytes that are not UTF-8"),
        (6, "the element is not JSON: Expecting ':' delimiter (its character 6)"),
        (7, {"a": 6}),
    ]


@pytest.mark.parametrize(
    ("content", "last"),
    [
        ('[{"a": 1}, {"a', (1, f"the element is {CUT_OFF} 2); nothing after it was read")),
        ('[{"a": 1},\n', (2, "the array is cut off: its closing ] is missing")),
        ('[{"a": 1}', (1, "the array is cut off: its closing ] is missing")),
        ('[{"a": 1}] {}', (1, "there is text after the array's end; nothing after it was read")),
        ('[{"a": 1} {}]', (1, "a comma or ] is missing after an element; nothing after it was read")),
    ],
)
def test_an_array_that_ends_wrongly_says_what_was_not_read(
    tmp_path: Path, content: str, last: tuple[int, str]
) -> None:
    """What follows the damage is never dropped without a word."""
    assert read(tmp_path, content) == [(1, {"a": 1}), last]


def test_windows_smaller_than_an_element_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An element, a number, an escape or a damaged element may lie across any number of windows."""
    rows = [{"a": '\N{GRINNING FACE}\\"x' * 20, "b": [True, -1.5e-7, None]}, {"a": 2}] * 3
    pretty = json.dumps(rows, indent=1).replace('"a": 2', '"a" 2', 1)
    whole = read(tmp_path, pretty)

    for size in (1, 2, 7, 64):
        monkeypatch.setattr(json_arrays, "_WINDOW_CHARS", size)
        assert read(tmp_path, pretty) == whole
    assert [item for _, item in whole if isinstance(item, dict)] == [rows[0], *rows[2:]]


def test_a_value_longer_than_the_limit_is_refused_and_reading_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quote that was never closed must not read the whole file into memory."""
    monkeypatch.setattr(jsonl, "MAX_CHARS", 50)
    monkeypatch.setattr(json_values, "MAX_CHARS", 50)

    items = read(tmp_path, '{"a": "' + "x" * 120 + '"}\n{"a": 2}\n')

    assert items == [(1, "the text is longer than 50 characters"), (2, {"a": 2})]


def test_gzip_is_unpacked_by_content_and_its_damage_refused(tmp_path: Path) -> None:
    """Nothing vouches for what stands before the cut."""
    rows = "".join(json.dumps({"a": index, "text": str(index) * 40}) + "\n" for index in range(3000))
    packed = gzip.compress(rows.encode())

    whole = read(tmp_path, packed)
    with pytest.raises(InputError, match=r"line \d+: the compressed data is damaged from here on: .*; fetch"):
        read(tmp_path, packed[: len(packed) // 2])

    assert [item["a"] for _, item in whole if isinstance(item, dict)] == list(range(3000))


def test_rejects_keep_text_a_database_can_store(tmp_path: Path) -> None:
    """The raw text is cut to 200 characters, and undecodable bytes are escaped."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": "\xe9' + b"x" * 500 + b"\n")

    [(_, item)] = read_objects(path)

    assert isinstance(item, Reject)
    assert item.file == str(path)
    assert item.raw.startswith('{"a": "\\udce9xxx')
    assert len(item.raw.encode()) < 220


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "the file does not exist"),
        (lambda path: path.mkdir(), "the file is a folder"),
        (lambda path: path.write_text("{}", encoding="utf-16"), "the file is UTF-16; save it as UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path, make: object, message: str) -> None:
    """One sentence says what and how to mend it."""
    path = tmp_path / "rows.jsonl"
    make(path)  # type: ignore[operator]

    with pytest.raises(InputError, match=message):
        list(read_objects(path))


def test_an_error_of_reading_names_the_file() -> None:
    """As that of a disk that fails: this one opens, and has nothing at its beginning."""
    with pytest.raises(OSError, match=r"Input/output error: '/proc/self/mem'"):
        next(read_objects("/proc/self/mem"))


@pytest.mark.parametrize("layout", ["lines", "array"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, layout: str) -> None:
    """30 MB are read in a few megabytes, also as an array on a single line."""
    path = tmp_path / "rows.json"
    row = json.dumps({"text": "x" * 3000})
    path.write_text(f"[{', '.join([row] * 10_000)}]" if layout == "array" else f"{row}\n" * 10_000)

    tracemalloc.start()
    num_rows = sum(1 for _ in read_objects(path))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert num_rows == 10_000
    assert peak_bytes < 12 * 2**20


def test_a_long_pretty_printed_object_is_read_in_linear_time(tmp_path: Path) -> None:
    """40,000 lines of one object are not parsed again at each of them."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"steps": list(range(40_000))}, indent=1))

    start = time.perf_counter()
    [(line, item)] = read_objects(path)

    assert line == 1
    assert isinstance(item, dict)
    assert len(item["steps"]) == 40_000
    assert time.perf_counter() - start < 5
