"""The questions of docs/sql.md: every query runs and answers something, and the page is what they say."""

from pathlib import Path

import pytest

from stepmark.app.sql import run_query
from stepmark.store.auditing import run_audits
from stepmark.store.schema import views
from stepmark.store.store import Store
from tools.example_store import make_example_store
from tools.sql_page import Question, questions, sql_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The small store behind the page."""
    return make_example_store(tmp_path_factory.mktemp("example"))


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.text)
def test_a_question_has_an_answer(example: Store, question: Question) -> None:
    """The query runs as `stepmark sql` runs it, finds rows, and sorts them: the page does not change."""
    names, rows = run_query(example.home, question.sql)

    assert question.text.endswith("?")
    assert len(names) > 1
    assert rows
    assert "ORDER BY" in question.sql


def test_there_are_twenty_questions_and_more() -> None:
    """No two are the same."""
    texts = [question.text for question in questions()]

    assert len(set(texts)) == len(texts) >= 20


def test_no_view_of_the_page_is_without_its_words() -> None:
    """A view that answers a question has a COMMENT."""
    silent = [view.name for view in views().values() if not view.comment]

    assert silent == []


def test_the_small_store_is_in_order(example: Store) -> None:
    """The audits find nothing, so its rows are such as the pipeline writes."""
    assert {name: frame.height for name, frame in run_audits(example).items() if frame.height} == {}


def test_the_page_is_up_to_date(example: Store) -> None:
    """docs/sql.md is what `python -m tools.sql_page docs/sql.md` makes."""
    page = Path(__file__).parents[2] / "docs" / "sql.md"

    assert page.read_text(encoding="utf-8") == sql_page(example.home)
