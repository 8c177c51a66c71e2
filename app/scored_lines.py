"""Solutions in JSON Lines judged by a reward model: what ``stepmark score`` adds to each line.

Leaves out: reading and writing the file (score.py).
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import join_steps
from stepmark.models.metrics.aggregation import aggregate, step_score
from stepmark.models.reward.checkpoint import RewardModel, load_reward_model
from stepmark.models.reward.scoring import Scorable, StepProbabilities, score_solutions
from stepmark.store.store import Store

from .io.jsonl import JsonLine, shown

_REMEDY = 'write {"problem": "...", "steps": ["...", ...]}'
_BY_ID_OR_NAME = """
    SELECT checkpoint, checkpoint_sha256 FROM reward_models
    WHERE kind <> 'likelihood' AND (reward_model_id = $1 OR starts_with(reward_model_id, $1 || '-'))
    ORDER BY created_at DESC LIMIT 1
"""
_IDS = "SELECT reward_model_id FROM reward_models WHERE kind <> 'likelihood' ORDER BY ALL"


def solutions_of(lines: Sequence[JsonLine]) -> list[Scorable]:
    """The solution of each line; ``InputError`` for a line that holds none."""
    solutions = []
    for line in lines:
        problem, steps = _fields(line)
        text, spans = join_steps(steps)
        solutions.append(Scorable(problem, text, tuple(spans)))
    return solutions


def _fields(line: JsonLine) -> tuple[str, list[str]]:
    problem, steps = line.required("problem", _REMEDY), line.required("steps", _REMEDY)
    if not isinstance(problem, str) or not problem.strip():
        line.refuse(f'"problem" is {shown(problem)}, not a text', _REMEDY)
    if not isinstance(steps, list) or not steps:
        line.refuse(f'"steps" is {shown(steps)}, not a list of texts', _REMEDY)
    for step in steps:
        if not isinstance(step, str) or not step.strip():
            line.refuse(f'"steps" holds {shown(step)}, which is no step', _REMEDY)
    return problem.strip(), steps


def find_reward_model(model: str, home: Path) -> RewardModel:
    """Load a reward model by its folder, or by its id or name in the store.

    Raises:
        InputError: if it is neither, or its files have changed since it was trained.
    """
    if Path(model).is_dir():
        return load_reward_model(Path(model))
    store = Store(home)
    known = "none yet"
    if store.live.exists():
        found = store.read(_BY_ID_OR_NAME, [model])
        if found.height:
            checkpoint, trained_sha256 = found.row(0)
            return load_reward_model(home / checkpoint, trained_sha256)
        known = ", ".join(store.read(_IDS).to_series()) or known
    raise InputError(
        f"no reward model {model!r} is in {home} (there: {known}), nor is it a folder; name one of them."
    )


def score_lines(loaded: RewardModel, solutions: Sequence[Scorable]) -> list[dict[str, object]]:
    """The fields that each solution's line gets; null for what the model does not judge."""
    scored = score_solutions(loaded.network, loaded.encoder, solutions)
    return [_added(steps, last_only=loaded.kind == "orm") for steps in scored]


def _added(steps: list[StepProbabilities] | None, *, last_only: bool) -> dict[str, object]:
    if steps is None:
        return {"probabilities": None, "step_scores": None, "score": None}
    first = len(steps) - 1 if last_only else 0
    probabilities = [asdict(step) if index >= first else None for index, step in enumerate(steps)]
    step_scores = [
        step_score(step.neutral, step.positive) if index >= first else None
        for index, step in enumerate(steps)
    ]
    score = aggregate([score for score in step_scores if score is not None], "product")
    return {"probabilities": probabilities, "step_scores": step_scores, "score": score}
