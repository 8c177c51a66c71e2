"""Rollouts: an estimator asks for them round by round, they are sampled, committed batch by batch and graded.

Nothing is remembered between rounds but what is stored, so a run that was killed asks for what is missing.
Leaves out: which rollouts the estimator wants (stepmark.labeling.estimating), and labels (monte_carlo.py).
"""

from collections.abc import Sequence

import polars as pl

from stepmark.labeling.estimating import missing_rollouts
from stepmark.models.sampling import Completion
from stepmark.store.store import Store

from .cases import Chosen, chosen_windows, estimator_of, read_counts
from .grade import grade_rollouts
from .profile import Profile
from .sampling import Identity, Request, SamplingRun, identify, register
from .working import only_worker

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


def sample_rollouts(store: Store, profile: Profile) -> int:
    """Sample and grade what the profile's estimator asks for; return the number of new rollouts."""
    completer = identify(profile.generator)
    register(store, completer)
    with only_worker(store, "rollouts"):
        num_stored = int(store.read(_NUM_STORED, [completer.sampler_id]).item())
        with SamplingRun(profile.generator, num_stored, "rollouts") as run:
            for window in chosen_windows(store, profile, completer):
                _search(store, profile, completer, window, run)
        return run.num_sampled


def _search(
    store: Store, profile: Profile, completer: Identity, window: Sequence[Chosen], run: SamplingRun
) -> None:
    """Go on with the searches of a window until none of them asks for more."""
    estimator = estimator_of(profile.rollouts)
    cases = [chosen.case for chosen in window]
    by_id = {prefix.prefix_id: (prefix, chosen.solution) for chosen in window for prefix in chosen.prefixes}
    texts = pl.DataFrame(
        [(key, prefix.prefix, row.ground_truth_answer) for key, (prefix, row) in by_id.items()],
        schema={"prefix_id": pl.String, "prefix": pl.String, "ground_truth_answer": pl.String},
        orient="row",
    )
    template = profile.generator.prompt_template

    def commit(batch: Sequence[Request], completions: Sequence[Sequence[Completion]]) -> None:
        store.insert("rollouts", _rollout_frame(completer, batch, completions), unknown=_UNGRADED)

    while True:
        grade_rollouts(store, texts)
        evidence = read_counts(store, completer.sampler_id, window)
        missing = missing_rollouts(cases, estimator.next_rollouts(cases, evidence), evidence)
        if not missing:
            return
        stored = dict(store.read(_STORED, [completer.sampler_id, sorted(missing)]).iter_rows())
        requests = [
            Request(
                key=key,
                prompt=template.replace("{problem}", by_id[key][1].problem) + by_id[key][0].prefix,
                first_index=stored.get(key, 0),
                num_samples=num_samples,
            )
            for key, num_samples in missing.items()
        ]
        run.sample(requests, commit)


def _rollout_frame(
    completer: Identity, batch: Sequence[Request], completions: Sequence[Sequence[Completion]]
) -> pl.DataFrame:
    rows = [
        (request.key, completer.sampler_id, index, sample.text, sample.finish_reason, sample.num_tokens)
        for request, samples in zip(batch, completions, strict=True)
        for index, sample in enumerate(samples, start=request.first_index)
    ]
    return pl.DataFrame(rows, schema=_ROLLOUT_SCHEMA, orient="row")
