"""All families, and seeded sets of minimath problems whose split follows from their content.

A problem is test if its id falls in the first tenth of all ids, else train: whoever draws problems, with
whatever seed, can never train on a test problem. Leaves out: rating solutions (oracle.py).
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from stepmark.labeling.ids import problem_id
from stepmark.labeling.records import Problem
from stepmark.labeling.vocabulary import TEST, TRAIN

from .algebra import BOXES, LINEAR, ROOTS, SEQUENCE, VALUE
from .family import Family
from .numbers import GCD, MARBLES, RECTANGLE, REMAINDER, VECTORS
from .work import number

FAMILIES: tuple[Family, ...] = (
    BOXES,
    LINEAR,
    VALUE,
    ROOTS,
    SEQUENCE,
    REMAINDER,
    GCD,
    MARBLES,
    RECTANGLE,
    VECTORS,
)
SOURCE = "minimath"
NUM_LEVELS = 5
_TEST_SHARE = 0.1
_BUCKETS = 16**4


@dataclass(frozen=True, slots=True)
class WorkedProblem:
    """A problem with the family it is of and one canonical solution, step by step."""

    problem: Problem
    family: str
    steps: tuple[str, ...]


def split_of(problem_id: str) -> str:
    """The split ("train" or "test") that a minimath problem's id decides."""
    return TEST if int(problem_id[1:5], 16) < _TEST_SHARE * _BUCKETS else TRAIN


def draw_problem(rng: random.Random, family: Family, level: int) -> WorkedProblem:
    """Draw one problem; its split follows from its content."""
    operands = family.draw(rng, level)
    text = family.write(operands)
    work = family.work(operands, rng)
    key = problem_id(text)
    record = Problem(
        problem_id=key,
        source=SOURCE,
        split=split_of(key),
        subject=family.subject,
        level=level,
        problem=text,
        ground_truth_solution="\n".join(work.steps),
        ground_truth_answer=number(work.answer),
    )
    return WorkedProblem(record, family.name, tuple(work.steps))


def stream(seed: int, split: str) -> Iterator[WorkedProblem]:
    """Draw problems of one split for ever, families in turn, levels at random; problems may repeat."""
    rng = random.Random(f"{SOURCE} {split} {seed}")
    while True:
        for family in FAMILIES:
            drawn = draw_problem(rng, family, rng.randint(1, NUM_LEVELS))
            while drawn.problem.split != split:
                drawn = draw_problem(rng, family, rng.randint(1, NUM_LEVELS))
            yield drawn


def distinct_problems(num_problems: int, seed: int, split: str) -> list[WorkedProblem]:
    """Draw ``num_problems`` different problems of one split, in a seeded order."""
    found: dict[str, WorkedProblem] = {}
    for drawn in stream(seed, split):
        if len(found) == num_problems:
            break
        found.setdefault(drawn.problem.problem_id, _with_origin(drawn, seed))
    return list(found.values())


def _with_origin(drawn: WorkedProblem, seed: int) -> WorkedProblem:
    origin = json.dumps({"name": SOURCE, "family": drawn.family, "seed": seed})
    return replace(drawn, problem=replace(drawn.problem, generator=origin))
