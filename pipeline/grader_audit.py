"""The second grader's look at verdicts already given: which pairs of answers, and what it says of them.

Leaves out: how it judges (stepmark.labeling.grading.second_grader), and who is right where the two disagree.
"""

import polars as pl

from stepmark.labeling.grading import GRADER_VERSION, SecondGrader, auditor_name, is_agreeing
from stepmark.store.store import Store

from .progress import Progress

_PAIRS_PER_BATCH = 100
# The same number of each verdict as far as there are so many, in the order of a hash: as good as random, and
# where pairs are added later, nearly all that were audited are still among the first.
_UNAUDITED = """
    WITH placed AS (
        SELECT *, row_number() OVER (
            PARTITION BY verdict ORDER BY md5(ground_truth_answer || E'\\n' || final_answer), final_answer
        ) AS place
        FROM answer_verdicts WHERE grader_version = $1 AND verdict <> 'timeout'
    ),
    chosen AS (FROM placed ORDER BY place, verdict LIMIT $3)
    SELECT ground_truth_answer, final_answer, grader_version, verdict
    FROM chosen ANTI JOIN (FROM grader_audits WHERE auditor = $2)
        USING (ground_truth_answer, final_answer, grader_version)
    ORDER BY place, verdict
"""
_DISAGREEMENTS = """
    SELECT ground_truth_answer, final_answer, verdict, auditor_verdict FROM grader_audits
    WHERE grader_version = $1 AND auditor = $2 AND NOT is_agreeing
    ORDER BY verdict, ground_truth_answer, final_answer LIMIT $3
"""


def audit_grader(store: Store, max_pairs: int) -> int:
    """Let the second grader judge pairs it has not judged yet; return their number.

    Those come into question that the present grader decided, and of these ``max_pairs`` at most.
    """
    pairs = store.read(_UNAUDITED, [GRADER_VERSION, auditor_name(), max_pairs])
    if pairs.height:
        with SecondGrader() as grader, Progress("auditing", pairs.height, "verdicts") as bar:
            for batch in pairs.iter_slices(_PAIRS_PER_BATCH):
                store.insert_missing("grader_audits", _audited(grader, batch))
                bar.advance(batch.height)
    return pairs.height


def _audited(grader: SecondGrader, pairs: pl.DataFrame) -> pl.DataFrame:
    verdicts = grader.grade(list(pairs.select("ground_truth_answer", "final_answer").iter_rows()))
    agreeing = [is_agreeing(*both) for both in zip(pairs["verdict"], verdicts, strict=True)]
    return pairs.with_columns(
        auditor=pl.lit(auditor_name()),
        auditor_verdict=pl.Series(verdicts, dtype=pl.String),
        is_agreeing=pl.Series(agreeing, dtype=pl.Boolean),
    )


def disagreements(store: Store, max_rows: int) -> pl.DataFrame:
    """One row per pair on which the present two graders disagree, ``max_rows`` at most."""
    return store.read(_DISAGREEMENTS, [GRADER_VERSION, auditor_name(), max_rows])
