"""Sampling solutions and splitting them into steps.

Leaves out: rollouts (rollouts.py), which are sampled by the same means, and grading (grade.py).
"""

from collections.abc import Sequence

import polars as pl

from stepmark.labeling.ids import solution_id
from stepmark.labeling.steps import split_steps
from stepmark.labeling.vocabulary import FIRST_ROUND, SAMPLED
from stepmark.models.sampling import Completion
from stepmark.store.store import Store

from .profile import Profile
from .sampling import Identity, Request, identify, register, sample_in_batches
from .working import only_worker

_CHOSEN_PROBLEMS = """
    SELECT problem_id, problem, split FROM (
        SELECT problem_id, problem, split,
            row_number() OVER (PARTITION BY split ORDER BY problem_id) AS place
        FROM problems
        WHERE ground_truth_answer IS NOT NULL AND (len($1) = 0 OR list_contains($1, level))
    )
    WHERE place <= CASE split WHEN 'train' THEN coalesce($2, place) ELSE coalesce($3, place) END
"""
_STORED_SAMPLES = """
    SELECT problem_id, count(*) AS num_stored FROM solutions WHERE generator_id = ? GROUP BY problem_id
"""
_UNSPLIT = """
    SELECT solution_id, solution FROM solutions ANTI JOIN steps USING (solution_id)
    WHERE trim(solution, E' \\n\\r\\t') <> ''
"""


def chosen_problems(store: Store, profile: Profile) -> pl.DataFrame:
    """One row per problem the profile samples: problem_id, problem, split."""
    wanted = profile.problems
    return store.read(_CHOSEN_PROBLEMS, [list(wanted.levels), wanted.max_train, wanted.max_test])


def missing_solutions(store: Store, profile: Profile, generator: Identity) -> tuple[list[Request], int]:
    """What is still to be sampled, and how many samples this generator has stored in all."""
    stored = store.read(_STORED_SAMPLES, [generator.sampler_id])
    rows = chosen_problems(store, profile).join(stored, on="problem_id", how="left").fill_null(0)
    wanted = {"train": profile.generation.num_train_samples, "test": profile.generation.num_test_samples}
    requests = [
        Request(
            key=row["problem_id"],
            prompt=profile.generator.prompt_template.replace("{problem}", row["problem"]),
            first_index=row["num_stored"],
            num_samples=wanted[row["split"]] - row["num_stored"],
        )
        for row in rows.sort("problem_id").iter_rows(named=True)
        if wanted[row["split"]] > row["num_stored"]
    ]
    return requests, int(stored["num_stored"].sum())


def sample_solutions(store: Store, profile: Profile) -> int:
    """Sample what is missing, commit it batch by batch, and return the number of new solutions."""
    generator = identify(profile.generator)
    register(store, generator)
    with only_worker(store, "solutions"):
        return _sample(store, profile, generator)


def _sample(store: Store, profile: Profile, generator: Identity) -> int:
    requests, num_stored = missing_solutions(store, profile, generator)

    def commit(batch: Sequence[Request], completions: Sequence[Sequence[Completion]]) -> None:
        rows = [
            _solution_row(generator, request, index, completion)
            for request, samples in zip(batch, completions, strict=True)
            for index, completion in enumerate(samples, start=request.first_index)
        ]
        store.insert("solutions", pl.DataFrame(rows, schema=_SOLUTION_SCHEMA), unknown=_UNKNOWN)

    sample_in_batches(profile.generator, requests, num_stored, commit, "solutions")
    return sum(request.num_samples for request in requests)


_UNKNOWN = ("min_logprob", "final_answer", "outcome", "grader_version", "source_file", "source_line")
_SOLUTION_SCHEMA = {
    "solution_id": pl.String,
    "problem_id": pl.String,
    "source": pl.String,
    "round": pl.Int32,
    "generator_id": pl.String,
    "sampling": pl.String,
    "sample_index": pl.Int32,
    "solution": pl.String,
    "finish_reason": pl.String,
    "num_tokens": pl.Int32,
    "sum_logprob": pl.Float64,
}


def _solution_row(
    generator: Identity, request: Request, index: int, completion: Completion
) -> dict[str, str | int | float | None]:
    return {
        "solution_id": solution_id(request.key, generator.sampler_id, index),
        "problem_id": request.key,
        "source": SAMPLED,
        "round": FIRST_ROUND,
        "generator_id": generator.sampler_id,
        "sampling": generator.sampling,
        "sample_index": index,
        "solution": completion.text,
        "finish_reason": completion.finish_reason,
        "num_tokens": completion.num_tokens,
        "sum_logprob": completion.cumulative_logprob,
    }


def split_solutions(store: Store) -> int:
    """Split every solution that has no steps yet, and return the number of new steps."""
    unsplit = store.read(_UNSPLIT)
    rows = [
        (key, index, span.char_start, span.char_end, span.step)
        for key, text in unsplit.iter_rows()
        for index, span in enumerate(split_steps(text))
    ]
    frame = pl.DataFrame(rows, schema=_STEP_SCHEMA, orient="row")
    return store.insert_missing("steps", frame) if frame.height else 0


_STEP_SCHEMA = {
    "solution_id": pl.String,
    "step_index": pl.Int32,
    "char_start": pl.Int32,
    "char_end": pl.Int32,
    "step": pl.String,
}
