"""Assets of group ``generate``: sampled solutions, their steps, their outcomes, an audit of the grader."""

import dagster as dg

from stepmark.labeling.vocabulary import ALTERNATIVE
from stepmark.pipeline.generate import sample_solutions, split_solutions
from stepmark.pipeline.grade import grade_solutions
from stepmark.pipeline.grader_audit import audit_grader, disagreements

from .metadata import count_rows, sample_rows, table_rows
from .problem_assets import human_labels, problems
from .resources import Pipeline

_FINISH = """
    SELECT split, finish_reason, count(*) AS num_solutions, sum(num_tokens) AS num_tokens
    FROM solutions JOIN problems USING (problem_id) WHERE solutions.source = 'sampled'
    GROUP BY ALL ORDER BY ALL
"""
_OUTCOMES = """
    SELECT split, level, count(*) AS num_solutions, count_if(outcome = 'correct') AS num_correct,
        count_if(outcome = 'correct')
            / count_if(is_decided(outcome)) AS pass_at_1,
        count_if(outcome = 'no_answer') AS num_no_answer, count_if(outcome = 'truncated') AS num_truncated,
        count_if(outcome = 'grader_timeout') AS num_grader_timeout
    FROM solutions JOIN problems USING (problem_id) WHERE solutions.source = 'sampled'
    GROUP BY ALL ORDER BY ALL
"""
_AGREEMENT = "SELECT * FROM grader_agreement ORDER BY ALL"
_DISAGREEMENTS_SHOWN = 20
_STEPS_PER_SOLUTION = f"""
    SELECT avg(num) FROM (
        SELECT count(*) AS num FROM steps JOIN solutions USING (solution_id)
        WHERE source <> '{ALTERNATIVE}' GROUP BY solution_id
    )
"""


# Files of labels bring problems, too, and the leak gate stands behind them.
@dg.asset(group_name="generate", kinds={"duckdb", "vllm"}, deps=[problems, human_labels])
def solutions(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per sampled attempt. Batches are committed as they come; a rerun samples what is missing."""
    store = pipeline.store()
    settings = pipeline.settings()
    num_new = sample_solutions(
        store, settings.problems, settings.generation, settings.generator, pipeline.engines()
    )
    return dg.MaterializeResult(
        metadata={
            "num_new": num_new,
            "dagster/row_count": count_rows(store, "solutions"),
            "finish_reasons": table_rows(store.read(_FINISH)),
            "sample": sample_rows(store, "solutions"),
        }
    )


@dg.asset(group_name="generate", kinds={"duckdb"}, deps=[solutions, human_labels])
def steps(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per step of a solution. Spans touch and re-join to the solution exactly."""
    store = pipeline.store()
    num_new = split_solutions(store)
    return dg.MaterializeResult(
        metadata={
            "num_new": num_new,
            "dagster/row_count": count_rows(store, "steps"),
            "steps_per_solution": store.read(_STEPS_PER_SOLUTION).item() or 0.0,
            "sample": sample_rows(store, "steps"),
        }
    )


@dg.asset(group_name="generate", kinds={"duckdb"}, deps=[solutions])
def outcomes(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per sampled solution, in ``solutions``: its final answer, and its outcome by the grader."""
    store = pipeline.store()
    num_graded = grade_solutions(store)
    return dg.MaterializeResult(
        metadata={"num_graded": num_graded, "outcomes": table_rows(store.read(_OUTCOMES))}
    )


@dg.asset(group_name="generate", kinds={"duckdb"}, deps=[outcomes, dg.AssetKey("rollouts")])
def grader_audit(pipeline: Pipeline) -> dg.MaterializeResult[None]:
    """One row per verdict that math-verify judged again, in ``grader_audits``: do the two graders agree?"""
    store = pipeline.store()
    num_new = audit_grader(store, pipeline.settings().grading.max_audited_pairs)
    return dg.MaterializeResult(
        metadata={
            "num_new": num_new,
            "dagster/row_count": count_rows(store, "grader_audits"),
            "agreement": table_rows(store.read(_AGREEMENT)),
            "disagreements": table_rows(disagreements(store, _DISAGREEMENTS_SHOWN)),
        }
    )
