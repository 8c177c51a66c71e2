"""Small rows of PRM800K, and a helper that imports them."""

import json
from pathlib import Path
from typing import Any

from stepmark.labeling.formats.reading import LabelImport, merged
from stepmark.labeling.formats.registry import import_labels

Row = dict[str, Any]


def step(*rated: tuple[str, int | None], chosen: int | None = 0, human: str | None = None) -> Row:
    """A labeled step with these completions, none of them flagged either way."""
    return {
        "completions": [{"text": text, "rating": rating, "flagged": None} for text, rating in rated],
        "human_completion": human and {"text": human, "rating": None, "source": "human", "flagged": False},
        "chosen_completion": chosen,
    }


def row(*steps: Row, pre_generated: list[str] | None = None, **changes: object) -> Row:
    """A line of PRM800K: phase 1, or phase 2 where steps were generated before."""
    question: Row = {"problem": " What is $1+1$? ", "ground_truth_answer": "2"}
    if pre_generated is not None:
        question |= {"ground_truth_solution": "It is $2$.", "pre_generated_steps": pre_generated}
        question |= {"pre_generated_answer": "3", "pre_generated_verifier_score": 0.25}
    line: Row = {
        "labeler": "anna",
        "timestamp": "2022-07-30T23:23:32",
        "generation": None if pre_generated is None else 6,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": question,
        "label": {"steps": list(steps), "total_time": 5000, "finish_reason": "solution"},
    }
    return line | changes


def imported(tmp_path: Path, *rows: Row, chunk_lines: int = 1000) -> LabelImport:
    """These rows written and imported."""
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in rows))
    return merged(import_labels(path, "prm800k", "train", chunk_lines=chunk_lines))
