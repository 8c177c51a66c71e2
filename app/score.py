"""``stepmark score``: step probabilities of a reward model for solutions in a file.

Leaves out: reading solutions and judging them (scored_lines.py).
"""

import json
from pathlib import Path

import click

from .io.jsonl import read_jsonl
from .io.outputs import write_text
from .options import INPUT_FILE, as_text, home_option, output_option


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
    lines = list(read_jsonl(file))
    from .scored_lines import find_reward_model, score_lines, solutions_of  # noqa: PLC0415 - torch loads slowly

    solutions = solutions_of(lines)
    loaded = find_reward_model(model, home)
    fields = score_lines(loaded, solutions)
    results = (
        json.dumps(line.fields | added, ensure_ascii=False) + "\n"
        for line, added in zip(lines, fields, strict=True)
    )
    write_text(out, "".join(results))
    too_long = [str(line.line) for line, added in zip(lines, fields, strict=True) if added["score"] is None]
    if too_long:
        click.echo(
            f"{file}: {len(too_long):,} of {len(lines):,} solutions are longer than the"
            f" {loaded.encoder.max_tokens} tokens the model reads and have no score: line {too_long[0]}"
            + (f" and {len(too_long) - 1:,} more." if too_long[1:] else "."),
            err=True,
        )
