"""Sampling solutions and splitting them into steps.

Leaves out: rollouts (rollouts.py), which are sampled by the same means, and grading (grade.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.ids import solution_id
from stepmark.labeling.steps import split_steps
from stepmark.labeling.vocabulary import FIRST_ROUND, SAMPLED
from stepmark.models.sampling import Completion
from stepmark.store.store import Store

from .one_worker import only_worker
from .profile import Generation, Problems, SamplerSettings
from .samplers import Engines, SamplerIdentity, identify, register
from .sampling import Request, SamplingRun

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


@dataclass(frozen=True, slots=True)
class ProblemRequest(Request):
    """Solutions wanted of one problem."""

    problem_id: str


def chosen_problems(store: Store, wanted: Problems) -> pl.DataFrame:
    """One row per problem the profile samples: problem_id, problem, split."""
    return store.read(_CHOSEN_PROBLEMS, [list(wanted.levels), wanted.max_train, wanted.max_test])


def sample_solutions(
    store: Store,
    problems: Problems,
    generation: Generation,
    generator: SamplerSettings,
    engines: Engines,
    *,
    round_index: int = FIRST_ROUND,
) -> int:
    """Sample what is missing, commit it batch by batch, and return the number of new solutions."""
    identity = identify(generator, engines)
    register(store, identity)
    with only_worker(store, "solutions"):
        stored = store.read(_STORED_SAMPLES, [identity.sampler_id])
        requests = _missing(chosen_problems(store, problems), stored, generation, generator)

        def commit(batch: Sequence[ProblemRequest], completions: Sequence[Sequence[Completion]]) -> None:
            frame = _solution_frame(identity, round_index, batch, completions)
            store.insert("solutions", frame, unknown=_UNKNOWN)

        total = sum(request.num_samples for request in requests)
        with SamplingRun(generator, engines, int(stored["num_stored"].sum()), "solutions", total) as run:
            run.sample(requests, commit)
        return run.num_sampled


def _missing(
    problems: pl.DataFrame, stored: pl.DataFrame, generation: Generation, generator: SamplerSettings
) -> list[ProblemRequest]:
    rows = problems.join(stored, on="problem_id", how="left").fill_null(0)
    wanted = {"train": generation.num_train_samples, "test": generation.num_test_samples}
    return [
        ProblemRequest(
            prompt=generator.prompt_template.replace("{problem}", row["problem"]),
            first_index=row["num_stored"],
            num_samples=wanted[row["split"]] - row["num_stored"],
            problem_id=row["problem_id"],
        )
        for row in rows.sort("problem_id").iter_rows(named=True)
        if wanted[row["split"]] > row["num_stored"]
    ]


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


def _solution_frame(
    generator: SamplerIdentity,
    round_index: int,
    batch: Sequence[ProblemRequest],
    completions: Sequence[Sequence[Completion]],
) -> pl.DataFrame:
    rows = [
        {
            "solution_id": solution_id(request.problem_id, generator.sampler_id, index),
            "problem_id": request.problem_id,
            "source": SAMPLED,
            "round": round_index,
            "generator_id": generator.sampler_id,
            "sampling": generator.sampling,
            "sample_index": index,
            "solution": completion.text,
            "finish_reason": completion.finish_reason,
            "num_tokens": completion.num_tokens,
            "sum_logprob": completion.cumulative_logprob,
        }
        for request, samples in zip(batch, completions, strict=True)
        for index, completion in enumerate(samples, start=request.first_index)
    ]
    return pl.DataFrame(rows, schema=_SOLUTION_SCHEMA)


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
