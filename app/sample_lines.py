"""The input of ``stepmark best-of-n``: lines of scored samples, graded and grouped into problems.

Leaves out: the curves (``best_of_n``) and how answers are compared, which the caller passes in.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from stepmark.models.metrics.samples import ProblemSamples, problem_samples

from .io.jsonl import JsonLine, shown

Grade = Callable[[Sequence[tuple[str, str]]], Sequence[str]]
Classify = Callable[[Sequence[str | None]], Sequence[int | None]]

_ANSWER_REMEDY = 'give the final answer as a string, or null where there is none ("" counts as null)'
_SCORES_REMEDY = 'give an object such as {"prm": 0.9}, or {} on every line for majority and pass@N alone'


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One sample as written. ``is_correct`` None: to be graded against ``ground_truth_answer``."""

    source: JsonLine
    problem_id: str
    answer: str | None
    is_correct: bool | None
    ground_truth_answer: str | None
    scores: dict[str, float]


def read_samples(lines: Iterable[JsonLine]) -> list[SampleLine]:
    """Read and check the lines of one file.

    Raises ``InputError`` for a field that is missing or of another type, a score that is not finite, a score
    name that some lines have and others lack, and two ground-truth answers of one problem.
    """
    samples: list[SampleLine] = []
    ground_truths: dict[str, tuple[str, int]] = {}
    for line in lines:
        sample = _sample(line)
        if samples:
            _check_same_scores(samples[0], sample)
        if sample.ground_truth_answer is not None:
            first, number = ground_truths.setdefault(
                sample.problem_id, (sample.ground_truth_answer, line.line)
            )
            if first != sample.ground_truth_answer:
                line.refuse(
                    f'"gold" is {shown(sample.ground_truth_answer)}, but {shown(first)} on line {number} for '
                    f"the same problem {shown(sample.problem_id)}",
                    "give each problem one ground-truth answer, or different problems different ids",
                )
        samples.append(sample)
    return samples


def group_samples(samples: Sequence[SampleLine], grade: Grade, classify: Classify) -> list[ProblemSamples]:
    """Group samples by problem, in order of first appearance; a problem's lines need not be neighbours.

    ``grade`` maps (ground-truth answer, answer) pairs to verdicts; it sees each distinct pair once.
    ``classify`` maps the answers of one problem to classes of equal ones.

    Raises ``InputError`` for an answer that the grader could not judge in time.
    """
    corrects = _grade_missing(samples, grade)
    rows: dict[str, list[int]] = {}
    for row, sample in enumerate(samples):
        rows.setdefault(sample.problem_id, []).append(row)
    problems = []
    for problem_id, picked in rows.items():
        answers = [samples[row].answer for row in picked]
        scores = {name: [samples[row].scores[name] for row in picked] for name in samples[0].scores}
        is_correct = [corrects[row] for row in picked]
        problems.append(problem_samples(problem_id, is_correct, classify(answers), scores))
    return problems


def _grade_missing(samples: Sequence[SampleLine], grade: Grade) -> list[bool]:
    first_with = {pair: sample for sample in reversed(samples) if (pair := _pair_to_grade(sample))}
    pairs = list(first_with)
    verdicts = dict(zip(pairs, grade(pairs), strict=True)) if pairs else {}
    for pair, verdict in verdicts.items():
        if verdict == "timeout":
            first_with[pair].source.refuse(
                f"the answer {shown(pair[1])} could not be graded in time", 'give "correct" on this line'
            )
    corrects = []
    for sample in samples:
        pair = _pair_to_grade(sample)
        is_equal = pair is not None and verdicts[pair] == "equal"
        corrects.append(is_equal if sample.is_correct is None else sample.is_correct)
    return corrects


def _pair_to_grade(sample: SampleLine) -> tuple[str, str] | None:
    # A sample without a final answer is incorrect and needs no grading.
    if sample.is_correct is not None or sample.ground_truth_answer is None or sample.answer is None:
        return None
    return sample.ground_truth_answer, sample.answer


def _sample(line: JsonLine) -> SampleLine:
    problem_id = line.required("problem_id", "give the problem's id as a string")
    if isinstance(problem_id, bool) or not isinstance(problem_id, str | int):
        line.refuse(f'"problem_id" is {shown(problem_id)}', "give a string or an integer")
    answer = _answer(line, "answer", line.required("answer", _ANSWER_REMEDY))
    is_correct = line.fields.get("correct")
    if is_correct is not None and not isinstance(is_correct, bool):
        line.refuse(
            f'"correct" is {shown(is_correct)}', 'give true or false, or leave it out and give "gold"'
        )
    if is_correct and answer is None:
        line.refuse('"correct" is true, but there is no "answer"', "give the answer, or false")
    ground_truth = _answer(line, "gold", line.fields.get("gold"))
    if is_correct is None and ground_truth is None:
        line.refuse(
            '"correct" and "gold" are both missing',
            'give "correct" (true or false), or "gold" (the ground-truth answer) to have the answer graded',
        )
    return SampleLine(line, str(problem_id), answer, is_correct, ground_truth, _scores(line))


def _answer(line: JsonLine, key: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        line.refuse(f'"{key}" is {shown(value)}', _ANSWER_REMEDY)
    return str(value).strip() or None


def _scores(line: JsonLine) -> dict[str, float]:
    scores = line.required("scores", _SCORES_REMEDY)
    if not isinstance(scores, dict):
        line.refuse(f'"scores" is {shown(scores)}', _SCORES_REMEDY)
    for name, score in scores.items():
        if not _is_finite(score):
            line.refuse(f"the score {shown(name)} is {shown(score)}", "give a finite number")
    return {name: float(score) for name, score in scores.items()}


def _is_finite(score: object) -> bool:
    if isinstance(score, bool) or not isinstance(score, int | float):
        return False
    try:
        return math.isfinite(score)
    except OverflowError:  # an integer beyond the largest float
        return False


def _check_same_scores(first: SampleLine, sample: SampleLine) -> None:
    for name in first.scores.keys() ^ sample.scores.keys():
        has, lacks = (first, sample) if name in first.scores else (sample, first)
        sample.source.refuse(
            f"line {has.source.line} has the score {shown(name)} and line {lacks.source.line} has not",
            "score every sample with the same selectors",
        )
