"""Older stores opened by this Stepmark: the tables of today, and every row of before."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

from stepmark.store import create
from stepmark.store.auditing import run_audits
from stepmark.store.create import SCHEMA_VERSION, open_memory
from stepmark.store.problem_writer import write_problems
from stepmark.store.schema import read_schema
from stepmark.store.store import Store

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
_ROWS = """
INSERT INTO schema_version VALUES (1, 'abc', '2026-01-01');
INSERT INTO rollouts VALUES ('x1', 'c', 0, '= 2', 'stop', 3, '2', 'correct');
INSERT INTO step_labels VALUES ('s1', 0, 'monte_carlo', NULL, 1.0, 2, 1, 1, 0.1, 1.0, 6);
INSERT INTO rejects VALUES ('a.jsonl', 3, 'no problem', '{}');
INSERT INTO problems VALUES ('p1', 'math', 'train', NULL, NULL, 'What is $1+1$?', NULL, '2');
INSERT INTO reward_models VALUES
    ('prm', 'prm', 0, 'tiny', ['oracle'], '{"base_sha256": "def"}', 'models/prm', 'abc', '{}', '2026-01-01'),
    ('sum', 'likelihood', NULL, 'tiny', [], '{"reads": "sum"}', 'tiny', 'def', '{}', '2026-01-01'),
    ('old', 'prm', 0, 'tiny', ['oracle'], '', 'models/old', 'abc', '{}', '2026-01-01');
"""


@pytest.fixture
def old_store(tmp_path: Path) -> Store:
    """A store of version 1."""
    store = Store(tmp_path)
    con = duckdb.connect(str(store.live))
    for text in ((HERE / "schema_001.sql").read_text(), (HERE / "views_001.sql").read_text(), _ROWS):
        con.execute(text)
    con.close()
    return store


def test_an_older_store_opens_with_all_its_rows(old_store: Store) -> None:
    """What was known is kept; what was not asked then is unknown."""
    assert old_store.read("FROM rollouts").rows() == [("x1", "c", 0, "= 2", "stop", 3, "2", "correct", None)]
    label = old_store.read("FROM step_labels").row(0, named=True)
    assert label["value_high"] == 1.0
    assert label["cost_tokens"] == 6
    assert label["p_wrong_low"] is None
    assert old_store.read("SELECT version FROM schema_version").item() == SCHEMA_VERSION
    assert old_store.read("SELECT rating FROM hard_labels").item() == 1


def test_where_old_rows_came_from_is_unknown_but_for_what_they_say(old_store: Store) -> None:
    """The weights a reward model started from stand in its settings; files, lines and code were not kept."""
    models = old_store.read(
        "SELECT reward_model_id, base_sha256, code_version FROM reward_models ORDER BY ALL"
    )
    origin = old_store.read("SELECT source_file, source_line, generator FROM problems")
    label = old_store.read("SELECT source_file, source_line, code_version FROM label_lineage")

    assert models.rows() == [("old", None, None), ("prm", "def", None), ("sum", "def", None)]
    assert origin.rows() == label.rows() == [(None, None, None)]


def test_a_file_takes_the_place_of_the_source_that_an_old_store_knew(old_store: Store) -> None:
    """Which file asked was not kept: its first import now speaks for it, and a wrong split is mended."""
    old = old_store.read("FROM problem_roles").rows()
    problem = old_store.read("FROM problems").with_columns(split=pl.lit("test"))
    with old_store.transaction() as con:
        other = problem.with_columns(source=pl.lit("processbench"))
        write_problems(con, other, know_their_split=False, asked_by="/bench.json")
    both = old_store.read("SELECT asked_by, split FROM problem_roles ORDER BY ALL").rows()
    kept = old_store.read("SELECT split FROM problems").item()
    with old_store.transaction() as con:
        write_problems(con, problem, know_their_split=True, asked_by="/math.jsonl")

    assert old == [("p1", "math", "train")]
    assert (both, kept) == ([("/bench.json", "test"), ("math", "train")], "train")
    assert old_store.read("SELECT asked_by, split FROM problem_roles ORDER BY ALL").rows() == [
        ("/bench.json", "test"),
        ("/math.jsonl", "test"),
    ]
    assert old_store.read("SELECT split FROM problems").item() == "test"


def test_a_migrated_store_has_the_tables_of_a_fresh_one(old_store: Store) -> None:
    """Columns, types, comments, keys and checks: nothing tells the two apart."""
    fresh = open_memory()
    create.create_all(fresh)
    with old_store.transaction() as con:
        migrated = {table.name: table for table in read_schema(con)}

    assert migrated == {table.name: table for table in read_schema(fresh)}


def test_a_migration_that_fails_leaves_the_store_as_it_was(
    old_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All steps are one transaction; the next attempt finds the old version."""
    text = create.sql_text
    with monkeypatch.context() as patch:
        patch.setattr(create, "sql_text", lambda name: text(name) + "SELECT nothing FROM nowhere;")
        with pytest.raises(duckdb.Error):
            old_store.read("SELECT 1")
    con = duckdb.connect(str(old_store.live))
    assert con.execute("SELECT version FROM schema_version").fetchone() == (1,)
    con.close()

    assert old_store.read("SELECT count(*) FROM rollouts").item() == 1


def test_of_an_alternative_only_its_own_step_is_kept(full_store: Store) -> None:
    """Version 3 repeated the steps before it, and scored it as if it were a solution; the rest stays."""
    solutions = full_store.read("SELECT count(*) FROM steps").item()
    with full_store.transaction() as con:
        con.execute(
            """
            INSERT INTO solutions (solution_id, problem_id, source, solution)
                VALUES ('s4', 'p2', 'alternative', E'2+2\\n= 5');
            INSERT INTO steps VALUES ('s4', 0, 0, 4, '2+2'), ('s4', 1, 4, 7, '= 5');
            INSERT INTO step_labels (solution_id, step_index, label_source, rating)
                VALUES ('s4', 1, 'human', -1);
            INSERT INTO scores VALUES ('prm', 's4', 0, 0.1, 0.2, 0.7), ('prm', 's4', 1, 0.6, 0.2, 0.2);
            UPDATE schema_version SET version = 3;
            """
        )

    assert full_store.read("SELECT step_index, step FROM steps WHERE solution_id = 's4'").rows() == [
        (1, "= 5")
    ]
    assert full_store.read("SELECT count(*) FROM steps").item() == solutions + 1
    assert full_store.read("SELECT DISTINCT solution_id FROM scores").rows() == [("s3",)]
    assert all(frame.is_empty() for frame in run_audits(full_store).values())


def test_evaluations_from_before_are_of_the_newest_models_of_their_names(full_store: Store) -> None:
    """Version 4 kept no model; every evaluation had replaced all before it, so the newest are meant."""
    with full_store.transaction() as con:
        con.execute(
            """
            INSERT INTO reward_models
                (reward_model_id, kind, base_model, label_sources, config, checkpoint, checkpoint_sha256,
                metrics, created_at)
                VALUES
                ('judge-aaaaaaaa', 'prm', 'tiny', [], '{}', 'a', 'a', '{}', '2026-01-01'),
                ('judge-bbbbbbbb', 'prm', 'tiny', [], '{}', 'b', 'b', '{}', '2026-02-01');
            DROP TABLE evaluations;
            CREATE TABLE evaluations (
                selector VARCHAR, metric VARCHAR, n INTEGER, slice VARCHAR, round INTEGER, value DOUBLE,
                ci95_low DOUBLE, ci95_high DOUBLE, num_problems INTEGER NOT NULL,
                PRIMARY KEY (selector, metric, n, slice, round)
            );
            INSERT INTO evaluations VALUES
                ('judge', 'best_of_n', 4, 'all', 0, 0.5, 0.4, 0.6, 9),
                ('judge_min', 'best_of_n', 4, 'all', 0, 0.5, 0.4, 0.6, 9),
                ('majority', 'best_of_n', 4, 'all', 0, 0.5, 0.4, 0.6, 9),
                ('judge - majority', 'best_of_n_difference', 4, 'all', 0, 0.1, 0.0, 0.2, 9);
            UPDATE schema_version SET version = 4;
            """
        )

    assert full_store.read("SELECT selector, model_id, value FROM evaluations ORDER BY selector").rows() == [
        ("judge", "judge-bbbbbbbb", 0.5),
        ("judge - majority", "judge-bbbbbbbb - majority", 0.1),
        ("judge_min", "judge-bbbbbbbb", 0.5),
        ("majority", "majority", 0.5),
    ]
    assert full_store.read("SELECT bool_and(is_current) FROM evaluations").item()
