"""Monte-Carlo labels: a function of the stored rollouts, so they can be made again at any time.

Leaves out: sampling the rollouts (rollouts.py).
"""

import json
from collections.abc import Mapping
from importlib.metadata import version

from stepmark.labeling.estimating import (
    NO_ROLLOUTS,
    CountingEstimator,
    RolloutCounts,
    SolutionBeliefs,
    label_from_counts,
    labels_from_rollouts,
    own_rollout,
)
from stepmark.labeling.records import StepLabel
from stepmark.labeling.vocabulary import MONTE_CARLO
from stepmark.store.frames import frame_of
from stepmark.store.store import Store

from .chosen_solutions import ChosenSolution, chosen_windows, estimator_of, read_counts, teacher_id
from .profile import Rollouts

# Of sampled solutions: labels of imported ones are somebody else's, whose rollouts are not here.
_REPLACED = """
    label_source = $1 AND (completer_id = $2 OR solution_id IN (SELECT unnest($3))) AND solution_id IN (
        SELECT solutions.solution_id FROM solutions WHERE solutions.source = 'sampled'
    )
"""


def label_from_rollouts(store: Store, wanted: Rollouts, generator_id: str, completer_id: str) -> int:
    """Replace this completer's labels by what its stored rollouts say; return the number of labels.

    Labels by another completer stay, but for those of the solutions that this one labels now: a step has one
    Monte-Carlo label, and the other one's can be made again from its rollouts.
    """
    estimator = estimator_of(wanted)
    described = json.dumps(
        {"name": estimator.name, **estimator.parameters(), "teacher": teacher_id(store, wanted.teacher)}
    )
    labels: list[StepLabel] = []
    for window in chosen_windows(store, wanted, generator_id, completer_id):
        counts = read_counts(store, completer_id, window)
        beliefs = estimator.estimate([chosen.to_label for chosen in window], counts)
        for chosen, believed in zip(window, beliefs, strict=True):
            rows = (
                _counted(chosen, counts) if is_exhaustive(estimator) else _inferred(chosen, believed, counts)
            )
            labels += [
                row._replace(completer_id=completer_id, estimator=described, code_version=version("stepmark"))
                for row in rows
            ]
    labeled = sorted({label.solution_id for label in labels})
    return store.replace(
        "step_labels", frame_of("step_labels", labels), _REPLACED, [MONTE_CARLO, completer_id, labeled]
    )


def is_exhaustive(estimator: object) -> bool:
    """Whether every step is rolled out, so that each speaks for itself and nothing is inferred."""
    return isinstance(estimator, CountingEstimator) and estimator.order == "exhaustive"


def _counts_of_steps(chosen: ChosenSolution, counts: Mapping[str, RolloutCounts]) -> list[RolloutCounts]:
    """Of every step; the last one's only rollout is the solution itself."""
    of_prefixes = [counts.get(prefix.prefix_id, NO_ROLLOUTS) for prefix in chosen.prefixes]
    return [*of_prefixes, own_rollout(chosen.solution.outcome or "")]


def _counted(chosen: ChosenSolution, counts: Mapping[str, RolloutCounts]) -> list[StepLabel]:
    solution = chosen.solution
    return labels_from_rollouts(solution.solution_id, chosen.prefixes, solution.outcome, counts)


def _inferred(
    chosen: ChosenSolution, believed: SolutionBeliefs, counts: Mapping[str, RolloutCounts]
) -> list[StepLabel]:
    """What a search found: every step has a belief, rolled out or not."""
    steps = zip(_counts_of_steps(chosen, counts), believed.beliefs, strict=True)
    labels = []
    for index, (step, belief) in enumerate(steps):
        label = label_from_counts(chosen.solution.solution_id, index, step)._replace(
            p_wrong_low=belief.p_wrong_low,
            p_wrong_high=belief.p_wrong_high,
            has_signal=believed.has_signal,
        )
        if belief.value is not None:
            label = label._replace(
                value=belief.value, value_low=belief.value_low, value_high=belief.value_high
            )
        labels.append(label)
    return labels
