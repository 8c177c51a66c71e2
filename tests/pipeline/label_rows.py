"""Rows of label files, and importing them: for the tests of what becomes of labels."""

import json
from typing import Any

from stepmark.pipeline.label_files import ingest_labels
from stepmark.store.labels.storing import LabelReport
from stepmark.store.store import Store

Row = dict[str, Any]


def ingest(store: Store, name: str, label_format: str, *rows: Row, chunk_lines: int = 2000) -> LabelReport:
    """Import a file of these rows, ``chunk_lines`` at a time."""
    path = store.home.parent / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return ingest_labels(store, path, label_format, "train", chunk_lines=chunk_lines)


def lines(report: LabelReport) -> tuple[int, int, int]:
    """How many lines were accepted, rejected, and duplicates."""
    return report.num_accepted, report.num_rejected, report.num_duplicates


def tree(*prefixes: str) -> Row:
    """An OmegaPRM row; a prefix goes on from the one that it begins with."""
    steps = [{"solution_prefix": f"Q?\n\n{prefix}", "mc_value": 0.5} for prefix in prefixes]
    return {"question": "Q?", "final_answer": "1", "reasoning_steps": steps}


def rated(
    labeler: str, *steps: tuple[str, int | None], beside: tuple[str, int] | None = None, problem: str = "Q?"
) -> Row:
    """A PRM800K row: the path with its ratings, and perhaps an alternative to its last step."""
    completions: list[list[Row]] = [[{"text": text, "rating": rating}] for text, rating in steps]
    if beside:
        completions[-1].append({"text": beside[0], "rating": beside[1]})
    return {
        "labeler": labeler,
        "question": {"problem": problem},
        "label": {"steps": [{"completions": step, "chosen_completion": 0} for step in completions]},
    }


def count(store: Store, table: str) -> int:
    """How many rows the table has."""
    number: int = store.read(f"SELECT count(*) FROM {table}").item()
    return number
