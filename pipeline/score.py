"""Scoring the solutions that judge: by every reward model, and by language models' own likelihood.

Scored are the solutions of test problems, batch by batch, and only where a score is missing; alternatives
to a step of one are no solutions. PRMs are
teachers too: they also score the sampled solutions that carry Monte-Carlo labels, so that their opinion
stands beside the labels'. Leaves out: what follows from the scores (selection.py, error_finding.py).
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from stepmark.labeling.errors import InputError
from stepmark.labeling.vocabulary import ALTERNATIVE, LIKELIHOOD, MONTE_CARLO
from stepmark.models.reward.folder import source_sha256
from stepmark.models.reward.readings import Readings
from stepmark.models.tiny.shipped import resolve_model
from stepmark.store.store import Store

from .profile import Reward, RewardModelSettings
from .progress import Progress
from .solution_rows import SolutionRow, solution_rows
from .train import checkpoint_folder, reward_model_id, targets_of

_SOLUTIONS_PER_BATCH = 4096
_BATCH_BYTES = 64 * 2**30  # solutions times the model's bytes: a minute or so of a CPU
Rows = Sequence[SolutionRow]
Report = Callable[[int], None]  # is called with how many solutions of a batch are done

if TYPE_CHECKING:
    from stepmark.models.reward.scoring import Scorable

_UNSCORED = f"""
    {{which}} AND solutions.source <> '{ALTERNATIVE}' AND NOT EXISTS (
        SELECT 1 FROM scores WHERE scores.solution_id = solutions.solution_id AND reward_model_id = $1
    )
"""
_UNJUDGED = _UNSCORED.format(which="problems.split = 'test'")
_UNTAUGHT = _UNSCORED.format(
    which="""(
        problems.split = 'test' OR solutions.source = 'sampled' AND EXISTS (
            SELECT 1 FROM step_labels
            WHERE step_labels.solution_id = solutions.solution_id AND label_source = $2
        )
    )"""
)
_SCHEMA = {
    "reward_model_id": pl.String,
    "solution_id": pl.String,
    "step_index": pl.Int32,
    "p_negative": pl.Float64,
    "p_neutral": pl.Float64,
    "p_positive": pl.Float64,
}
LIKELIHOOD_KINDS = ("sum", "min")


def current_models(store: Store, reward: Reward) -> dict[str, str]:
    """Name to id of the profile's reward models as the stored examples make them, if they are trained."""
    trained = set(store.read("SELECT reward_model_id FROM reward_models")["reward_model_id"])
    ids = {m.name: _id(store, reward, m) for m in reward.models}
    return {name: key for name, key in ids.items() if key in trained}


def _id(store: Store, reward: Reward, model: RewardModelSettings) -> str:
    return reward_model_id(model, reward, targets_of(store, model))


def score_with_models(store: Store, reward: Reward, readings: Readings | None = None) -> int:
    """Score what is unscored with every trained model; return the number of solutions scored.

    ``readings``: what the models' bases have read in training.
    """
    from stepmark.models.reward.checkpoint import load_reward_model  # noqa: PLC0415 - torch loads slowly
    from stepmark.models.reward.scoring import score_solutions  # noqa: PLC0415

    kinds = {model.name: model.kind for model in reward.models}
    readings = readings or Readings()
    num_scored = 0
    for name, key in current_models(store, reward).items():
        wanted, which = (_UNTAUGHT, [key, MONTE_CARLO]) if kinds[name] == "prm" else (_UNJUDGED, [key])
        rows = solution_rows(store, wanted, which)
        if not rows:
            continue
        trained = store.read("SELECT checkpoint_sha256 FROM reward_models WHERE reward_model_id = ?", [key])
        model = load_reward_model(checkpoint_folder(store, key), trained.item())
        for batch, report in _batches(f"scoring by {name}", rows, model.network.num_backbone_bytes):
            scores = score_solutions(
                model.network, model.encoder, _texts(batch), progress=report, readings=readings
            )
            frame = _score_frame(key, batch, scores, last_only=kinds[name] == "orm")
            store.insert_missing("scores", frame)
        num_scored += len(rows)
    return num_scored


def _score_frame(
    key: str, rows: Sequence[SolutionRow], scores: Sequence[Any], *, last_only: bool
) -> pl.DataFrame:
    values = [
        (key, row.solution_id, index, step.negative, step.neutral, step.positive)
        for row, steps in zip(rows, scores, strict=True)
        if steps is not None
        for index, step in enumerate(steps)
        if not last_only or index == len(steps) - 1
    ]
    return pl.DataFrame(values, schema=_SCHEMA, orient="row")


def likelihood_ids(reward: Reward) -> dict[str, str]:
    """Selector name to model id of the likelihood baselines: ``NAME_likelihood_sum`` and ``_min``."""
    ids = {}
    for model in reward.likelihoods:
        checksum = source_sha256(resolve_model(model))[:8]
        for kind in LIKELIHOOD_KINDS:
            name = f"{_short(model)}_likelihood_{kind}"
            if name in ids:
                raise InputError(
                    f"two models in reward.likelihoods are called {_short(model)!r}; rename one folder."
                )
            ids[name] = f"{name}-{checksum}"
    return ids


def _short(model: str) -> str:
    return Path(model.rpartition(":")[2]).name


def score_with_likelihoods(store: Store, reward: Reward) -> int:
    """Store each baseline model's likelihood of every step as a score; return the number of solutions.

    A step's p_positive is the exponential of the sum, or of the minimum, of its tokens' log-probabilities:
    their product over steps, or their minimum, is then the likelihood of the solution, or of its worst token.
    """
    from stepmark.models.reward.backbone import load_backbone  # noqa: PLC0415
    from stepmark.models.reward.checkpoint import best_device  # noqa: PLC0415
    from stepmark.models.reward.encoding import Encoder  # noqa: PLC0415
    from stepmark.models.reward.scoring import likelihood_of_steps  # noqa: PLC0415

    ids, num_scored = likelihood_ids(reward), 0
    for model in reward.likelihoods:
        keys = [ids[f"{_short(model)}_likelihood_{kind}"] for kind in LIKELIHOOD_KINDS]
        rows = solution_rows(store, _UNJUDGED, [keys[0]])
        if not rows:
            continue
        network, tokenizer = load_backbone(resolve_model(model))
        network.to(best_device())  # type: ignore[arg-type]
        encoder = Encoder(tokenizer, reward.prompt_template, reward.max_tokens)
        _register_likelihoods(store, model, keys)
        for batch, report in _batches(f"likelihood by {model}", rows, network.get_memory_footprint()):
            likelihoods = likelihood_of_steps(network, encoder, _texts(batch), progress=report)
            store.insert_missing("scores", _likelihood_frame(keys, batch, likelihoods))
        num_scored += len(rows)
    return num_scored


def _likelihood_frame(
    keys: Sequence[str], rows: Sequence[SolutionRow], likelihoods: Sequence[Any]
) -> pl.DataFrame:
    values = []
    for row, steps in zip(rows, likelihoods, strict=True):
        for index, step in enumerate(steps or []):
            for key, logprob in zip(keys, (step.sum_logprob, step.min_logprob), strict=True):
                probability = min(1.0, math.exp(logprob))
                values.append((key, row.solution_id, index, 1.0 - probability, 0.0, probability))
    return pl.DataFrame(values, schema=_SCHEMA, orient="row")


def _register_likelihoods(store: Store, model: str, keys: Sequence[str]) -> None:
    checksum = source_sha256(resolve_model(model))
    rows = [
        {
            "reward_model_id": key,
            "kind": LIKELIHOOD,
            "base_model": model,
            "label_sources": [],
            "config": json.dumps({"reads": kind}),
            "checkpoint": _short(model),
            "checkpoint_sha256": checksum,
            "metrics": "{}",
            "created_at": datetime.now(UTC).replace(tzinfo=None),
            "base_sha256": checksum,
            "code_version": version("stepmark"),
        }
        for key, kind in zip(keys, LIKELIHOOD_KINDS, strict=True)
    ]
    schema = {"label_sources": pl.List(pl.String)}
    store.insert_missing("reward_models", pl.DataFrame(rows, schema_overrides=schema), unknown=["round"])


def _batches(what: str, rows: Rows, num_weight_bytes: int) -> Iterator[tuple[Rows, Report]]:
    """Batches to be committed one by one, smaller ones for a larger model, with their progress."""
    size = max(1, min(_SOLUTIONS_PER_BATCH, _BATCH_BYTES // max(1, num_weight_bytes)))
    with Progress(what, len(rows), "solutions") as bar:
        for start in range(0, len(rows), size):
            batch = rows[start : start + size]
            yield batch, partial(_reach, bar, start)
            bar.reach(start + len(batch))


def _reach(bar: Progress, start: int, num_done: int) -> None:
    bar.reach(start + num_done)


def _texts(rows: Rows) -> list["Scorable"]:
    from stepmark.models.reward.scoring import Scorable  # noqa: PLC0415 - torch loads slowly

    return [Scorable(row.problem, row.solution, row.steps) for row in rows]
