"""`stepmark sql` on a published snapshot: three layouts, clear refusals, nothing a model wrote obeyed."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stepmark.app.io.layouts import as_csv, as_json, as_table
from stepmark.app.sql import run_query, sql_command
from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.store.snapshot import READ_ONLY_CONFIG
from stepmark.store.store import Store


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose snapshot has two rejects; the raw text of the first tries to clear the terminal."""
    store = Store(tmp_path_factory.mktemp("home"))
    with store.transaction() as con:
        con.execute(
            r"INSERT INTO rejects VALUES ('a.jsonl', 12, 'no problem', E'\x1b[2Jbad\nrow'), "
            "('b', NULL, 'é', '')"
        ).fetchall()
    store.publish()
    return store.home


def _run(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(sql_command, [*arguments, "--home", str(home)])


def test_a_table_is_aligned_and_counted(home: Path) -> None:
    """Numbers stand on the right, NULL is named, control characters are shown as escapes."""
    result = _run(home, "SELECT file, line, raw FROM rejects ORDER BY file")

    assert result.exit_code == 0
    assert result.output.split("\n") == [
        "file     line  raw",
        "-------  ----  ---------------",
        "a.jsonl    12  \\x1b[2Jbad\\nrow",
        "b        NULL",
        "(2 rows)",
        "",
    ]


def test_csv_keeps_the_text_as_it_is(home: Path) -> None:
    """Into a file or a pipe the text goes unchanged, quoted where it must be."""
    result = _run(home, "SELECT file, line, raw FROM rejects ORDER BY file", "--format", "csv")

    assert result.output == 'file,line,raw\na.jsonl,12,"\x1b[2Jbad\nrow"\nb,,\n'


def test_json_is_an_array_of_objects(home: Path) -> None:
    """Unknown is null, whole sums are integers."""
    result = _run(
        home, "SELECT reason, line, sum(line) OVER () AS total FROM rejects ORDER BY file", "--format", "json"
    )

    assert json.loads(result.output) == [
        {"reason": "no problem", "line": 12, "total": 12},
        {"reason": "é", "line": None, "total": 12},
    ]


def test_json_has_neither_nan_nor_raw_control_characters() -> None:
    """NaN is null, nested values stay nested, and all beyond ASCII is escaped."""
    text = as_json(["a", "b"], [(float("nan"), {"x": [1, "\x1b\u202e"]})])

    assert text.isascii()
    assert json.loads(text) == [{"a": None, "b": {"x": [1, "\x1b\u202e"]}}]


def test_csv_writes_lists_as_json() -> None:
    """A list of label sources can be read back."""
    assert as_csv(["a"], [(["x", "y"],)]) == 'a\n"[""x"", ""y""]"\n'


@pytest.mark.parametrize(
    ("value", "in_json", "in_csv"),
    [
        ("123456789012345678901234567890.12::DECIMAL(38,2)", "123456789012345678901234567890.12", None),
        ("1.10::DECIMAL(4,2)", 1.1, "1.10"),
        ("170141183460469231731687303715884105727::HUGEINT", 2**127 - 1, str(2**127 - 1)),
        ("INTERVAL '1 month 2 days 3 seconds'", "1 month 2 days 00:00:03", None),
        ("'infinity'::DATE", "infinity", None),
        ("TIMESTAMP '2020-01-01 00:00:00.123456'", "2020-01-01 00:00:00.123456", None),
        ("TIMESTAMP_NS '2020-01-01 00:00:00.123456789'", "2020-01-01 00:00:00.123456789", None),
        (r"'\xAA\x00a\x5C'::BLOB", r"\xAA\x00a\x5C", None),
        ("{'a': [1.5, NULL]}", {"a": [1.5, None]}, '{"a": [1.5, null]}'),
        ("['x'::BLOB]", ["x"], '["x"]'),
        ("[INTERVAL 1 MONTH]", ["1 month"], '["1 month"]'),
        ("{'DATE': DATE 'infinity'}", {"DATE": "infinity"}, '{"DATE": "infinity"}'),
        ("MAP {'a': 'infinity'::TIMESTAMP_S}", {"a": "infinity"}, '{"a": "infinity"}'),
        ("TIMESTAMPTZ '-infinity'", "-infinity", None),
        ("TIME_NS '12:00:00.123456789'", "12:00:00.123456789", None),
        ("array_value(1, 2)", [1, 2], "[1, 2]"),
    ],
)  # fmt: skip
def test_values_of_every_type_come_out_as_they_are(
    home: Path, value: str, in_json: object, in_csv: str | None
) -> None:
    """No digit, month or byte is lost on the way through Python; two columns of one name stay two."""
    query = f"SELECT 1 AS a, {value} AS v, 2 AS a; -- as it is;"
    names, rows = run_query(home, query)

    assert names == ["a", "v", "a"]
    assert json.loads(as_json(["v"], [(row[1],) for row in rows])) == [{"v": in_json}]
    assert [row[1] for row in csv.reader(as_csv(names, rows).splitlines())] == ["v", in_csv or in_json]


def test_json_cannot_hold_two_columns_of_one_name(home: Path) -> None:
    """One of them would be lost without a word."""
    result = _run(home, "SELECT 1 AS a, 2 AS a", "--format", "json")

    assert (result.stdout, type(result.exception)) == ("", InputError)
    assert (
        str(result.exception) == "'a' is the name of two columns; rename one with AS, or print them as csv."
    )


def test_a_carriage_return_in_a_cell_ends_no_line() -> None:
    """It is read back as it was."""
    text = as_csv(["s", "n"], [("a\rb", 1)])

    assert list(csv.reader(io.StringIO(text, newline=""))) == [["s", "n"], ["a\rb", "1"]]


def test_a_long_cell_is_cut_and_wide_characters_are_counted() -> None:
    """79 characters and an ellipsis; a wide character takes two columns; right-to-left marks are escaped."""
    lines = as_table(["s", "n"], [("x" * 100, 1), ("日本", 1), ("a\u202eb", 1)]).split("\n")

    assert lines[2] == "x" * 79 + "…  1"
    assert lines[3] == "日本" + " " * 76 + "  1"
    assert lines[4].startswith("a\\u202eb ")


def test_no_rows_still_show_the_columns(home: Path) -> None:
    """An empty answer is an answer."""
    assert _run(home, "SELECT file FROM rejects WHERE line = 99").output == "file\n----\n(0 rows)\n"


@pytest.mark.parametrize(
    "sql", ["SHOW TABLES", "DESCRIBE rejects", "WITH x AS (SELECT 1) FROM x", "EXPLAIN SELECT 1"]
)
def test_reading_statements_run(home: Path, sql: str) -> None:
    """Looking around needs no SELECT."""
    assert _run(home, sql).exit_code == 0


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("DELETE FROM rejects", "stepmark sql only reads, and DELETE does not; give a SELECT"),
        ("CREATE TEMP TABLE t AS SELECT 1", "only reads, and CREATE does not"),
        ("COPY rejects TO 'out.csv'", "only reads, and COPY does not"),
        ("ATTACH 'other.duckdb'", "only reads, and ATTACH does not"),
        ("INSTALL httpfs", "only reads, and LOAD does not"),
        ("SET memory_limit = '1GB'", "only reads, and SET does not"),
        ("SELECT * FROM read_csv('/etc/passwd')", "reads the snapshot alone, no other file and no extension"),
        ("SELECT * FROM '/etc/hosts.csv'", "reads the snapshot alone"),
        ("EXPLAIN ANALYZE DELETE FROM rejects", "read-only"),
        ("SELECT 1; SELECT 2", "Give one SQL statement, not 2"),
        ("", "Give one SQL statement, not 0"),
        ("SELECT '\udcff'", r"holds '.udcff', which is no character, at place 9; write it in UTF-8"),
        ("SELEC 1", 'The query failed: .*syntax error at or near "SELEC"'),
        ("SELECT * FROM step", "Table with name step does not exist! .*SHOW TABLES lists the tables"),
        ("SELECT 'a'::INTEGER", "The query failed: Conversion Error"),
    ],
)
def test_what_is_no_query_is_one_clear_sentence(home: Path, sql: str, message: str) -> None:
    """Writes, other files, several statements and mistakes are refused on one line."""
    with pytest.raises(StepmarkError, match=message) as caught:
        run_query(home, sql)

    assert "\n" not in str(caught.value)


_SORTED = "SELECT repeat('x', 300) || range AS s FROM range(1000000) ORDER BY s DESC"


@pytest.mark.parametrize(
    ("temporary", "sql", "message"),
    [
        (
            None,
            "SELECT list(range) FROM range(10000000)",
            r"too little memory: .*used\); ask for fewer rows at once",
        ),
        (
            "/proc/x",
            _SORTED,
            r'directory "/proc/x": .*; look at free space and permissions in .*published, where',
        ),
    ],
)
def test_a_query_beyond_memory_and_disk_names_a_way_out(
    home: Path, temporary: str | None, sql: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB's own advice is of settings that nobody can change here."""
    monkeypatch.setitem(READ_ONLY_CONFIG, "memory_limit", "20MB")
    if temporary is not None:
        monkeypatch.setitem(READ_ONLY_CONFIG, "temp_directory", temporary)
    with pytest.raises(StepmarkError, match=message) as caught:
        run_query(home, sql)

    assert "\n" not in str(caught.value)
    assert " SET " not in str(caught.value)


def test_a_pivot_runs_where_it_lists_its_values(home: Path) -> None:
    """Without them DuckDB makes several statements of it; the refusal says what to write."""
    assert run_query(home, "PIVOT rejects ON file IN ('a.jsonl') USING count(*) GROUP BY line")[1] != []
    with pytest.raises(StepmarkError, match=r"a PIVOT takes several unless it lists its values; write them"):
        run_query(home, "PIVOT rejects ON file USING count(*)")


def test_without_a_snapshot_the_way_to_one_is_named(tmp_path: Path) -> None:
    """An empty folder gets neither a database nor a stack trace as an answer."""
    result = _run(tmp_path, "SELECT 1")

    assert isinstance(result.exception, StepmarkError)
    assert "run `stepmark demo`" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_query_is_needed(home: Path) -> None:
    """Bad usage is exit code 2."""
    assert _run(home).exit_code == 2
