"""Rollouts: an estimator asks for them round by round, they are sampled, committed batch by batch and graded.

Nothing is remembered between rounds but what is stored, so a run that was killed asks for what is missing.
Leaves out: which rollouts the estimator wants (stepmark.labeling.estimating), and labels (monte_carlo.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stepmark.labeling.estimating import missing_rollouts
from stepmark.models.sampling import Completion
from stepmark.store.store import Store

from .chosen_solutions import ChosenSolution, chosen_windows, estimator_of, read_counts
from .grade import grade_rollouts
from .one_worker import only_worker
from .profile import Rollouts, SamplerSettings
from .samplers import Engines, identify, register
from .sampling import Request, SamplingRun

_STORED = """
    SELECT prefix_id, count(*) AS num_stored FROM rollouts
    WHERE completer_id = $1 AND prefix_id IN (SELECT unnest($2)) GROUP BY prefix_id
"""
_NUM_STORED = "SELECT count(*) FROM rollouts WHERE completer_id = ?"
_UNGRADED = ("final_answer", "outcome", "grader_version")
_ROLLOUT_SCHEMA = {
    "prefix_id": pl.String,
    "completer_id": pl.String,
    "rollout_index": pl.Int32,
    "completion": pl.String,
    "finish_reason": pl.String,
    "num_tokens": pl.Int32,
}


@dataclass(frozen=True, slots=True)
class PrefixRequest(Request):
    """Continuations wanted of one prefix."""

    prefix_id: str


def sample_rollouts(
    store: Store, wanted: Rollouts, generator: SamplerSettings, completer: SamplerSettings, engines: Engines
) -> int:
    """Let the completer go on from prefixes of the generator's solutions, as the estimator asks, and grade.

    Returns the number of new rollouts.
    """
    generator_id, identity = identify(generator, engines).sampler_id, identify(completer, engines)
    register(store, identity)
    with only_worker(store, "rollouts"):
        num_stored = int(store.read(_NUM_STORED, [identity.sampler_id]).item())
        with SamplingRun(completer, engines, num_stored, "rollouts") as run:
            for window in chosen_windows(store, wanted, generator_id, identity.sampler_id):
                _search(store, wanted, window, run, identity.sampler_id, completer.prompt_template)
        return run.num_sampled


def _search(
    store: Store,
    wanted: Rollouts,
    window: Sequence[ChosenSolution],
    run: SamplingRun,
    completer_id: str,
    prompt_template: str,
) -> None:
    """Go on with the searches of a window until none of them asks for more."""
    estimator = estimator_of(wanted)
    to_label = [chosen.to_label for chosen in window]
    by_id = {prefix.prefix_id: (prefix, chosen.solution) for chosen in window for prefix in chosen.prefixes}
    texts = pl.DataFrame(
        [(key, prefix.prefix, row.ground_truth_answer) for key, (prefix, row) in by_id.items()],
        schema={"prefix_id": pl.String, "prefix": pl.String, "ground_truth_answer": pl.String},
        orient="row",
    )

    def commit(batch: Sequence[PrefixRequest], completions: Sequence[Sequence[Completion]]) -> None:
        store.insert("rollouts", _rollout_frame(completer_id, batch, completions), unknown=_UNGRADED)

    while True:
        grade_rollouts(store, texts)
        counts = read_counts(store, completer_id, window)
        missing = missing_rollouts(to_label, estimator.next_rollouts(to_label, counts), counts)
        if not missing:
            return
        stored = dict(store.read(_STORED, [completer_id, sorted(missing)]).iter_rows())
        requests = [
            PrefixRequest(
                prompt=prompt_template.replace("{problem}", by_id[key][1].problem) + by_id[key][0].prefix,
                first_index=stored.get(key, 0),
                num_samples=num_samples,
                prefix_id=key,
            )
            for key, num_samples in missing.items()
        ]
        run.sample(requests, commit)


def _rollout_frame(
    completer_id: str, batch: Sequence[PrefixRequest], completions: Sequence[Sequence[Completion]]
) -> pl.DataFrame:
    rows = [
        (request.prefix_id, completer_id, index, sample.text, sample.finish_reason, sample.num_tokens)
        for request, samples in zip(batch, completions, strict=True)
        for index, sample in enumerate(samples, start=request.first_index)
    ]
    return pl.DataFrame(rows, schema=_ROLLOUT_SCHEMA, orient="row")
