"""Assets of group ``train``: the examples, and one asset per reward model that the profile names."""

import json
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from stepmark.pipeline.examples import kept_out_of_training, make_orm_examples, make_prm_examples
from stepmark.pipeline.leaks import refuse_leaks
from stepmark.pipeline.plots import loss_picture
from stepmark.pipeline.profile import Profile, RewardModelSettings
from stepmark.pipeline.train import train_reward_model

from .label_assets import LABELS
from .metadata import NOTE, count_rows, picture, sample_rows, table_rows
from .problem_assets import human_labels
from .resources import Pipeline
from .solution_assets import outcomes, steps


@dg.asset(group_name="train", kinds={"duckdb"}, deps=[outcomes, steps])
def orm_examples(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per solution the ORM trains on, with the split of its problem."""
    store = pipeline.store()
    counts = make_orm_examples(store, pipeline.settings().reward)
    return dg.MaterializeResult(
        metadata={"dagster/row_count": count_rows(store, "orm_examples"), "counts": table_rows(counts)}
    )


@dg.asset(group_name="train", kinds={"duckdb"}, deps=[human_labels, *LABELS])
def prm_examples(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per step and label source the PRMs train on, up to the first wrong step."""
    store, settings = pipeline.store(), pipeline.settings()
    counts = make_prm_examples(store, settings.reward, soft_targets=settings.rollouts.soft_targets)
    kept_out = kept_out_of_training(store, settings.reward)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": count_rows(store, "prm_examples"),
            "counts": table_rows(counts),
            "sample": sample_rows(store, "prm_examples"),
            **({NOTE: kept_out} if kept_out else {}),
        }
    )


def reward_model_assets(profile: Profile) -> list[dg.AssetsDefinition]:
    """One asset per reward model of the profile."""
    return [_reward_model_asset(model) for model in profile.reward.models]


def _reward_model_asset(model: RewardModelSettings) -> dg.AssetsDefinition:
    examples = orm_examples if model.kind == "orm" else prm_examples
    table = examples.key.to_user_string()

    @dg.asset(
        name=model.name,
        group_name="train",
        kinds={"torch"},
        deps=[examples],
        description=f"One {model.kind.upper()} trained on {', '.join(model.label_sources) or 'outcomes'}.",
    )
    def reward_model(pipeline: Pipeline) -> dg.MaterializeResult[None]:
        refuse_leaks(pipeline.store(), pipeline.settings().leaks, table, allow_leak=pipeline.allow_leak)
        started = datetime.now(UTC).replace(tzinfo=None)
        row = train_reward_model(pipeline.store(), pipeline.settings().reward, model, pipeline.readings())
        return dg.MaterializeResult(metadata=_training_metadata(row, started))

    return reward_model


def _training_metadata(row: dict[str, Any], started: datetime) -> dict[str, Any]:
    report = json.loads(row["metrics"])
    names = ("negative", "neutral", "positive")
    return {
        "num_new": int(row["created_at"] >= started),  # else an earlier run trained it
        "reward_model_id": row["reward_model_id"],
        "checkpoint": row["checkpoint"],
        "num_train_solutions": report["num_train_solutions"],
        "num_labeled_steps": report["num_labeled_steps"],
        "num_labels_cut_off": report["num_labels_cut_off"],
        "label_mass": dict(zip(names, report["label_mass"], strict=True)),
        "validation_loss": report["validation_losses"][-1][1] if report["validation_losses"] else None,
        "losses": picture(loss_picture(report["train_losses"], report["validation_losses"]), "losses"),
    }
