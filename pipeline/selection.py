"""Best-of-N from the store: the test problems' samples with every selector's score, and their curves.

Leaves out: what the selectors are (selectors.py), the arithmetic (stepmark.models.metrics) and drawing the
curves (plots.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.errors import InputError
from stepmark.labeling.grading import Grader, equivalence_classes
from stepmark.labeling.vocabulary import FIRST_ROUND, MAJORITY, ORM, PRM, WEIGHTED
from stepmark.models.metrics.best_of_n import Curves, best_of_n_curves, curve_intervals
from stepmark.models.metrics.intervals import Estimate, paired_difference
from stepmark.models.metrics.samples import ProblemSamples, problem_samples
from stepmark.store.store import Store

from .evaluations import EvaluationRow, store_evaluations
from .generate import chosen_problems
from .profile import Evaluation, Problems, Reward
from .score import likelihood_ids
from .selectors import score_selectors, scores_of

BEST_OF_N, DIFFERENCE, UNSCORED = "best_of_n", "best_of_n_difference", "num_unscored"
_SAMPLES = """
    SELECT problem_id, solution_id, outcome = 'correct' AS is_correct, final_answer
    FROM solutions JOIN problems USING (problem_id)
    WHERE problems.split = 'test' AND generator_id = ? AND outcome IS NOT NULL
    ORDER BY problem_id, sample_index
"""


@dataclass(frozen=True, slots=True)
class Selection:
    """``curves``: selector, N, value per problem. ``num_unscored``: answered samples that lack a score.

    ``left_out``: the N asked for that some problem has too few samples for. ``model_ids``: the reward model
    behind each selector that has one.
    """

    curves: Curves
    points: dict[str, dict[int, Estimate]]
    num_problems: int
    num_samples: int
    num_unscored: dict[str, int]
    left_out: list[int]
    model_ids: dict[str, str]


def select(
    store: Store, problems: Problems, generator_id: str, reward: Reward, evaluation: Evaluation
) -> Selection | None:
    """Measure every selector on the test problems; None while there are no graded test samples."""
    chosen = chosen_problems(store, problems).select("problem_id")
    stored = store.read(_SAMPLES, [generator_id])
    samples = stored.join(chosen, on="problem_id", how="semi", maintain_order="left")
    if not samples.height:
        return None
    scores, model_ids = _selector_scores(store, reward)
    num_unscored = {
        name: samples.filter(
            pl.col("final_answer").is_not_null() & ~pl.col("solution_id").is_in(list(values))
        ).height
        for name, values in scores.items()
    }
    sampled = _problem_samples(samples, scores)
    smallest = min(problem.num_samples for problem in sampled)
    ns = [n for n in evaluation.n if n <= smallest]
    if not ns:
        raise InputError(
            f"evaluation.n {evaluation.n}: some test problem has only {smallest} samples;"
            " ask for a smaller N or more num_test_samples."
        )
    weighted = [model.name for model in reward.models if model.name in scores]
    curves = best_of_n_curves(sampled, ns, weighted=weighted, seed=evaluation.seed)
    points = curve_intervals(curves, seed=evaluation.seed)
    left_out = [n for n in evaluation.n if n > smallest]
    model_ids |= {f"{name}_{WEIGHTED}": model_ids[name] for name in weighted}
    return Selection(curves, points, len(sampled), samples.height, num_unscored, left_out, model_ids)


def _selector_scores(store: Store, reward: Reward) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Selector to solution to score, and selector to model; a likelihood without scores is no selector."""
    scores, model_ids = {}, {}
    likelihoods = likelihood_ids(reward)
    for selector in score_selectors(store, reward):
        values = scores_of(store, selector)
        if values or selector.name not in likelihoods:
            scores[selector.name], model_ids[selector.name] = values, selector.model_id
    return scores, model_ids


def _problem_samples(
    samples: pl.DataFrame, scores: Mapping[str, Mapping[str, float]]
) -> list[ProblemSamples]:
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


def differences(
    selection: Selection, reward: Reward, evaluation: Evaluation
) -> list[tuple[str, str, int, Estimate]]:
    """Paired differences that the paper's claims are about, at every N: (left, right, N, estimate)."""
    prms = [model.name for model in reward.models if model.kind == PRM]
    orms = [model.name for model in reward.models if model.kind == ORM]
    pairs = [(prm, other) for prm in prms for other in [MAJORITY, *orms, *likelihood_ids(reward)]]
    pairs += [(orm, MAJORITY) for orm in orms]
    curves, found = selection.curves, []
    for left, right in pairs:
        if left in curves and right in curves and selection.num_problems > 1:
            for n in curves[left]:
                estimate = paired_difference(curves[left][n], curves[right][n], seed=evaluation.seed)
                found.append((left, right, n, estimate))
    return found


def store_selection(
    store: Store,
    selection: Selection | None,
    reward: Reward,
    evaluation: Evaluation,
    *,
    round_index: int = FIRST_ROUND,
) -> int:
    """Store the figures as the current ones of best-of-N, if any were measured; return their number."""
    rows = [] if selection is None else _evaluation_rows(selection, reward, evaluation)
    metrics = [BEST_OF_N, DIFFERENCE, UNSCORED]
    kind = "list_contains(?, metric) AND slice = 'all'"
    return store_evaluations(store, rows, kind, [metrics], round_index=round_index)


def _evaluation_rows(selection: Selection, reward: Reward, evaluation: Evaluation) -> list[EvaluationRow]:
    num_problems, ids = selection.num_problems, selection.model_ids
    rows = [
        EvaluationRow(name, BEST_OF_N, *point, num_problems, n, model_id=ids.get(name))
        for name, by_n in selection.points.items()
        for n, point in by_n.items()
    ]
    for left, right, n, point in differences(selection, reward, evaluation):
        both = f"{ids.get(left, left)} - {ids.get(right, right)}"
        rows.append(EvaluationRow(f"{left} - {right}", DIFFERENCE, *point, num_problems, n, model_id=both))
    rows += [
        EvaluationRow(name, UNSCORED, float(count), None, None, num_problems, model_id=ids.get(name))
        for name, count in selection.num_unscored.items()
    ]
    return rows
