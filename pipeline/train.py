"""Training the profile's reward models from stored examples, each one once.

A model's id hashes its examples, its settings and its base, so a rerun with the same inputs finds the model
and trains nothing. Leaves out: the training loop (stepmark.models.reward.training).
"""

import hashlib
import json
import shutil
from collections import defaultdict
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.labeling.vocabulary import FIRST_ROUND
from stepmark.models.reward.folder import holds_reward_model, source_sha256
from stepmark.models.reward.readings import Readings
from stepmark.models.tiny.shipped import resolve_model
from stepmark.store.rows import delete, replace
from stepmark.store.store import Store

from .one_worker import only_worker
from .profile import Reward, RewardModelSettings
from .profile_part import Part
from .progress import Progress
from .solution_rows import solution_rows

if TYPE_CHECKING:
    from stepmark.models.reward.checkpoint import RewardModel as Trained
    from stepmark.models.reward.training import TrainingConfig

# The solutions of the first $1 problems that have examples, in the order of their ids, which are hashes.
_CHOSEN = """
    WITH ranked AS (
        SELECT solution_id, dense_rank() OVER (ORDER BY problem_id) AS problem_place
        FROM solutions SEMI JOIN {examples} USING (solution_id)
    ),
    chosen AS (SELECT solution_id FROM ranked WHERE problem_place <= coalesce($1, problem_place))
"""
_ORM_TARGETS = f"""
    {_CHOSEN.format(examples="orm_examples")}
    SELECT solution_id, split, max(step_index) AS step_index, any_value(1 - target) AS negative,
        CAST(0 AS DOUBLE) AS neutral, any_value(target) AS positive
    FROM orm_examples JOIN steps USING (solution_id)
    WHERE solution_id IN (FROM chosen) GROUP BY solution_id, split ORDER BY solution_id
"""
_PRM_TARGETS = f"""
    {_CHOSEN.format(examples="(FROM prm_examples WHERE list_contains($2, label_source))")}
    SELECT solution_id, split, step_index, avg(target_negative) AS negative, avg(target_neutral) AS neutral,
        avg(target_positive) AS positive
    FROM prm_examples WHERE list_contains($2, label_source) AND solution_id IN (FROM chosen)
    GROUP BY solution_id, split, step_index ORDER BY solution_id, step_index
"""
_CHECKPOINTS = "reward_models"
_NOT_IN_ID = {"models", "likelihoods", "base"}
_ALWAYS_IN_MODEL = frozenset({"name", "kind", "label_sources", "max_problems"})
_ALWAYS_IN_REWARD = frozenset(
    {
        "prompt_template", "max_tokens", "head_size", "reads_hidden", "reads_likelihood", "num_epochs",
        "batch_solutions", "learning_rate", "backbone_rate_factor", "validation_share", "seed",
    }
)  # fmt: skip


def targets_of(store: Store, model: RewardModelSettings) -> pl.DataFrame:
    """The step targets a reward model learns: solution_id, split, step_index, negative, neutral, positive.

    Where several of a PRM's label sources speak about one step, its target is their mean.
    """
    if model.kind == "orm":
        return store.read(_ORM_TARGETS, [model.max_problems])
    return store.read(_PRM_TARGETS, [model.max_problems, list(model.label_sources)])


def reward_model_id(model: RewardModelSettings, reward: Reward, targets: pl.DataFrame) -> str:
    """The id of the model that these targets and settings give."""
    hasher = hashlib.sha256(targets.write_csv().encode())
    hasher.update(_config(model, reward).encode())
    return f"{model.name}-{hasher.hexdigest()[:8]}"


def checkpoint_folder(store: Store, reward_model_id: str) -> Path:
    """Where the checkpoint of a trained reward model is."""
    return store.home / _CHECKPOINTS / reward_model_id


def _config(model: RewardModelSettings, reward: Reward) -> str:
    # Where the base lies is no part of what it is: its hash stands for it.
    base = source_sha256(resolve_model(reward.base))
    chosen = _told_apart_by(model, _ALWAYS_IN_MODEL)
    return json.dumps(
        {**_told_apart_by(reward, _ALWAYS_IN_REWARD), "model": chosen, "base_sha256": base}, sort_keys=True
    )


def _told_apart_by(part: Part, always: frozenset[str]) -> dict[str, Any]:
    """The settings that tell models apart: the first ones always, later ones where they are not the default.

    So a field that is new, at its default, changes no model's id, or every one would be trained again.
    """
    fields = type(part).model_fields
    return {
        name: value
        for name, value in part.model_dump(exclude=_NOT_IN_ID).items()
        if name in always or getattr(part, name) != fields[name].get_default(call_default_factory=True)
    }


def train_reward_model(
    store: Store,
    reward: Reward,
    model: RewardModelSettings,
    readings: Readings | None = None,
    *,
    round_index: int = FIRST_ROUND,
) -> dict[str, Any]:
    """Train one reward model unless it is there; return its row in ``reward_models``.

    Heads that are given the same ``readings``, in training and in scoring, read each solution once.
    """
    targets = targets_of(store, model)
    if not targets.height:
        raise StepmarkError(
            f"reward model {model.name!r} has no labels to learn from; materialize the labels it names"
            f" ({', '.join(model.label_sources) or 'outcomes'}) first, or drop it from the profile."
        )
    key = reward_model_id(model, reward, targets)
    with only_worker(store, "training"):
        return _found_or_trained(store, reward, model, targets, key, readings, round_index)


def _found_or_trained(
    store: Store,
    reward: Reward,
    model: RewardModelSettings,
    targets: pl.DataFrame,
    key: str,
    readings: Readings | None,
    round_index: int,
) -> dict[str, Any]:
    found = store.read("SELECT * FROM reward_models WHERE reward_model_id = ?", [key])
    folder = checkpoint_folder(store, key)
    if found.height and holds_reward_model(folder, found["checkpoint_sha256"].item()):
        return found.row(0, named=True)
    _make_room(folder)
    config = _config(model, reward)
    row = {
        "reward_model_id": key,
        "kind": model.kind,
        "round": round_index,
        "base_model": reward.base,
        "label_sources": list(model.label_sources) or ["outcome"],
        "config": config,
        "checkpoint": str(folder.relative_to(store.home)),
        **_fit(store, reward, model, targets, folder, readings),
        "created_at": datetime.now(UTC).replace(tzinfo=None),
        "base_sha256": json.loads(config)["base_sha256"],
        "code_version": version("stepmark"),
    }
    frame = pl.DataFrame([row]).cast({"round": pl.Int32})
    with store.transaction() as con:
        if found.height and found["checkpoint_sha256"].item() != row["checkpoint_sha256"]:
            delete(con, "scores", "reward_model_id = ?", [key])  # another model's, though of one name
        replace(con, "reward_models", frame, "reward_model_id = ?", [key])
    return row


def _make_room(folder: Path) -> None:
    """Make an empty folder, before the training: where there can be none, that would be lost.

    What is left of another model is taken away: a file too many may change how the new one is loaded.
    """
    try:
        for path in folder.glob("*") if folder.is_dir() else (folder,):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the model cannot be written there ({error.strerror})"
        remedy = "look at what is there, free space and permissions, or give another --home"
        raise InputError.at(folder, None, problem, remedy) from error


def _fit(
    store: Store,
    reward: Reward,
    model: RewardModelSettings,
    targets: pl.DataFrame,
    folder: Path,
    readings: Readings | None,
) -> dict[str, str]:
    from stepmark.models.reward.checkpoint import save_reward_model  # noqa: PLC0415 - torch loads slowly
    from stepmark.models.reward.training import train  # noqa: PLC0415

    fresh, config = untrained(reward, model)
    train_examples, validation_examples = read_examples(store, targets)
    with (
        Progress(f"reading for {model.name}", 0, "solutions") as read,
        Progress(f"training {model.name}", 0, "steps") as bar,
    ):

        def show_reading(num_read: int, total: int) -> None:
            read.reach(num_read, total=total)
            if num_read == total:
                read.finish()

        report = train(
            fresh.network,
            fresh.encoder,
            train_examples,
            validation_examples,
            config,
            lambda step, total, loss: bar.reach(step, f"loss {loss:.3f}", total),
            show_reading,
            readings,
        )
    checksum = save_reward_model(fresh, folder)
    return {"checkpoint_sha256": checksum, "metrics": json.dumps(asdict(report))}


def untrained(reward: Reward, model: RewardModelSettings) -> "tuple[Trained, TrainingConfig]":
    """A reward model that has learned nothing yet, and how it is to be trained."""
    from stepmark.models.reward.checkpoint import new_reward_model  # noqa: PLC0415 - torch loads slowly
    from stepmark.models.reward.network import HeadConfig  # noqa: PLC0415
    from stepmark.models.reward.training import TrainingConfig  # noqa: PLC0415

    fresh = new_reward_model(
        resolve_model(reward.base),
        reward.prompt_template,
        reward.max_tokens,
        HeadConfig(reward.head_size, reward.reads_hidden, reward.reads_likelihood),
        reward.seed,
        model.kind,
        pools_solution=model.pools_solution,
    )
    config = TrainingConfig(
        num_epochs=reward.num_epochs,
        batch_solutions=reward.batch_solutions,
        learning_rate=reward.learning_rate,
        backbone_rate_factor=reward.backbone_rate_factor,
        seed=reward.seed,
    )
    return fresh, config


def read_examples(store: Store, targets: pl.DataFrame) -> tuple[list[Any], list[Any]]:
    """The examples of the train and of the validation split."""
    from stepmark.models.reward.examples import Example  # noqa: PLC0415

    by_solution: dict[str, dict[int, tuple[float, float, float]]] = defaultdict(dict)
    split_of: dict[str, str] = {}
    for key, split, step, negative, neutral, positive in targets.iter_rows():
        by_solution[key][step] = (negative, neutral, positive)
        split_of[key] = split
    rows = solution_rows(store, "solution_id IN (SELECT unnest($1))", [list(by_solution)])
    examples: dict[str, list[Any]] = {"train": [], "validation": []}
    for row in rows:
        labels = by_solution[row.solution_id]
        step_targets = tuple(labels.get(index) for index, _ in enumerate(row.steps, row.first_step_index))
        examples[split_of[row.solution_id]].append(
            Example(row.problem_id, row.problem, row.solution, row.steps, step_targets)
        )
    return examples["train"], examples["validation"]
