"""Best-of-N from the store: the test problems' samples with every selector's score, and their curves.

Leaves out: the arithmetic (stepmark.models.metrics) and drawing the curves (plots.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.errors import InputError
from stepmark.labeling.grading.grader import Grader, equivalence_classes
from stepmark.labeling.vocabulary import FIRST_ROUND
from stepmark.models.metrics.best_of_n import Curves, best_of_n_curves, curve_intervals
from stepmark.models.metrics.intervals import Estimate, paired_difference
from stepmark.models.metrics.samples import ProblemSamples, problem_samples
from stepmark.store.store import Store

from .generate import chosen_problems
from .profile import Profile
from .sampling import identify
from .score import current_models, likelihood_ids

BEST_OF_N, DIFFERENCE, UNSCORED = "best_of_n", "best_of_n_difference", "num_unscored"
EvaluationRow = tuple[str, str, int, float | None, float | None, float | None, int]
_SAMPLES = """
    SELECT problem_id, solution_id, outcome = 'correct' AS is_correct, final_answer
    FROM solutions JOIN problems USING (problem_id)
    WHERE problems.split = 'test' AND generator_id = ? AND outcome IS NOT NULL
    ORDER BY problem_id, sample_index
"""
_SCORES = """
    SELECT solution_id, score AS product, lowest AS min, mean, last
    FROM solution_scores WHERE reward_model_id = ?
"""


@dataclass(frozen=True, slots=True)
class Selection:
    """``curves``: selector, N, value per problem. ``num_unscored``: answered samples that lack a score.

    ``left_out``: the N asked for that some problem has too few samples for.
    """

    curves: Curves
    points: dict[str, dict[int, Estimate]]
    num_problems: int
    num_samples: int
    num_unscored: dict[str, int]
    left_out: list[int]


def select(store: Store, profile: Profile) -> Selection | None:
    """Measure every selector on the test problems; None while there are no graded test samples."""
    generator = identify(profile.generator)
    chosen = chosen_problems(store, profile).select("problem_id")
    stored = store.read(_SAMPLES, [generator.sampler_id])
    samples = stored.join(chosen, on="problem_id", how="semi", maintain_order="left")
    if not samples.height:
        return None
    scores = _selector_scores(store, profile)
    num_unscored = {
        name: samples.filter(
            pl.col("final_answer").is_not_null() & ~pl.col("solution_id").is_in(list(values))
        ).height
        for name, values in scores.items()
    }
    problems = _problems(samples, scores)
    smallest = min(problem.num_samples for problem in problems)
    ns = [n for n in profile.evaluation.n if n <= smallest]
    if not ns:
        raise InputError(
            f"evaluation.n {profile.evaluation.n}: some test problem has only {smallest} samples;"
            " ask for a smaller N or more num_test_samples."
        )
    weighted = [model.name for model in profile.reward.models if model.name in scores]
    curves = best_of_n_curves(problems, ns, weighted=weighted, seed=profile.evaluation.seed)
    points = curve_intervals(curves, seed=profile.evaluation.seed)
    left_out = [n for n in profile.evaluation.n if n > smallest]
    return Selection(curves, points, len(problems), samples.height, num_unscored, left_out)


def _selector_scores(store: Store, profile: Profile) -> dict[str, dict[str, float]]:
    """Selector to solution to score. A PRM is its product; its other aggregations stand beside it."""
    kinds = {model.name: model.kind for model in profile.reward.models}
    result: dict[str, dict[str, float]] = {}
    for name, key in current_models(store, profile).items():
        frame = store.read(_SCORES, [key])
        result[name] = _column(frame, "last" if kinds[name] == "orm" else "product")
        if kinds[name] == "prm":
            result |= {f"{name}_{how}": _column(frame, how) for how in ("min", "mean", "last")}
    for name, key in likelihood_ids(profile).items():
        frame = store.read(_SCORES, [key])
        if frame.height:
            result[name] = _column(frame, "product" if name.endswith("_sum") else "min")
    return result


def _column(frame: pl.DataFrame, name: str) -> dict[str, float]:
    return dict(frame.select("solution_id", name).iter_rows())


def _problems(samples: pl.DataFrame, scores: Mapping[str, Mapping[str, float]]) -> list[ProblemSamples]:
    result = []
    with Grader() as grader:
        for (problem_id,), group in samples.group_by("problem_id", maintain_order=True):
            solution_ids: Sequence[str] = group["solution_id"].to_list()
            result.append(
                problem_samples(
                    str(problem_id),
                    group["is_correct"].to_list(),
                    equivalence_classes(group["final_answer"].to_list(), grader),
                    # What has no score cannot be told good from bad: it ranks last, and is counted.
                    {name: [values.get(key, 0.0) for key in solution_ids] for name, values in scores.items()},
                )
            )
    return result


def differences(selection: Selection, profile: Profile) -> list[tuple[str, int, Estimate]]:
    """Paired differences that the paper's claims are about, at every N: (name, N, estimate)."""
    prms = [model.name for model in profile.reward.models if model.kind == "prm"]
    orms = [model.name for model in profile.reward.models if model.kind == "orm"]
    pairs = [(prm, other) for prm in prms for other in ["majority", *orms, *likelihood_ids(profile)]]
    pairs += [(orm, "majority") for orm in orms]
    curves, found = selection.curves, []
    for left, right in pairs:
        if left in curves and right in curves and selection.num_problems > 1:
            for n in curves[left]:
                estimate = paired_difference(curves[left][n], curves[right][n], seed=profile.evaluation.seed)
                found.append((f"{left} - {right}", n, estimate))
    return found


def store_selection(store: Store, selection: Selection | None, profile: Profile) -> int:
    """Replace what is stored of it, by nothing where nothing was measured; return the number of rows."""
    rows = [] if selection is None else _evaluations(selection, profile)
    metrics = [BEST_OF_N, DIFFERENCE, UNSCORED]
    return store.replace(
        "evaluations", evaluation_frame(rows), "list_contains(?, metric) AND slice = 'all'", [metrics]
    )


def _evaluations(selection: Selection, profile: Profile) -> list[EvaluationRow]:
    points = [
        (name, BEST_OF_N, n, point) for name, by_n in selection.points.items() for n, point in by_n.items()
    ]
    points += [(name, DIFFERENCE, n, point) for name, n, point in differences(selection, profile)]
    counts = selection.num_unscored.items()
    return [
        *((name, metric, n, *point, selection.num_problems) for name, metric, n, point in points),
        *((name, UNSCORED, 0, float(count), None, None, selection.num_problems) for name, count in counts),
    ]


def evaluation_frame(rows: Sequence[EvaluationRow], slice_name: str = "all") -> pl.DataFrame:
    """Rows of ``evaluations`` of one slice: selector, metric, N, value, low, high, number of problems."""
    schema = {
        "selector": pl.String,
        "metric": pl.String,
        "n": pl.Int32,
        "value": pl.Float64,
        "ci95_low": pl.Float64,
        "ci95_high": pl.Float64,
        "num_problems": pl.Int32,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(slice=pl.lit(slice_name), round=pl.lit(FIRST_ROUND, pl.Int32))
