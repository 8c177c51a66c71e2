"""The vocabulary is the one list of words; what SQL spells out is compared with it."""

import re
from pathlib import Path

import pytest

from stepmark.labeling import vocabulary

SCHEMA = (Path(__file__).resolve().parents[2] / "store" / "schema.sql").read_text(encoding="utf-8")
CHECKED = {
    "outcome": [set(vocabulary.OUTCOMES)],
    "verdict": [set(vocabulary.VERDICTS)],
    "auditor_verdict": [set(vocabulary.VERDICTS)],
    "split": [set(vocabulary.SPLITS_OF_PROBLEMS), set(vocabulary.SPLITS_OF_EXAMPLES)],
}


@pytest.mark.parametrize("column", CHECKED)
def test_the_tables_allow_the_words_of_the_vocabulary_and_no_others(column: str) -> None:
    """A word that is only in the schema, or only in Python, is found here and not by a user."""
    allowed = [
        set(re.findall("'([a-z_]+)'", words))
        for words in re.findall(rf"CHECK \({column} IN \(([^)]+)\)\)", SCHEMA)
    ]

    assert allowed
    assert all(words in CHECKED[column] for words in allowed)


def test_the_tables_know_the_kinds_of_reward_model() -> None:
    """The column ``kind`` of several tables holds different things; this one holds these."""
    table = SCHEMA.partition("CREATE TABLE reward_models")[2].partition(");\n\n")[0]

    found = re.search(r"CHECK \(kind IN \(([^)]+)\)\)", table)

    assert found is not None
    assert set(re.findall("'([a-z_]+)'", found[1])) == set(vocabulary.REWARD_MODEL_KINDS)


def test_no_word_has_two_names() -> None:
    """Each constant that is a word is the only one of its value."""
    words = [value for name, value in vars(vocabulary).items() if name.isupper() and isinstance(value, str)]

    assert sorted(words) == sorted(set(words))
