"""What a label file says that does not go with what is stored: the file is read again with that in mind.

A row that contradicts the store is then refused where it is read, as one that contradicts an earlier row of
the file, so that nothing of it stays and nothing else is compared with it. Leaves out: reading
(``stepmark.labeling.formats.chunks``), and alternatives to a step (``alternatives``).
"""

from collections import defaultdict
from typing import Any

import duckdb

from stepmark.labeling.formats.chunks import Contradicted, hash_of_ends, hash_of_labels
from stepmark.labeling.formats.reading import Authorship
from stepmark.labeling.vocabulary import HUMAN
from stepmark.store.rows import query

# Labels contradict one another where these columns differ, in what is stored and in what the file offers.
_OF_LABELERS = "step_index, alternative_index, completion, rating"
_OF_SOURCES = "step_index, rating, value, num_rollouts, num_correct, num_truncated, num_ungraded"
# People's step labels are whoever's came first: the ratings themselves say who gave them.
_OFFERED_BY_SOURCES = f"""
    SEMI JOIN offered_labeled_lines AS lines
        ON lines.solution_id = offered.solution_id AND lines.label_author = offered.label_source
            AND NOT lines.is_labeler
    WHERE label_source <> '{HUMAN}'
        OR offered.solution_id NOT IN (SELECT solution_id FROM offered_human_labels)
"""
_RATED_BY_LABELERS = f"label_source = '{HUMAN}' AND solution_id IN (SELECT solution_id FROM human_labels)"
_DIFFERING = """
    WITH offered AS (
        SELECT solution_id, {author} AS label_author, {columns}
        FROM offered_{table} AS offered {where_offered}
    ), stored AS (
        SELECT solution_id, {author} AS label_author, {columns}, source_file, source_line FROM {table}
        WHERE {is_stored} AND solution_id IN (SELECT solution_id FROM offered_{table})
    ), known AS (
        SELECT * EXCLUDE (source_file, source_line) FROM stored
        SEMI JOIN offered USING (solution_id, label_author)
    ), again AS (
        SELECT * FROM offered SEMI JOIN stored USING (solution_id, label_author)
    ), differing AS (
        (FROM known EXCEPT FROM again) UNION (FROM again EXCEPT FROM known)
    )
    SELECT solution_id, label_author, source_file, source_line, {columns}
    FROM stored SEMI JOIN differing USING (solution_id, label_author)
"""
_BY_LABELERS = _DIFFERING.format(
    author="labeler", columns=_OF_LABELERS, table="human_labels", where_offered="", is_stored="true"
)
_BY_SOURCES = _DIFFERING.format(
    author="label_source",
    columns=_OF_SOURCES,
    table="step_labels",
    where_offered=_OFFERED_BY_SOURCES,
    is_stored=f"NOT ({_RATED_BY_LABELERS})",
)


def divided_otherwise(offered: str) -> str:
    """A query of the texts in a view that are stored with other steps, and of where the stored steps end."""
    return f"""
        WITH stored AS (
            SELECT solution_id, list(row(step_index, char_start, char_end) ORDER BY step_index) AS spans,
                list(char_end ORDER BY step_index) AS ends
            FROM steps WHERE solution_id IN (SELECT solution_id FROM {offered}) GROUP BY solution_id
        ), again AS (
            SELECT solution_id, list(row(step_index, char_start, char_end) ORDER BY step_index) AS spans
            FROM offered_steps SEMI JOIN stored USING (solution_id) GROUP BY solution_id
        )
        SELECT solution_id, stored.ends FROM stored JOIN again USING (solution_id)
        WHERE stored.spans <> again.spans
    """


def find_contradicted(con: duckdb.DuckDBPyConnection) -> Contradicted:
    """What is stored that the offered rows contradict: other steps of a text, other labels of one author."""
    contradicted = Contradicted()
    for solution_id, ends in query(con, divided_otherwise("offered_labeled_lines")).iter_rows():
        contradicted.step_ends[solution_id] = hash_of_ends(ends)
    for sql, is_labeler in ((_BY_LABELERS, True), (_BY_SOURCES, False)):
        labels: dict[Authorship, list[tuple[Any, ...]]] = defaultdict(list)
        places: dict[Authorship, str] = {}
        for solution_id, author, file, line, *label in query(con, sql).iter_rows():
            key = Authorship(solution_id, author, is_labeler)
            labels[key].append(tuple(label))
            places[key] = f"line {line} of {file}" if file and line else file or "what is stored"
        for key, stored in labels.items():
            contradicted.labels[key] = (places[key], hash_of_labels(stored))
    return contradicted
