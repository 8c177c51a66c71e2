"""Training examples: outcomes for the ORM, step targets for PRMs, each with the split of its problem.

Leaves out: tokens and training (train.py).
"""

import polars as pl

from stepmark.store.rows import query
from stepmark.store.store import Store

from .profile import Reward

# A problem's id decides its split, so that all its solutions share it, in every run and every label source.
# The first characters of an id decide minimath's test split, hence these ones.
_SPLIT = (
    "CASE WHEN CAST('0x' || substr({id}, 6, 4) AS INTEGER) < $1 * 65536 THEN 'validation' ELSE 'train' END"
)

_ORM_EXAMPLES = f"""
    INSERT INTO orm_examples
    SELECT solution_id, {_SPLIT.format(id="problem_id")}, outcome, CAST(outcome = 'correct' AS DOUBLE)
    FROM solutions JOIN problems USING (problem_id)
    WHERE problems.split = 'train' AND solutions.source = 'sampled'
        AND is_decided(outcome)
        AND EXISTS (SELECT 1 FROM steps WHERE steps.solution_id = solutions.solution_id)
"""
_PRM_EXAMPLES = f"""
    INSERT INTO prm_examples
    SELECT solution_id, step_index, label_source, {_SPLIT.format(id="problem_id")},
        CASE WHEN $2 THEN soft_labels.target_negative ELSE CAST(cut.rating = -1 AS DOUBLE) END,
        CASE WHEN $2 THEN soft_labels.target_neutral ELSE CAST(cut.rating = 0 AS DOUBLE) END,
        CASE WHEN $2 THEN soft_labels.target_positive ELSE CAST(cut.rating = 1 AS DOUBLE) END
    FROM step_labels_until_first_error AS cut
    JOIN soft_labels USING (solution_id, step_index, label_source)
    JOIN solutions USING (solution_id) JOIN problems USING (problem_id)
    WHERE problems.split = 'train' AND list_contains($3, label_source) AND cut.rating IS NOT NULL
        AND soft_labels.target_negative IS NOT NULL
"""
# Imported ones: of those that are made here, labels of test problems are for judging from the start.
_KEPT_OUT = """
    SELECT label_source, count(*) FROM step_labels
    JOIN solutions USING (solution_id) JOIN problems USING (problem_id)
    WHERE problems.split = 'test' AND step_labels.source_file IS NOT NULL
        AND list_contains($1, label_source)
    GROUP BY label_source ORDER BY label_source
"""
_COUNTS = {
    "orm_examples": """SELECT split, count(*) AS num, avg(target) AS share_correct
        FROM orm_examples GROUP BY ALL ORDER BY ALL""",
    "prm_examples": """SELECT label_source, split, count(*) AS num, avg(target_negative) AS negative,
        avg(target_neutral) AS neutral, avg(target_positive) AS positive
        FROM prm_examples GROUP BY ALL ORDER BY ALL""",
}


def make_orm_examples(store: Store, reward: Reward) -> pl.DataFrame:
    """Make the ORM's examples anew from decided outcomes of train problems; return counts by split."""
    with store.transaction() as con:
        con.execute("DELETE FROM orm_examples")
        con.execute(_ORM_EXAMPLES, [reward.validation_share])
        return query(con, _COUNTS["orm_examples"])


def make_prm_examples(store: Store, reward: Reward, *, soft_targets: bool) -> pl.DataFrame:
    """Make the PRMs' examples anew from all label sources the profile's PRMs name; return counts.

    With ``soft_targets`` values are the targets, otherwise hard labels. Labels count up to the first wrong
    step: what follows a wrong step is not defined alike by all sources.
    """
    sources = _sources(reward)
    with store.transaction() as con:
        con.execute("DELETE FROM prm_examples")
        con.execute(_PRM_EXAMPLES, [reward.validation_share, soft_targets, sources])
        return query(con, _COUNTS["prm_examples"])


def kept_out_of_training(store: Store, reward: Reward) -> str | None:
    """The imported labels that PRMs would learn from if they were not of test problems; None without any."""
    parts = [
        f"{num_labels:,} labels by {source}"
        for source, num_labels in store.read(_KEPT_OUT, [_sources(reward)]).iter_rows()
    ]
    return f"kept out of training, as their problems are for testing: {', '.join(parts)}" if parts else None


def _sources(reward: Reward) -> list[str]:
    return sorted({source for model in reward.models for source in model.label_sources})
