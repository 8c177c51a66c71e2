"""Monte-Carlo labeling: rollouts from every prefix of the chosen solutions, and labels from the rollouts.

Leaves out: the estimate itself (stepmark.labeling.estimates) and searches that skip prefixes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.monte_carlo import SOURCE, Prefix, RolloutCounts, labels_from_rollouts, prefixes
from stepmark.models.sampling import Completion
from stepmark.store.frames import frame_of
from stepmark.store.store import Store

from .grade import grade_rollouts
from .profile import Profile
from .sampling import Identity, Request, identify, register, sample_in_batches
from .solution_rows import SolutionRow, solution_rows
from .working import only_worker

_CHOSEN = """
    WITH texts AS (
        SELECT problem_id, solution, min(sample_index) AS first_sample,
            arg_min(solution_id, sample_index) AS id
        FROM solutions JOIN problems USING (problem_id)
        WHERE generator_id = $1 AND problems.split = 'train'
            AND outcome IN ('correct', 'incorrect', 'no_answer')
        GROUP BY problem_id, solution
    ),
    ranked AS (
        SELECT id, dense_rank() OVER (ORDER BY problem_id) AS problem_place,
            row_number() OVER (PARTITION BY problem_id ORDER BY first_sample) AS place
        FROM texts
    )
    SELECT id AS solution_id FROM ranked WHERE place <= $2 AND problem_place <= coalesce($3, problem_place)
"""
_STORED = """
    SELECT prefix_id, count(*) AS num_stored FROM rollouts WHERE completer_id = ? GROUP BY prefix_id
"""
_COUNTS = """
    SELECT prefix_id, count(*) AS num_rollouts, count_if(outcome = 'correct') AS num_correct,
        count_if(outcome = 'truncated') AS num_truncated,
        count_if(outcome = 'grader_timeout') AS num_ungraded,
        sum(num_tokens) AS num_tokens
    FROM rollouts WHERE completer_id = ? AND outcome IS NOT NULL AND rollout_index < ? GROUP BY prefix_id
"""
_OWN_LABELS = """
    label_source = ? AND solution_id IN (
        SELECT solutions.solution_id FROM solutions WHERE solutions.source = 'sampled'
    )
"""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A solution to label, with its prefixes."""

    solution: SolutionRow
    prefixes: list[Prefix]


def chosen_solutions(store: Store, profile: Profile, generator: Identity) -> list[_Chosen]:
    """The first different solutions of each train problem, as many as the profile asks for."""
    wanted = profile.rollouts
    chosen = store.read(
        _CHOSEN, [generator.sampler_id, wanted.num_solutions_per_problem, wanted.max_problems]
    )
    rows = solution_rows(store, "solution_id IN (SELECT unnest($1))", [chosen["solution_id"].to_list()])
    return [_Chosen(row, prefixes(row.problem_id, row.solution, row.steps)) for row in rows]


def sample_rollouts(store: Store, profile: Profile) -> int:
    """Roll out what is missing, commit it batch by batch, grade it; return the number of new rollouts."""
    completer = identify(profile.generator)
    register(store, completer)
    with only_worker(store, "rollouts"):
        return _sample(store, profile, completer)


def _sample(store: Store, profile: Profile, completer: Identity) -> int:
    chosen = chosen_solutions(store, profile, completer)
    by_id = {prefix.prefix_id: (prefix, row.solution) for row in chosen for prefix in row.prefixes}
    stored = dict(store.read(_STORED, [completer.sampler_id]).iter_rows())
    template = profile.generator.prompt_template
    wanted = profile.rollouts.num_rollouts
    requests = [
        Request(
            key=key,
            prompt=template.replace("{problem}", row.problem) + prefix.prefix,
            first_index=stored.get(key, 0),
            num_samples=wanted - stored.get(key, 0),
        )
        for key, (prefix, row) in by_id.items()
        if wanted > stored.get(key, 0)
    ]

    def commit(batch: Sequence[Request], completions: Sequence[Sequence[Completion]]) -> None:
        store.insert("rollouts", _rollout_frame(completer, batch, completions), unknown=_UNGRADED)

    sample_in_batches(profile.generator, requests, sum(stored.values()), commit, "rollouts")
    texts = [(key, prefix.prefix, row.ground_truth_answer) for key, (prefix, row) in by_id.items()]
    schema = {"prefix_id": pl.String, "prefix": pl.String, "ground_truth_answer": pl.String}
    grade_rollouts(store, pl.DataFrame(texts, schema=schema, orient="row"))
    return sum(request.num_samples for request in requests)


_UNGRADED = ("final_answer", "outcome")
_ROLLOUT_SCHEMA = {
    "prefix_id": pl.String,
    "completer_id": pl.String,
    "rollout_index": pl.Int32,
    "completion": pl.String,
    "finish_reason": pl.String,
    "num_tokens": pl.Int32,
}


def _rollout_frame(
    completer: Identity, batch: Sequence[Request], completions: Sequence[Sequence[Completion]]
) -> pl.DataFrame:
    rows = [
        (request.key, completer.sampler_id, index, sample.text, sample.finish_reason, sample.num_tokens)
        for request, samples in zip(batch, completions, strict=True)
        for index, sample in enumerate(samples, start=request.first_index)
    ]
    return pl.DataFrame(rows, schema=_ROLLOUT_SCHEMA, orient="row")


def label_from_rollouts(store: Store, profile: Profile) -> int:
    """Replace the Monte-Carlo labels by what the stored rollouts say; return the number of labels."""
    completer = identify(profile.generator)
    counts = {
        row.pop("prefix_id"): RolloutCounts(**row)
        for row in store.read(_COUNTS, [completer.sampler_id, profile.rollouts.num_rollouts]).iter_rows(
            named=True
        )
    }
    labels = [
        label
        for chosen in chosen_solutions(store, profile, completer)
        for label in labels_from_rollouts(
            chosen.solution.solution_id, chosen.prefixes, chosen.solution.outcome, counts
        )
    ]
    # Labels of imported solutions are somebody else's: their rollouts are not here to make them again.
    return store.replace("step_labels", frame_of("step_labels", labels), _OWN_LABELS, [SOURCE])
