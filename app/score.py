"""``stepmark score``: step probabilities of a reward model for solutions in a file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .jsonl_input import JsonLine, read_jsonl, shown
from .options import INPUT_FILE, as_text, home_option, output_option

if TYPE_CHECKING:
    from stepmark.models.reward.scoring import StepProbabilities

_REMEDY = 'write {"problem": "...", "steps": ["...", ...]}'


@click.command("score")
@click.argument("model", callback=as_text)
@click.argument("file", type=INPUT_FILE)
@output_option("--out", "out", "Write here instead of to the screen.")
@home_option
def score_command(model: str, file: Path, out: Path | None, home: Path) -> None:
    """Add per-step probabilities of MODEL to each solution of FILE.

    MODEL is a reward model's id or name in the store, or the folder of one. FILE holds one JSON object a
    line: {"problem": "...", "steps": ["...", ...]}. Lines come back whole, with "probabilities" (one
    {"negative", "neutral", "positive"} a step), "step_scores" and "score": a PRM's is the product over the
    steps; an ORM judges the last step alone, and the others' entries are null. All three are null for a
    solution longer than the model reads.
    """
    from stepmark.labeling.steps import join_steps  # noqa: PLC0415
    from stepmark.models.reward.checkpoint import load_reward_model  # noqa: PLC0415 - torch loads slowly
    from stepmark.models.reward.scoring import Scorable, score_solutions  # noqa: PLC0415

    from .text_output import write_text  # noqa: PLC0415

    lines = list(read_jsonl(file))
    solutions = []
    for line in lines:
        problem, steps = _fields(line)
        text, spans = join_steps(steps)
        solutions.append(Scorable(problem, text, tuple(spans)))
    loaded = load_reward_model(*_found(model, home))
    scored = score_solutions(loaded.network, loaded.encoder, solutions)
    results = (
        json.dumps(line.fields | _added(steps, last_only=loaded.kind == "orm"), ensure_ascii=False) + "\n"
        for line, steps in zip(lines, scored, strict=True)
    )
    write_text(out, "".join(results))
    too_long = [str(line.line) for line, steps in zip(lines, scored, strict=True) if steps is None]
    if too_long:
        click.echo(
            f"{file}: {len(too_long):,} of {len(lines):,} solutions are longer than the"
            f" {loaded.encoder.max_tokens} tokens the model reads and have no score: line {too_long[0]}"
            + (f" and {len(too_long) - 1:,} more." if too_long[1:] else "."),
            err=True,
        )


def _added(steps: "list[StepProbabilities] | None", *, last_only: bool) -> dict[str, object]:
    """The fields a line gets; null for what the model does not judge."""
    from stepmark.models.metrics.aggregation import aggregate, step_score  # noqa: PLC0415

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


def _found(model: str, home: Path) -> tuple[Path, str | None]:
    """The folder of a reward model, and the hash that its files had after training if the store knows it."""
    if Path(model).is_dir():
        return Path(model), None
    from stepmark.labeling.errors import InputError  # noqa: PLC0415
    from stepmark.store.store import Store  # noqa: PLC0415

    store = Store(home)
    if store.live.exists():
        found = store.read(
            """SELECT checkpoint, checkpoint_sha256 FROM reward_models
            WHERE kind <> 'likelihood' AND (reward_model_id = $1 OR starts_with(reward_model_id, $1 || '-'))
            ORDER BY created_at DESC LIMIT 1""",
            [model],
        )
        if found.height:
            checkpoint, trained_sha256 = found.row(0)
            return home / checkpoint, trained_sha256
    named = (
        store.read("SELECT reward_model_id FROM reward_models WHERE kind <> 'likelihood' ORDER BY ALL")
        if store.live.exists()
        else None
    )
    known = ", ".join(named.to_series()) if named is not None and named.height else "none yet"
    raise InputError(
        f"no reward model {model!r} is in {home} (there: {known}), nor is it a folder; name one of them."
    )
