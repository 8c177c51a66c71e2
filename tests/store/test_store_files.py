"""The store's file: made anew, foreign, of another version, or on a disk that is full."""

import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.store import create
from stepmark.store.create import SCHEMA_VERSION
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

_REJECT = pl.DataFrame({"file": ["a"], "line": [1], "reason": ["r"], "raw": ["{}"]})
_VERDICT = pl.DataFrame(
    {"ground_truth_answer": ["2"], "final_answer": ["3"], "grader_version": ["v1"], "verdict": ["different"]}
)


def _num_rejects(store: Store) -> int:
    return int(store.read("SELECT count(*) FROM rejects").item())


def test_a_new_home_gets_all_tables(tmp_path: Path) -> None:
    """The folders above it are made too."""
    store = Store(tmp_path / "a" / "b")

    assert store.read("SELECT count(*) FROM problems").item() == 0


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """The message names the file and what to do; the file keeps its bytes."""
    store = Store(tmp_path)
    store.live.write_text("not a database " * 1000)
    with pytest.raises(StepmarkError, match=r"Cannot open .*\.duckdb as a DuckDB database.*move it away"):
        store.read("SELECT 1")

    assert store.live.read_text().startswith("not a database")


def test_a_foreign_database_is_left_alone(tmp_path: Path) -> None:
    """A DuckDB file without Stepmark's tables gets none."""
    store = Store(tmp_path)
    duckdb.connect(str(store.live)).execute("CREATE TABLE mine (a INTEGER)").close()
    with pytest.raises(StepmarkError, match="is a DuckDB database but not Stepmark's"):
        store.read("SELECT 1")


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 0])
def test_tables_of_an_unknown_version_are_refused(store: Store, version: int) -> None:
    """The version, the known ones and the way out are named."""
    with store.transaction() as con:
        con.execute("UPDATE schema_version SET version = ?", [version])
    with pytest.raises(StepmarkError, match=f"version {version}, but .* knows versions 1 to .*; upgrade"):
        store.read("SELECT 1")


def test_outdated_views_are_made_anew_and_data_stays(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change in views/ reaches a database that was made before it."""
    new = {"99_new.sql": "CREATE VIEW new_view AS SELECT count(*) AS n FROM steps;"}
    changed = create.view_files() | new
    monkeypatch.setattr(create, "view_files", lambda: changed)

    assert full_store.read("SELECT n FROM new_view").item() == 6
    assert full_store.read("SELECT count(*) FROM thresholded_labels(0.5)").item() == 6


def test_a_home_that_cannot_be_a_folder_is_one_sentence(tmp_path: Path) -> None:
    """A file where the home should be is named with the remedy."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StepmarkError, match=r"Cannot write the store in .*file/home: .*; look at the disk"):
        Store(tmp_path / "file" / "home").read("SELECT 1")


def test_a_full_disk_is_one_sentence_and_loses_nothing(store: Store) -> None:
    """Where a file may not grow any more, the write is refused and what was committed stays."""
    store.insert("rejects", _REJECT)
    code = (
        "import resource, signal, sys, pathlib, polars as pl; from stepmark.store.store import Store; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"store = Store(pathlib.Path({str(store.home)!r})); limit = store.live.stat().st_size + 100_000; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)); "
        "frame = pl.select(raw=pl.int_range(300_000).hash().cast(pl.String)); "
        "store.insert('rejects', frame.with_columns(file=pl.lit('b'), line=1, reason=pl.lit('r')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "StepmarkError: Cannot write the store in" in run.stderr
    assert store.read("SELECT file FROM rejects").to_series().to_list() == ["a"]


def test_too_little_memory_is_one_sentence_about_memory(store: Store) -> None:
    """More space on the disk would not help."""
    store.read("SELECT 1")
    with pytest.raises(StepmarkError, match=r"got too little memory: Out of Memory.*end other programs"):  # noqa: SIM117, PT012
        with store.transaction() as con:
            con.execute("SET memory_limit = '1MB'")
            con.execute("SELECT list(range) FROM range(10000000)").fetchall()


def test_a_home_with_a_question_mark_is_refused(tmp_path: Path) -> None:
    """Also behind a link, which DuckDB follows; nothing is made."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "x?y")
    for home in (tmp_path / "x?y", link):
        for use in (Store(home).read, Store(home).read_published):
            with pytest.raises(StepmarkError, match=r"holds a question mark; give another --home"):
                use("SELECT 1")

    assert list(tmp_path.iterdir()) == [link]


def test_the_live_file_open_elsewhere_is_one_sentence(store: Store) -> None:
    """A program that opened the private file is pointed to the snapshot."""
    store.read("SELECT 1")
    code = f"import duckdb; c = duckdb.connect({str(store.live)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(StepmarkError, match="people query the published snapshot"):
            store.read("SELECT 1")
        other.communicate(b"\n")
