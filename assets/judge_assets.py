"""Assets of group ``judge``: scores, best-of-N, first errors, label quality, and the published snapshot."""

import dagster as dg
import polars as pl

from stepmark.labeling.vocabulary import MONTE_CARLO
from stepmark.pipeline.error_finding import find_first_errors, store_first_errors
from stepmark.pipeline.length_bias import LENGTH_BIAS, measure_length_bias
from stepmark.pipeline.plots import best_of_n_picture, label_quality_picture
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.quality import measure_label_quality, read_quality, store_label_quality
from stepmark.pipeline.score import score_with_likelihoods, score_with_models
from stepmark.pipeline.selection import BEST_OF_N, DIFFERENCE, select, store_selection
from stepmark.pipeline.selectors import main_selectors

from .label_assets import monte_carlo_labels, oracle_labels
from .metadata import count_rows, picture, sample_rows, table_rows
from .problem_assets import human_labels
from .resources import Pipeline
from .solution_assets import grader_audit, outcomes, steps

_FIGURES = """
    SELECT selector, metric, n, value, ci95_low, ci95_high, num_problems FROM evaluations
    WHERE metric = ? AND is_current ORDER BY selector, n
"""
_QUALITY = "SELECT * FROM evaluations WHERE selector = ? AND is_current"
_QUALITY_OF_SLICES = """
    SELECT metric, slice, value, ci95_low, ci95_high, num_problems FROM evaluations
    WHERE selector = ? AND starts_with(slice, ?) AND is_current ORDER BY metric, slice
"""


def scores_asset(profile: Profile) -> dg.AssetsDefinition:
    """The asset ``scores``, which depends on every reward model of the profile."""
    models = [dg.AssetKey(model.name) for model in profile.reward.models]

    @dg.asset(
        group_name="judge", kinds={"duckdb", "torch"}, deps=[*models, steps, outcomes, monte_carlo_labels]
    )
    def scores(pipeline: Pipeline) -> dg.MaterializeResult[None]:
        """One row per reward model and step of a test solution, an ORM's last one only; PRMs also of the
        solutions with Monte-Carlo labels.
        """
        store, reward = pipeline.store(), pipeline.settings().reward
        num_scored = score_with_models(store, reward, pipeline.readings())
        num_likelihoods = score_with_likelihoods(store, reward)
        return dg.MaterializeResult(
            metadata={
                "num_scored": num_scored,
                "num_likelihoods": num_likelihoods,
                "dagster/row_count": count_rows(store, "scores"),
                "sample": sample_rows(store, "scores"),
            }
        )

    return scores


@dg.asset(group_name="judge", kinds={"duckdb"}, deps=["scores"])
def best_of_n(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per selector and N, in ``evaluations``: the share of test problems solved, with intervals."""
    store, settings = pipeline.store(), pipeline.settings()
    selection = select(
        store, settings.problems, pipeline.generator_id(), settings.reward, settings.evaluation
    )
    store_selection(store, selection, settings.reward, settings.evaluation)
    if selection is None:
        return dg.MaterializeResult(metadata={"num_problems": 0})
    return dg.MaterializeResult(
        metadata={
            "num_problems": selection.num_problems,
            "num_samples": selection.num_samples,
            "num_unscored": selection.num_unscored,
            "n_left_out": selection.left_out,
            "curves": picture(
                best_of_n_picture(selection.points, main_selectors(settings.reward)), "best of N"
            ),
            "figures": table_rows(store.read(_FIGURES, [BEST_OF_N])),
            "differences": table_rows(store.read(_FIGURES, [DIFFERENCE])),
        }
    )


@dg.asset(group_name="judge", kinds={"duckdb"}, deps=[oracle_labels, human_labels, monte_carlo_labels])
def label_agreement(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per figure and slice, in ``evaluations``: Monte-Carlo labels against the oracle and people."""
    store = pipeline.store()
    num_figures = store_label_quality(store, measure_label_quality(store))
    if not num_figures:
        return dg.MaterializeResult(metadata={"num_figures": 0})
    slices = {"figures": "all", "by_position": "third_", "by_pass_rate": "pass_rate_"}
    slices |= {"reliability_of_values": "value_", "reliability_of_p_wrong": "p_wrong_"}
    quality = read_quality(store.read(_QUALITY, [MONTE_CARLO]))
    return dg.MaterializeResult(
        metadata={
            "num_figures": num_figures,
            "picture": picture(label_quality_picture(quality), "label quality"),
            **{
                name: table_rows(store.read(_QUALITY_OF_SLICES, [MONTE_CARLO, prefix]))
                for name, prefix in slices.items()
            },
        }
    )


@dg.asset(group_name="judge", kinds={"duckdb"}, deps=["scores", oracle_labels, human_labels])
def first_error_detection(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per PRM, label source and figure, in ``evaluations``: finding first errors."""
    store = pipeline.store()
    results = find_first_errors(store, pipeline.settings().reward)
    store_first_errors(store, results)
    rows = [
        {
            "model": result.model,
            "label_source": result.label_source,
            "num_solutions": result.num_solutions,
            "f1": result.fitted.metrics.f1.value if result.fitted and result.fitted.metrics.f1 else None,
            "reason": result.reason,
        }
        for result in results
    ]
    return dg.MaterializeResult(metadata={"figures": table_rows(pl.DataFrame(rows))})


@dg.asset(group_name="judge", kinds={"duckdb"}, deps=["scores", outcomes])
def length_bias(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per PRM and aggregation, in ``evaluations``: does the score follow the number of steps?"""
    store = pipeline.store()
    num_figures = measure_length_bias(store, pipeline.settings().reward)
    figures = table_rows(store.read(_FIGURES, [LENGTH_BIAS]))
    return dg.MaterializeResult(metadata={"num_figures": num_figures, "figures": figures})


@dg.asset(
    group_name="judge",
    kinds={"duckdb"},
    deps=[best_of_n, label_agreement, first_error_detection, length_bias, grader_audit],
)
def published_snapshot(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One file: the copy of the store that people query while the pipeline writes."""
    store = pipeline.store()
    store.publish()
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(str(store.published)),
            "num_bytes": store.published.stat().st_size,
        }
    )
