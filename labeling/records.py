"""The rows that cross folder borders, as frozen dataclasses or named tuples. Field names are column names.

Labels are named tuples: files hold a million of them, and a named tuple is made and hashed in a quarter of
the time. Leaves out: rows only one module makes and writes; those are polars frames.
"""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Problem:
    """One row per problem. ``level`` is 1-5 or None ("Level ?"); ``split`` is "train" or "test".

    It came from a 1-based line of a file, or out of a ``generator`` (JSON).
    """

    problem_id: str
    source: str
    split: str
    subject: str | None
    level: int | None
    problem: str
    ground_truth_solution: str | None
    ground_truth_answer: str | None
    source_file: str | None = None
    source_line: int | None = None
    generator: str | None = None


class HumanLabel(NamedTuple):
    """One row per step, labeler and alternative of a rating file, at its 1-based line; None is not known."""

    solution_id: str
    step_index: int
    alternative_index: int
    labeler: str
    completion: str
    is_human_written: bool
    rating: int | None
    chosen: bool | None
    flagged: bool | None
    phase: int | None
    round: int | None
    is_quality_control: bool | None
    is_screening: bool | None
    finish_reason: str | None
    labeled_at: str | None
    duration_ms: int | None
    source_line: int | None = None


class StepLabel(NamedTuple):
    """One row per step and label source. ``value`` is in [0, 1]; the counts are None unless rolled out."""

    solution_id: str
    step_index: int
    label_source: str
    rating: int | None
    value: float | None
    num_rollouts: int | None = None
    num_correct: int | None = None
    num_truncated: int | None = None
    num_ungraded: int | None = None
    value_low: float | None = None
    value_high: float | None = None
    p_wrong_low: float | None = None
    p_wrong_high: float | None = None
    has_signal: bool | None = None
    cost_tokens: int | None = None
    completer_id: str | None = None
    estimator: str | None = None
    source_file: str | None = None
    source_line: int | None = None
    code_version: str | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """One refused input row: 1-based ``line`` (None: the whole file), the reason, the raw text cut short."""

    file: str
    line: int | None
    reason: str
    raw: str
