"""The wiring: assets, checks, the job ``refresh`` and its daily schedule. Nothing is computed here."""

import dagster as dg

from stepmark.pipeline.profile import Profile

from .checks import audit_checks
from .judge_assets import (
    best_of_n,
    first_error_detection,
    label_agreement,
    length_bias,
    published_snapshot,
    scores_asset,
)
from .label_assets import LABELS, rollouts
from .leak_gates import leak_gates
from .problem_assets import human_labels, problems
from .resources import Pipeline, pipeline_from_environment
from .reward_assets import orm_examples, prm_examples, reward_model_assets
from .solution_assets import grader_audit, outcomes, solutions, steps

DAILY_AT_3 = "0 3 * * *"

refresh = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.all(),
    description="Materialize everything that is missing, from problems to the published snapshot.",
    # One process, one step at a time: the store has one writer, and a model fills the machine anyway.
    executor_def=dg.in_process_executor,
)
daily = dg.ScheduleDefinition(job=refresh, cron_schedule=DAILY_AT_3, name="daily")


def build_definitions(
    pipeline: Pipeline, profile: Profile, loggers: dict[str, dg.LoggerDefinition] | None = None
) -> dg.Definitions:
    """The definitions for one home folder and profile; ``loggers`` replace Dagster's own."""
    return dg.Definitions(
        assets=[
            problems,
            human_labels,
            solutions,
            steps,
            outcomes,
            grader_audit,
            rollouts,
            *LABELS,
            orm_examples,
            prm_examples,
            *reward_model_assets(profile),
            scores_asset(profile),
            best_of_n,
            label_agreement,
            first_error_detection,
            length_bias,
            published_snapshot,
        ],
        asset_checks=[*audit_checks(), *leak_gates()],
        jobs=[refresh],
        schedules=[daily],
        resources={"pipeline": pipeline},
        loggers=loggers,
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """The definitions for the home folder and profile that the environment names."""
    pipeline = pipeline_from_environment()
    return build_definitions(pipeline, pipeline.settings())
