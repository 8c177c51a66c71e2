"""What a label file says that does not go with what is stored: the file is read again with that in mind.

A row that contradicts the store is then refused where it is read, as one that contradicts an earlier row of
the file, so that nothing of it stays and nothing else is compared with it. Leaves out: reading
(``stepmark.labeling.formats.chunks``), and alternatives to a step (``label_kept``).
"""

from collections import defaultdict
from typing import Any

import duckdb

from stepmark.labeling.formats.chunks import StoredWords, ends_hash, word_hash
from stepmark.labeling.formats.reading import Speaker
from stepmark.labeling.vocabulary import HUMAN

from .rows import query

# Texts of a staged view that are stored with other steps, and where those end.
DIVIDED_OTHERWISE = """
    WITH stored AS (
        SELECT solution_id, list(row(step_index, char_start, char_end) ORDER BY step_index) AS spans,
            list(char_end ORDER BY step_index) AS ends
        FROM steps WHERE solution_id IN (SELECT solution_id FROM {view}) GROUP BY solution_id
    ), offered AS (
        SELECT solution_id, list(row(step_index, char_start, char_end) ORDER BY step_index) AS spans
        FROM staged_steps SEMI JOIN stored USING (solution_id) GROUP BY solution_id
    )
    SELECT solution_id, stored.ends FROM stored JOIN offered USING (solution_id)
    WHERE stored.spans <> offered.spans
"""
# What a rater said on a solution: the same columns of what is stored and of what the file offers.
_SAID_BY_PEOPLE = "step_index, alternative_index, completion, rating"
_SAID_BY_OTHERS = "step_index, rating, value, num_rollouts, num_correct, num_truncated, num_ungraded"
# People's step labels are whoever's came first: the ratings themselves say who gave them.
_OF_OTHERS = f"""
    SEMI JOIN staged_raters AS raters
        ON raters.solution_id = offered.solution_id AND raters.rater = offered.label_source
            AND NOT raters.is_person
    WHERE label_source <> '{HUMAN}'
        OR offered.solution_id NOT IN (SELECT solution_id FROM staged_human_labels)
"""
_RATED_BY_PEOPLE = f"label_source = '{HUMAN}' AND solution_id IN (SELECT solution_id FROM human_labels)"
_DIFFERING = """
    WITH offered AS (
        SELECT solution_id, {rater} AS rater, {said} FROM staged_{table} AS offered {of_offered}
    ), stored AS (
        SELECT solution_id, {rater} AS rater, {said}, source_file, source_line FROM {table}
        WHERE {of_stored} AND solution_id IN (SELECT solution_id FROM staged_{table})
    ), known AS (
        SELECT * EXCLUDE (source_file, source_line) FROM stored SEMI JOIN offered USING (solution_id, rater)
    ), again AS (
        SELECT * FROM offered SEMI JOIN stored USING (solution_id, rater)
    ), differing AS (
        (FROM known EXCEPT FROM again) UNION (FROM again EXCEPT FROM known)
    )
    SELECT solution_id, rater, source_file, source_line, {said}
    FROM stored SEMI JOIN differing USING (solution_id, rater)
"""
_WORDS = (
    _DIFFERING.format(
        rater="labeler", said=_SAID_BY_PEOPLE, table="human_labels", of_offered="", of_stored="true"
    ),
    _DIFFERING.format(
        rater="label_source",
        said=_SAID_BY_OTHERS,
        table="step_labels",
        of_offered=_OF_OTHERS,
        of_stored=f"NOT ({_RATED_BY_PEOPLE})",
    ),
)


def find_contradicted(con: duckdb.DuckDBPyConnection) -> StoredWords:
    """What is stored that the staged rows contradict: other steps of a text, another word of a rater."""
    contradicted = StoredWords()
    for solution_id, ends in query(con, DIVIDED_OTHERWISE.format(view="staged_raters")).iter_rows():
        contradicted.ends[solution_id] = ends_hash(ends)
    for sql, is_person in zip(_WORDS, (True, False), strict=True):
        words: dict[Speaker, list[tuple[Any, ...]]] = defaultdict(list)
        places: dict[Speaker, str] = {}
        for solution_id, rater, file, line, *word in query(con, sql).iter_rows():
            words[solution_id, rater, is_person].append(tuple(word))
            places[solution_id, rater, is_person] = (
                f"line {line} of {file}" if file and line else file or "what is stored"
            )
        for key, said in words.items():
            contradicted.said[key] = (places[key], word_hash(said))
    return contradicted
