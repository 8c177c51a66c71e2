"""The data dictionary: comments, grains and the page made from them. No data."""

import re
from pathlib import Path

import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.store.create import sql_text
from stepmark.store.schema import Column, macros, table_of, tables, views
from tools.tables_page import tables_page


def test_every_table_and_column_says_what_it_is() -> None:
    """A COMMENT stands on every table and on every column of every table."""
    silent = [
        f"{table.name}.{column.name}"
        for table in tables().values()
        for column in table.columns
        if not (table.comment and column.comment)
    ]

    assert silent == []


def test_the_grain_above_a_table_is_its_comment() -> None:
    """The header line of each table in schema.sql is the table's COMMENT, word for word."""
    found = re.findall(r"^-- (.+)\nCREATE TABLE (\w+)", sql_text("schema.sql"), re.M)

    assert {name: header for header, name in found} == {t.name: t.comment for t in tables().values()}


def test_every_view_opens_with_its_grain() -> None:
    """The COMMENT of each view and table macro starts with "One row per"."""
    found = [*views().values(), *macros().values()]

    assert [one.name for one in found if not one.comment.startswith("One row per")] == []


def test_the_tables_of_the_design_are_there() -> None:
    """The tables people script against keep their names."""
    assert list(tables()) == [
        "schema_version", "problems", "samplers", "solutions", "answer_verdicts", "grader_audits", "steps",
        "human_labels", "rollouts", "step_labels", "orm_examples", "prm_examples", "reward_models", "scores",
        "evaluations", "labeling_queue", "rejects", "problem_roles", "problem_overlaps", "leak_decisions",
    ]  # fmt: skip


def test_a_table_is_described_from_the_live_schema() -> None:
    """Names, types, keys and checks come from the database itself."""
    steps = table_of("steps")

    assert steps.column_names == ("solution_id", "step_index", "char_start", "char_end", "step")
    assert steps.primary_key == ("solution_id", "step_index")
    assert steps.columns[1] == Column("step_index", "INTEGER", False, "Place in the solution, from 0.")
    assert "(char_end > char_start)" in steps.checks


def test_an_unknown_table_is_named_with_the_known_ones() -> None:
    """A wrong table name gives the list of right ones."""
    with pytest.raises(StepmarkError, match=r"no table 'step'; the tables are schema_version, problems"):
        table_of("step")


def test_the_page_of_tables_is_up_to_date() -> None:
    """docs/tables.md is what `python -m tools.tables_page docs/tables.md` makes of the live schema."""
    page = Path(__file__).parents[2] / "docs" / "tables.md"

    assert page.read_text(encoding="utf-8") == tables_page()
