"""How far people's ratings can be trusted: agreement between labelers, measured, stored and shown.

The figures stand in ``evaluations`` under the selector ``human``: Krippendorff's alpha of all labelers
under each reading of a neutral rating, and Cohen's kappa of each pair. Counts, times and conflicts are
views. Leaves out: the arithmetic (stepmark.models.metrics.reliability).
"""

from collections.abc import Iterator

from stepmark.labeling.vocabulary import HUMAN, UNKNOWN_LABELER
from stepmark.models.metrics.reliability import Reliability, krippendorff_alpha, pairwise_kappa
from stepmark.store.store import Store

from .evaluations import EvaluationRow, store_evaluations

ALPHA, KAPPA = "krippendorff_alpha", "cohen_kappa"
NEUTRAL_AS = ("keep", "positive", "negative", "drop")
# Texts that two or more known people rated; a text is what the macro text_ratings takes for one.
_RATINGS = f"""
    WITH rated AS (
        SELECT text_id, labeler, rating, label_row FROM text_ratings($1)
        WHERE rating IS NOT NULL AND labeler <> '{UNKNOWN_LABELER}'
    )
    SELECT problem_id, text_id AS item, rated.labeler, rated.rating
    FROM rated JOIN human_labels ON human_labels.rowid = label_row JOIN solutions USING (solution_id)
    WHERE text_id IN (SELECT text_id FROM rated GROUP BY text_id HAVING count(*) > 1)
    ORDER BY ALL
"""
METRICS = [f"{ALPHA}_nominal", f"{ALPHA}_ordinal", KAPPA]


def measure_labelers(store: Store) -> int:
    """Measure the agreement between labelers and store it as current; return the number of figures."""
    where = "selector = ? AND metric IN (SELECT unnest(?))"
    return store_evaluations(store, list(_figures(store)), where, [HUMAN, METRICS])


def _figures(store: Store) -> Iterator[EvaluationRow]:
    """Each figure; none where no two known people rated one text."""
    for neutral_as in NEUTRAL_AS:
        ratings = store.read(_RATINGS, [neutral_as])
        if ratings.is_empty():
            continue
        for name in ("nominal", "ordinal"):
            alpha = krippendorff_alpha(ratings, ordinal=name == "ordinal")
            yield _evaluation(f"{ALPHA}_{name}", f"neutral_{neutral_as}", alpha)
        if neutral_as == "keep":
            for pair in pairwise_kappa(ratings):
                yield _evaluation(KAPPA, f"{pair.labeler} {pair.other_labeler}", pair.kappa)


def _evaluation(metric: str, slice_name: str, found: Reliability) -> EvaluationRow:
    point = found.value
    return EvaluationRow(
        HUMAN, metric, point.value, point.low, point.high, found.num_problems, slice_name=slice_name
    )
