"""The solutions to label by rollouts, as an estimator takes them: prefixes, outcome, siblings, expected cost.

Leaves out: sampling (rollouts.py) and labels (monte_carlo.py).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepmark.labeling.estimating import (
    AdaptiveEstimator,
    CountingEstimator,
    Estimator,
    Prefix,
    RolloutCounts,
    SolutionToLabel,
    error_odds,
    prefixes_of,
)
from stepmark.labeling.vocabulary import CORRECT, DECIDED_OUTCOMES
from stepmark.store.store import Store

from .profile import Rollouts
from .solution_rows import SolutionRow, solution_rows

# Searches that advance together: they fill the sampler's batch, and one prior is fitted to all of them.
WINDOW = 4096

_CHOSEN = """
    WITH texts AS (
        SELECT problem_id, solution, min(sample_index) AS first_sample,
            arg_min(solution_id, sample_index) AS id
        FROM solutions JOIN problems USING (problem_id)
        WHERE generator_id = $1 AND problems.split = 'train'
            AND is_decided(outcome)
        GROUP BY problem_id, solution
    ),
    ranked AS (
        SELECT id, dense_rank() OVER (ORDER BY problem_id) AS problem_place,
            row_number() OVER (PARTITION BY problem_id ORDER BY first_sample) AS place
        FROM texts
    )
    SELECT id AS solution_id FROM ranked WHERE place <= $2 AND problem_place <= coalesce($3, problem_place)
"""
_TEACHER = """
    SELECT reward_model_id FROM reward_models
    WHERE kind = 'prm' AND (reward_model_id = $1 OR starts_with(reward_model_id, $1 || '-'))
    ORDER BY created_at DESC LIMIT 1
"""
_OPINIONS = """
    SELECT solution_id, list(p_negative ORDER BY step_index) AS p_negative FROM scores
    WHERE reward_model_id = $1 AND solution_id IN (SELECT unnest($2)) GROUP BY solution_id
"""
_COUNTS = """
    SELECT prefix_id, count(*) AS num_rollouts, count_if(outcome = 'correct') AS num_correct,
        count_if(outcome = 'truncated') AS num_truncated,
        count_if(outcome = 'grader_timeout') AS num_ungraded,
        sum(num_tokens) AS num_tokens
    FROM rollouts WHERE completer_id = $1 AND outcome IS NOT NULL AND prefix_id IN (SELECT unnest($2))
    GROUP BY prefix_id
"""


@dataclass(frozen=True, slots=True)
class ChosenSolution:
    """A solution to label, with its prefixes, and as an estimator takes it."""

    solution: SolutionRow
    prefixes: list[Prefix]
    to_label: SolutionToLabel


def estimator_of(settings: Rollouts) -> Estimator:
    """The estimator a profile asks for."""
    if settings.estimator == "adaptive":
        return AdaptiveEstimator(
            settings.confidence, settings.chunk, settings.max_rollouts, settings.min_gain
        )
    return CountingEstimator(settings.estimator, settings.num_rollouts)


def chosen_windows(
    store: Store, wanted: Rollouts, generator_id: str, completer_id: str
) -> list[list[ChosenSolution]]:
    """The generator's first different solutions of each train problem, as many as are wanted, in windows."""
    chosen = store.read(_CHOSEN, [generator_id, wanted.num_solutions_per_problem, wanted.max_problems])
    rows = solution_rows(store, "solution_id IN (SELECT unnest($1))", [chosen["solution_id"].to_list()])
    by_problem: dict[str, list[SolutionRow]] = defaultdict(list)
    # Whole solutions by the completer are rollouts of the prefixes they share, which nobody has to pay for.
    siblings = solution_rows(
        store,
        "generator_id = $1 AND problem_id IN (SELECT unnest($2))",
        [completer_id, sorted({row.problem_id for row in rows})],
    )
    for row in siblings:
        by_problem[row.problem_id].append(row)
    opinions = teacher_opinions(store, teacher_id(store, wanted.teacher), [row.solution_id for row in rows])
    # Searches of like length go together: arrays are as wide as the longest.
    rows.sort(key=lambda row: (len(row.steps), row.problem_id, row.solution_id))
    found = [_as_chosen(row, by_problem[row.problem_id], opinions.get(row.solution_id, ())) for row in rows]
    return [found[start : start + WINDOW] for start in range(0, len(found), WINDOW)]


def teacher_id(store: Store, teacher: str | None) -> str | None:
    """The newest PRM of the teacher's name; None in the first round, when there is no such model yet."""
    found = store.read(_TEACHER, [teacher]) if teacher else None
    return found.item() if found is not None and found.height else None


def teacher_opinions(
    store: Store, reward_model_id: str | None, solution_ids: Sequence[str]
) -> Mapping[str, Sequence[float]]:
    """P(wrong) of every step by a PRM, where it has scored the solution."""
    if reward_model_id is None:
        return {}
    return dict(store.read(_OPINIONS, [reward_model_id, list(solution_ids)]).iter_rows())


def _as_chosen(
    row: SolutionRow, same_problem: Sequence[SolutionRow], p_wrong: Sequence[float]
) -> ChosenSolution:
    own = prefixes_of(row.problem_id, row.solution, row.steps)
    others = [
        other
        for other in same_problem
        if other.solution_id != row.solution_id and other.outcome in DECIDED_OUTCOMES
    ]
    tokens_per_char = (row.num_tokens or len(row.solution)) / len(row.solution)
    to_label = SolutionToLabel(
        solution_id=row.solution_id,
        prefix_ids=tuple(prefix.prefix_id for prefix in own),
        is_correct=row.outcome == CORRECT,
        num_tokens_left=tuple(tokens_per_char * (len(row.solution) - len(prefix.prefix)) for prefix in own),
        siblings=_siblings(others, ["", *(prefix.prefix for prefix in own)]),
        error_odds=error_odds(p_wrong) if len(p_wrong) == len(row.steps) else (),
    )
    return ChosenSolution(row, own, to_label)


def _siblings(others: Sequence[SolutionRow], texts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """How many of the others go on from each prefix and no longer one, and how many of those are right."""
    counts = [[0, 0] for _ in texts]
    for row in others:
        last = max(
            place
            for place, text in enumerate(texts)
            if row.solution.startswith(text) and len(row.solution) > len(text)
        )
        counts[last][0] += 1
        counts[last][1] += row.outcome == CORRECT
    return tuple((decided, correct) for decided, correct in counts)


def read_counts(
    store: Store, completer_id: str, chosen: Sequence[ChosenSolution]
) -> Mapping[str, RolloutCounts]:
    """What the stored and graded rollouts of these solutions' prefixes came to, by prefix id."""
    keys = sorted({key for one in chosen for key in one.to_label.prefix_ids})
    rows = store.read(_COUNTS, [completer_id, keys])
    return {row.pop("prefix_id"): RolloutCounts(**row) for row in rows.iter_rows(named=True)}
