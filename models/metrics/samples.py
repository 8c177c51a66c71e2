"""The samples of one problem, as the evaluators take them, checked once.

Leaves out: where answers, outcomes and scores come from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepmark.labeling.errors import InputError

NO_ANSWER = -1


@dataclass(frozen=True, slots=True)
class ProblemSamples:
    """One problem with M samples. Build it with ``problem_samples``, which checks.

    ``is_correct`` (M,): True where the final answer equals the ground-truth answer.
    ``answer_class`` (M,): 0-based class of equal answers, -1 where the sample has no final answer.
    ``scores``: selector name to (M,), higher is better.
    """

    problem_id: str
    is_correct: NDArray[np.bool_]
    answer_class: NDArray[np.int64]
    scores: Mapping[str, NDArray[np.float64]]

    @property
    def num_samples(self) -> int:
        """M."""
        return len(self.is_correct)


def problem_samples(
    problem_id: str,
    is_correct: Sequence[bool],
    answer_class: Sequence[int | None],
    scores: Mapping[str, Sequence[float]],
) -> ProblemSamples:
    """Check and pack the samples of one problem; ``answer_class`` holds any ids, None for no final answer.

    Raises ``InputError`` for no sample, unequal lengths, a NaN score, and a right sample without an answer.
    """
    num_samples = len(is_correct)
    lengths = {"answer_class": len(answer_class), **{name: len(column) for name, column in scores.items()}}
    for name, length in lengths.items():
        if length != num_samples:
            raise InputError(
                f"Problem {problem_id}: {num_samples} samples but {length} values of {name}; give each one."
            )
    if num_samples == 0:
        raise InputError(f"Problem {problem_id} has no samples; leave it out or sample it.")
    packed = {name: np.asarray(column, dtype=np.float64) for name, column in scores.items()}
    for name, column in packed.items():
        if np.isnan(column).any():
            index = int(np.isnan(column).argmax())
            raise InputError(
                f"Problem {problem_id}, sample {index}: the score {name} is NaN; score the sample again."
            )
    dense: dict[int, int] = {}
    classes = [NO_ANSWER if c is None else dense.setdefault(c, len(dense)) for c in answer_class]
    correct = np.asarray(is_correct, dtype=np.bool_)
    packed_classes = np.asarray(classes, dtype=np.int64)
    contradictions = correct & (packed_classes == NO_ANSWER)
    if contradictions.any():
        raise InputError(
            f"Problem {problem_id}, sample {int(contradictions.argmax())}: marked correct without a final "
            "answer; give its answer or mark it incorrect."
        )
    return ProblemSamples(problem_id, correct, packed_classes, packed)
