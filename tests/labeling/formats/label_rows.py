"""Rows of the smaller label formats, and helpers that import them."""

import json
from pathlib import Path
from typing import Any

from stepmark.labeling.formats.reading import LabelImport, merged
from stepmark.labeling.formats.registry import import_labels

Row = dict[str, Any]

PROCESSBENCH: Row = {
    "id": "gsm8k-0",
    "generator": "a-model",
    "problem": "How many?",
    "steps": ["a", "b\nb", "c"],
    "final_answer_correct": True,
    "label": 1,
}

TRL: Row = {"prompt": "How many?", "completions": ["a", " b"], "labels": [True, False]}

SHEPHERD: Row = {
    "input": "How many? Step 1: 3 + 5 = 8. ки\nStep 2: The answer is: 8 ки",
    "label": "How many? Step 1: 3 + 5 = 8. +\nStep 2: The answer is: 8 -",
    "task": "GSM8K",
}

STEPMARK: Row = {"problem": "How many?", "steps": ["a", "b"], "label_source": "ben", "ratings": [0, None]}


def omega(*nodes: tuple[str, float]) -> Row:
    """An OmegaPRM row of these prefixes and values."""
    steps = [{"solution_prefix": prefix, "mc_value": value} for prefix, value in nodes]
    return {"question": "How many?", "final_answer": "8", "reasoning_steps": steps}


def chat(*turns: tuple[str, str], key: str = "messages") -> Row:
    """An RLHFlow row of steps with their signs."""
    messages = []
    for step, sign in turns:
        messages += [{"role": "user", "content": step}, {"role": "assistant", "content": sign}]
    return {key: messages}


RLHFLOW = chat(("How many? Step 1: 3 + 5 = 8.", "+"), ("Step 2: The answer is 8", "-"))

OMEGA = omega(("How many?", 0.5), ("How many?\n\na", 1.0))


def imported(tmp_path: Path, *rows: Row, label_format: str = "auto", **options: Any) -> LabelImport:
    """These rows written and imported."""
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return merged(import_labels(path, label_format, "train", **options))


def ratings(result: LabelImport) -> list[tuple[int, int | None]]:
    """Step index and rating of the step labels."""
    return [(label.step_index, label.rating) for label in result.step_labels]
