"""A small store on which docs/sql.md answers its questions: the same rows on every machine, in seconds.

The problems are minimath's; steps, oracle ratings, Monte-Carlo labels and curves are made by the functions of
the pipeline, and one label file is imported. Solutions, rollouts and scores are drawn from a seed instead of
a model. Leaves out: being like anything real; the figures show the shape of answers.
"""

import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from stepmark.labeling.estimating import RolloutCounts, labels_from_rollouts, prefixes_of
from stepmark.labeling.grading import last_boxed
from stepmark.labeling.ids import sampler_id, solution_id
from stepmark.labeling.minimath import rate_steps, work_of
from stepmark.labeling.records import StepLabel
from stepmark.models.metrics.best_of_n import best_of_n_curves, curve_intervals
from stepmark.models.metrics.samples import ProblemSamples, problem_samples
from stepmark.pipeline.evaluations import EvaluationRow, evaluation_frame
from stepmark.pipeline.generate import split_solutions
from stepmark.pipeline.ingest import ingest_problems, rate_by_oracle
from stepmark.pipeline.label_files import ingest_labels
from stepmark.pipeline.profile import Problems
from stepmark.pipeline.selection import BEST_OF_N
from stepmark.pipeline.solution_rows import SolutionRow, solution_rows
from stepmark.store.frames import frame_of
from stepmark.store.store import Store

from .example_ratings import people_lines, ratings_lines

_SEED = 0
_GRADER, _CODE = "example-1", "0.1.0"
_NUM_SAMPLES, _NUM_ROLLOUTS = 6, 4
_WHEN = datetime(2026, 1, 1)
_SAMPLING = {
    round_: json.dumps({"temperature": temperature, "top_p": 1.0, "max_tokens": 160})
    for round_, temperature in enumerate((1.0, 0.7))
}
_SAMPLERS = {round_: sampler_id("tiny", "0" * 64, text) for round_, text in _SAMPLING.items()}
_ORM, _PRMS = "orm-0a1b2c3d", {"prm_monte_carlo-4e5f6a7b": 0.25, "prm_oracle-8c9d0e1f": 0.1}


def make_example_store(home: Path) -> Store:
    """Fill and publish a store in the empty folder ``home``."""
    store, chance = Store(home), random.Random(_SEED)
    ingest_problems(store, Problems(num_minimath_train=20, num_minimath_test=6, minimath_seed=_SEED))
    store.insert("samplers", pl.DataFrame([_sampler(round_) for round_ in _SAMPLERS]))
    _sample(store, chance)
    split_solutions(store)
    _import_ratings(store, home)
    rate_by_oracle(store)
    store.delete("step_labels", _NOT_RATED_YET)
    _label(store, chance)
    _score(store, chance)
    _evaluate(store)
    store.publish()
    return store


def _sampler(round_: int) -> dict[str, Any]:
    return {
        "sampler_id": _SAMPLERS[round_], "model": "tiny-generator", "checkpoint_sha256": "0" * 64,
        "sampling": _SAMPLING[round_], "engine": "in_process, vllm 0.32.0", "seed": _SEED,
        "code_version": _CODE, "created_at": _WHEN,
    }  # fmt: skip


def _sample(store: Store, chance: random.Random) -> None:
    problems = store.read("SELECT problem_id, problem, level FROM problems ORDER BY problem_id")
    rows = [
        _solution(chance, problem_id, problem, level, round_, index)
        for problem_id, problem, level in problems.iter_rows()
        for round_ in _SAMPLERS
        for index in range(_NUM_SAMPLES)
    ]
    unknown = ["min_logprob", "source_file", "source_line"]
    store.insert("solutions", pl.DataFrame(rows, infer_schema_length=None), unknown=unknown)
    store.insert("answer_verdicts", store.read(_VERDICTS, [_GRADER]))


_NOT_RATED_YET = f"""
    solution_id IN (
        SELECT solutions.solution_id FROM solutions WHERE round = 1 AND sample_index >= {_NUM_SAMPLES // 2}
    )
"""
_VERDICTS = """
    SELECT DISTINCT ground_truth_answer, final_answer, grader_version,
        CASE outcome WHEN 'correct' THEN 'equal' ELSE 'different' END AS verdict
    FROM solutions JOIN problems USING (problem_id)
    WHERE final_answer IS NOT NULL AND grader_version = ? ORDER BY ALL
"""


def _solution(
    chance: random.Random, problem_id: str, problem: str, level: int, round_: int, index: int
) -> dict[str, Any]:
    work = work_of(problem)
    steps, outcome = list(work.steps), "correct"
    if chance.random() < 0.1 + 0.12 * level - 0.1 * round_:
        at = chance.randrange(len(steps))
        steps[at:] = [_spoiled(step) for step in steps[at:]]
        outcome = "incorrect"
    if chance.random() < 0.05:
        steps, outcome = steps[:-1] or [steps[0][:8]], "truncated"
    text = "\n".join(steps)
    answer = None if outcome == "truncated" else last_boxed(text)
    num_tokens = len(text.split())
    return {
        "solution_id": solution_id(problem_id, _SAMPLERS[round_], index), "problem_id": problem_id,
        "source": "sampled", "round": round_, "generator_id": _SAMPLERS[round_],
        "sampling": _SAMPLING[round_],
        "sample_index": index, "solution": text,
        "finish_reason": "length" if outcome == "truncated" else "stop",
        "num_tokens": num_tokens, "sum_logprob": -0.25 * num_tokens, "final_answer": answer,
        "outcome": outcome, "grader_version": _GRADER,
    }  # fmt: skip


def _spoiled(step: str) -> str:
    """The step with its last digit one higher."""
    at = max((place for place, char in enumerate(step) if char.isdigit()), default=None)
    return step if at is None else f"{step[:at]}{(int(step[at]) + 1) % 10}{step[at + 1 :]}"


def _import_ratings(store: Store, folder: Path) -> None:
    # The name that is stored is the one that is given: a bare one is the same on every machine.
    with contextlib.chdir(folder):
        for label_format, lines in (("stepmark", ratings_lines()), ("prm800k", people_lines())):
            file = Path("ratings.jsonl" if label_format == "stepmark" else "people.jsonl")
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
            ingest_labels(store, file, label_format, "train")


def _sampled(store: Store, where: str) -> list[SolutionRow]:
    return solution_rows(store, f"solutions.source = 'sampled' AND {where}")


def _label(store: Store, chance: random.Random) -> None:
    """Monte-Carlo labels of the first two samples of the first round, from rollouts of every prefix."""
    counts: dict[str, RolloutCounts] = {}
    rollouts: list[tuple[Any, ...]] = []
    labels: list[StepLabel] = []
    for row in _sampled(store, "problems.split = 'train' AND round = 0 AND sample_index < 2"):
        own = prefixes_of(row.problem_id, row.solution, row.steps)
        ratings = rate_steps(row.problem, [span.step for span in row.steps])
        for index, prefix in enumerate(own):
            if prefix.prefix_id not in counts:
                drawn = list(_rollouts(chance, prefix.prefix_id, row, -1 in ratings[: index + 1]))
                rollouts += drawn
                counts[prefix.prefix_id] = _counted(drawn)
        labels += labels_from_rollouts(row.solution_id, own, row.outcome, counts)
    names = ("prefix_id", "completer_id", "rollout_index", "completion", "finish_reason", "num_tokens",
             "final_answer", "outcome", "grader_version")  # fmt: skip
    store.insert("rollouts", pl.DataFrame(rollouts, schema=names, orient="row", infer_schema_length=None))
    estimator = json.dumps({"name": "exhaustive", "num_rollouts": _NUM_ROLLOUTS})
    store.insert(
        "step_labels",
        frame_of("step_labels", labels).with_columns(
            completer_id=pl.lit(_SAMPLERS[0]), estimator=pl.lit(estimator), code_version=pl.lit(_CODE)
        ),
    )


def _rollouts(
    chance: random.Random, prefix_id: str, row: SolutionRow, is_wrong: bool
) -> Iterator[tuple[Any, ...]]:
    for index in range(_NUM_ROLLOUTS):
        answer = row.ground_truth_answer if chance.random() < (0.1 if is_wrong else 0.7) else "1000"
        outcome = "correct" if answer == row.ground_truth_answer else "incorrect"
        if chance.random() < 0.05:
            answer, outcome = None, "truncated"
        text = "So: " if answer is None else f"So: $\\boxed{{{answer}}}$."
        finish_reason = "length" if answer is None else "stop"
        num_tokens = chance.randint(4, 20)
        yield (prefix_id, _SAMPLERS[0], index, text, finish_reason, num_tokens, answer, outcome, _GRADER)


def _counted(rollouts: Sequence[tuple[Any, ...]]) -> RolloutCounts:
    outcomes = [outcome for *_, outcome, _ in rollouts]
    num_tokens = sum(tokens for *_, tokens, _, _, _ in rollouts)
    return RolloutCounts(len(outcomes), outcomes.count("correct"), outcomes.count("truncated"), 0, num_tokens)


def _score(store: Store, chance: random.Random) -> None:
    models = [_reward_model(_ORM, "orm", ["outcome"])]
    models += [_reward_model(key, "prm", [key.partition("-")[0].removeprefix("prm_")]) for key in _PRMS]
    store.insert("reward_models", pl.DataFrame(models))
    rows: list[tuple[Any, ...]] = []
    for row in _sampled(store, "(problems.split = 'test' OR round = 0 AND sample_index < 2)"):
        ratings = rate_steps(row.problem, [span.step for span in row.steps])
        for key, noise in _PRMS.items():
            for index, rating in enumerate(ratings):
                p_right = _noisy(chance, 0.1 if rating < 0 else 0.95, noise)
                rows.append((key, row.solution_id, index, 1 - p_right, 0.0, p_right))
        p_right = _noisy(chance, 0.6 if row.outcome == "correct" else 0.4, 0.2)
        rows.append((_ORM, row.solution_id, len(ratings) - 1, 1 - p_right, 0.0, p_right))
    names = ("reward_model_id", "solution_id", "step_index", "p_negative", "p_neutral", "p_positive")
    store.insert("scores", pl.DataFrame(rows, schema=names, orient="row"))


def _noisy(chance: random.Random, mean: float, noise: float) -> float:
    return round(min(0.999, max(0.001, chance.gauss(mean, noise))), 3)


def _reward_model(key: str, kind: str, label_sources: list[str]) -> dict[str, Any]:
    return {
        "reward_model_id": key, "kind": kind, "round": 0, "base_model": "tiny-base",
        "label_sources": label_sources, "config": json.dumps({"num_epochs": 2, "seed": _SEED}),
        "checkpoint": f"reward_models/{key}", "checkpoint_sha256": key[-8:] * 8, "metrics": "{}",
        "created_at": _WHEN, "base_sha256": "1" * 64, "code_version": _CODE,
    }  # fmt: skip


def _evaluate(store: Store) -> None:
    """Best-of-N of the second round's samples of test problems."""
    scores = {
        key.partition("-")[0]: dict(
            store.read(
                "SELECT solution_id, score FROM solution_scores WHERE reward_model_id = ?", [key]
            ).iter_rows()
        )
        for key in (_ORM, *_PRMS)
    }
    by_problem: dict[str, list[SolutionRow]] = {}
    for row in _sampled(store, "problems.split = 'test' AND round = 1"):
        by_problem.setdefault(row.problem_id, []).append(row)
    samples = [_samples(key, rows, scores) for key, rows in sorted(by_problem.items())]
    points = curve_intervals(best_of_n_curves(samples, [1, 2, 4], seed=_SEED), seed=_SEED)
    ids = {key.partition("-")[0]: key for key in (_ORM, *_PRMS)}
    rows = [
        EvaluationRow(name, BEST_OF_N, *point, len(samples), n, model_id=ids.get(name))
        for name, by_n in points.items()
        for n, point in by_n.items()
    ]
    store.insert("evaluations", evaluation_frame(rows))


def _samples(
    problem_id: str, rows: Sequence[SolutionRow], scores: dict[str, dict[str, float]]
) -> ProblemSamples:
    answers = sorted({row.final_answer for row in rows if row.final_answer is not None})
    return problem_samples(
        problem_id,
        [row.outcome == "correct" for row in rows],
        [None if row.final_answer is None else answers.index(row.final_answer) for row in rows],
        {name: [values[row.solution_id] for row in rows] for name, values in scores.items()},
    )
