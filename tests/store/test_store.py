"""Transactions on a real database: all or nothing, one at a time, clear refusals."""

import subprocess
import sys

import polars as pl
import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.store import rows
from stepmark.store.store import Store

_REJECT = pl.DataFrame({"file": ["a"], "line": [1], "reason": ["r"], "raw": ["{}"]})
_VERDICT = pl.DataFrame(
    {"ground_truth_answer": ["2"], "final_answer": ["3"], "grader_version": ["v1"], "verdict": ["different"]}
)


def _num_rejects(store: Store) -> int:
    return int(store.read("SELECT count(*) FROM rejects").item())


def test_several_tables_are_written_in_one_transaction(store: Store) -> None:
    """Both tables have their rows after the block, and the functions return how many."""
    with store.transaction() as con:
        counts = (rows.insert(con, "rejects", _REJECT), rows.insert(con, "answer_verdicts", _VERDICT))

    assert counts == (1, 1)
    assert store.read("SELECT verdict FROM answer_verdicts").item() == "different"


def test_an_exception_in_the_block_undoes_all_of_it(store: Store) -> None:
    """The caller's own exception comes through unchanged, and nothing was written."""

    def write_and_fail() -> None:
        with store.transaction() as con:
            rows.insert(con, "rejects", _REJECT)
            raise FileNotFoundError("mine")

    with pytest.raises(FileNotFoundError, match="mine"):
        write_and_fail()

    assert _num_rejects(store) == 0


def test_a_refused_row_undoes_the_rows_before_it(store: Store) -> None:
    """A failed statement takes the whole transaction with it."""

    def write_two() -> None:
        with store.transaction() as con:
            rows.insert(con, "rejects", _REJECT)
            rows.insert(con, "answer_verdicts", _VERDICT.with_columns(verdict=pl.lit("maybe")))

    with pytest.raises(StepmarkError, match="verdict='maybe'"):
        write_two()

    assert _num_rejects(store) == 0


def test_another_process_may_write_after_an_exception_is_kept(store: Store) -> None:
    """The file is closed even while the exception and its frames live on."""
    try:
        store.read("SELECT nonsense FROM rejects")
    except StepmarkError as error:
        kept = error
    code = f"import duckdb; duckdb.connect({str(store.live)!r}).execute('CREATE TABLE mine (a INTEGER)')"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert "nonsense" in str(kept)


def test_a_transaction_inside_a_transaction_is_a_mistake_not_a_deadlock(store: Store) -> None:
    """The same thread is told to use the connection it has."""
    with pytest.raises(RuntimeError, match="already holds"), store.transaction():
        store.read("SELECT 1")


def test_reading_cannot_write(store: Store) -> None:
    """``read`` runs in a read-only transaction."""
    store.insert("rejects", _REJECT)
    with pytest.raises(StepmarkError, match="read-only"):
        store.read("DELETE FROM rejects")

    assert _num_rejects(store) == 1


def test_parameters_and_whole_sums_come_back_as_integers(store: Store) -> None:
    """A sum of integers is an Int64 column, not a decimal one."""
    frame = store.read("SELECT sum(x) AS total FROM (VALUES (1), (2), (?)) AS t(x)", [3])

    assert frame.schema == {"total": pl.Int64}
    assert frame.item() == 6


def test_missing_rows_are_inserted_and_known_ones_stay(store: Store) -> None:
    """Of two rows with one key the first stays, in the table and within a frame."""
    store.insert("answer_verdicts", _VERDICT)
    other = _VERDICT.with_columns(verdict=pl.lit("equal"))
    new = _VERDICT.with_columns(final_answer=pl.lit("4"))

    assert store.insert_missing("answer_verdicts", pl.concat([other, new, other])) == 1
    assert store.read("SELECT verdict FROM answer_verdicts ORDER BY ALL")["verdict"].to_list() == [
        "different",
        "different",
    ]


def test_without_a_key_the_whole_row_is_the_key(store: Store) -> None:
    """The same reject, its line unknown, is stored once however often it comes."""
    whole_file = _REJECT.with_columns(line=pl.lit(None, pl.Int32))

    assert store.insert_missing("rejects", pl.concat([whole_file, whole_file])) == 1
    assert store.insert_missing("rejects", whole_file) == 0


def test_a_replacement_written_twice_does_not_double(store: Store) -> None:
    """Rows outside the condition stay, rows inside are exchanged, keys may be the same as before."""
    store.insert("answer_verdicts", pl.concat([_VERDICT, _VERDICT.with_columns(grader_version=pl.lit("v2"))]))
    new = _VERDICT.with_columns(verdict=pl.lit("timeout"))
    for _ in range(2):
        assert store.replace("answer_verdicts", new, "grader_version = ?", ["v1"]) == 1

    stored = store.read("SELECT grader_version, verdict FROM answer_verdicts ORDER BY ALL").rows()
    assert stored == [("v1", "timeout"), ("v2", "different")]


def test_a_replacement_stays_within_what_it_deletes(store: Store) -> None:
    """A frame with a row the condition does not cover is refused, and nothing is deleted."""
    store.insert("answer_verdicts", _VERDICT)
    with pytest.raises(StepmarkError, match=r"1 of 1 rows .* are outside \"grader_version = 'v2'\""):
        store.replace("answer_verdicts", _VERDICT, "grader_version = 'v2'")

    assert store.read("SELECT count(*) FROM answer_verdicts").item() == 1


def test_an_update_sets_the_given_columns_of_the_given_keys(full_store: Store) -> None:
    """Other rows and other columns stay; keys that are not stored are passed over."""
    new = pl.DataFrame({"solution_id": ["s1", "s9"], "outcome": ["incorrect", "correct"]})

    assert full_store.update("solutions", new) == 1
    stored = full_store.read("SELECT outcome, final_answer FROM solutions ORDER BY solution_id").rows()
    assert stored == [("incorrect", "2"), ("incorrect", "3"), ("truncated", None)]


def test_an_update_needs_the_key_once_and_something_to_set(full_store: Store) -> None:
    """No key, nothing to set, or one key twice is refused."""
    twice = pl.DataFrame({"solution_id": ["s1", "s1"], "outcome": ["correct", "incorrect"]})
    for frame in (twice.select("outcome"), twice.select("solution_id"), twice):
        with pytest.raises(StepmarkError, match="An update of solutions"):
            full_store.update("solutions", frame)


def test_deleting_returns_how_many(full_store: Store) -> None:
    """Children and parent may go in one transaction."""
    with full_store.transaction() as con:
        counts = [rows.delete(con, table, "solution_id = ?", ["s1"]) for table in ("steps", "solutions")]

    assert counts == [2, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": pl.col("char_start")}, "steps.step is VARCHAR, but the frame has Int32"),
        ({"char_start": pl.lit(0.7)}, "steps.char_start is INTEGER, but the frame has Float64"),
        ({"step": pl.lit(None, pl.String)}, "steps.step does not allow NULL, but row 0"),
        ({"spet": pl.lit("x")}, "Table steps has no column 'spet'; its columns are solution_id, step_index"),
        (
            {"char_end": pl.lit(-1)},
            "refuses a row: char_end > char_start does not hold for solution_id='s9'",
        ),
        ({"solution_id": pl.lit("s1")}, 'refuses a row: .*Duplicate key "solution_id: s1, step_index: 0"'),
    ],
)
def test_a_frame_that_does_not_fit_is_refused_by_name(
    full_store: Store, change: dict[str, pl.Expr], message: str
) -> None:
    """Wrong types, NULLs, surplus columns, broken checks and known keys are named, and nothing is written."""
    good = pl.DataFrame(
        {"solution_id": ["s9"], "step_index": [0], "char_start": [0], "char_end": [3], "step": ["abc"]},
        schema_overrides={"char_start": pl.Int32},
    )
    with pytest.raises(StepmarkError, match=message):
        full_store.insert("steps", good.with_columns(**change))

    assert full_store.read("SELECT count(*) FROM steps").item() == 6


def test_a_column_is_left_out_only_by_name(store: Store) -> None:
    """An absent column is an error; one called unknown is NULL; a required one cannot be unknown."""
    frame = _REJECT.drop("line")
    with pytest.raises(StepmarkError, match="The frame for table rejects has no column 'line'"):
        store.insert("rejects", frame)
    with pytest.raises(StepmarkError, match=r"rejects\.raw must be known"):
        store.insert("rejects", frame.drop("raw"), unknown=["line", "raw"])
    store.insert("rejects", frame, unknown=["line"])

    assert store.read("SELECT line FROM rejects").item() is None


def test_a_value_that_is_no_number_is_refused(full_store: Store) -> None:
    """NaN is neither a probability nor a measured value: unknown is NULL."""
    nan = pl.DataFrame({"solution_id": ["s1"], "sum_logprob": [float("nan")]})
    with pytest.raises(StepmarkError, match=r"isfinite\(sum_logprob\) does not hold for .*sum_logprob=nan"):
        full_store.update("solutions", nan)


def test_times_with_a_zone_are_stored_in_utc(full_store: Store) -> None:
    """Noon in New York in winter is 17:00."""
    noon = pl.Series("created_at", ["2026-01-15T12:00:00-05:00"]).str.to_datetime(
        time_zone="America/New_York"
    )
    full_store.update("samplers", pl.DataFrame({"sampler_id": ["g"]}).with_columns(noon))

    stored = full_store.read("SELECT created_at::VARCHAR FROM samplers WHERE sampler_id = 'g'").item()
    assert stored == "2026-01-15 17:00:00"


def test_long_answers_and_every_character_survive(store: Store) -> None:
    """A key of 10,000 digits, a NUL, an emoji and mixed line ends come back as they went in."""
    texts = ["9" * 10_000, "a\x00b", "🦆\r\n\u2028", ""]
    frame = pl.DataFrame({"final_answer": texts}).with_columns(
        ground_truth_answer=pl.lit("1"), grader_version=pl.lit("v1"), verdict=pl.lit("different")
    )
    store.insert("answer_verdicts", frame)

    stored = store.read("SELECT final_answer FROM answer_verdicts")["final_answer"].to_list()
    assert sorted(stored) == sorted(texts)


def test_names_in_sql_are_tables_never_python_variables(store: Store) -> None:
    """A frame in the caller's scope is out of reach of the query."""
    mine = _REJECT
    with pytest.raises(StepmarkError, match="Table with name mine does not exist"):
        store.read("SELECT * FROM mine")

    assert mine.height == 1
