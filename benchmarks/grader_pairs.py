r"""Pairs of answers with a known truth: MATH's ground-truth answers beside variants of them.

A variant is the answer written differently (truly equal) or with one digit changed (truly different, but for
rare accidents such as ``\frac{0}{5}`` and ``\frac{0}{7}``). Leaves out: judging them (grader.py).
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from stepmark.labeling.grading import final_answer

_MATH_FILES = ("math/math_train_7500.jsonl", "math/math_test_5000.jsonl")
_PEERS_FILE = "graders/peer_cases.jsonl"
_INTEGER = re.compile(r"-?\d{1,9}")
_FRACTION = re.compile(r"(-?)\\frac\{(\d{1,6})\}\{(\d{1,6})\}")
_LIST = re.compile(r"-?\d{1,2}(?:, ?-?\d{1,2})+")
_BRACKET = re.compile(r"(?<!\\)(?<!left)(?<!right)[()\[\]]")


@dataclass(frozen=True, slots=True)
class Case:
    """A ground-truth answer, an answer, and whether they are equal."""

    truth: str
    answer: str
    is_equal: bool


def math_answers(data: Path) -> list[str]:
    """The final answer of every MATH problem that has one, in the order of the files."""
    solutions = (json.loads(line)["solution"] for name in _MATH_FILES for line in _lines(data / name))
    return [answer for solution in solutions if (answer := final_answer(solution))]


def peer_cases(data: Path) -> list[Case]:
    """What the tests of other graders assert, in the order of the file."""
    rows = [json.loads(line) for line in _lines(data / _PEERS_FILE)]
    return [Case(str(row["gold"]), str(row["pred"]), row["equal"]) for row in rows]


def variants(answers: Sequence[str], seed: int) -> list[Case]:
    """Two pairs per answer: with itself reformatted, and with itself perturbed."""
    rng = random.Random(seed)
    wordy = [answer for answer in answers if not any(char.isdigit() for char in answer)]
    return [
        case
        for answer in answers
        for case in (
            Case(answer, reformatted(answer, rng), True),
            Case(answer, perturbed(answer, wordy, rng), False),
        )
    ]


def reformatted(answer: str, rng: random.Random) -> str:
    """The answer as another writer might put it; one of the ways that change it."""
    candidates = [way(answer) for way in _WAYS]
    return rng.choice([text for text in candidates if text not in (None, answer)] or [answer]) or answer


def perturbed(answer: str, wordy: Sequence[str], rng: random.Random) -> str:
    """The answer with one digit changed, or one of the ``wordy`` answers where it has no digit."""
    exact = answer.partition("\\approx")[0]  # with another approximation beside it, it is the same answer
    digits = [match.start() for match in re.finditer("[0-9]", exact)]
    if not digits:
        return rng.choice([other for other in wordy if _letters(other) != _letters(answer)])
    at = rng.choice(digits)
    return answer[:at] + str((int(answer[at]) + rng.randint(1, 9)) % 10) + answer[at + 1 :]


def _letters(text: str) -> str:
    return "".join(re.findall("[a-z]", re.sub(r"\\[a-z]+", "", text.lower())))


def _as_integer(change: Callable[[int], str]) -> Callable[[str], str | None]:
    return lambda answer: change(int(answer)) if _INTEGER.fullmatch(answer) else None


def _as_fraction(change: Callable[[str, int, int], str | None]) -> Callable[[str], str | None]:
    def way(answer: str) -> str | None:
        match = _FRACTION.fullmatch(answer)
        return change(match[1], int(match[2]), int(match[3])) if match and int(match[3]) else None

    return way


def _decimal(sign: str, above: int, below: int) -> str | None:
    millionths = Fraction(above, below) * 1_000_000
    return f"{sign}{above / below}" if millionths.denominator == 1 else None


def _turned(answer: str) -> str | None:
    return ", ".join(reversed(re.split(", ?", answer))) if _LIST.fullmatch(answer) else None


def _sized(answer: str) -> str:
    return _BRACKET.sub(lambda m: ("\\left" if m[0] in "([" else "\\right") + m[0], answer)


_WAYS: list[Callable[[str], str | None]] = [
    lambda answer: f"${answer}$",
    lambda answer: f"The answer is ${answer}$.",
    lambda answer: f"\\boxed{{{answer}}}",
    lambda answer: answer.replace("\\frac", "\\dfrac"),
    lambda answer: answer.replace(" ", "  "),
    _sized,
    _turned,
    _as_integer(lambda n: f"{n}.0"),
    _as_integer(lambda n: f"{n:,}"),
    _as_integer(lambda n: f"\\frac{{{2 * n}}}{{2}}"),
    _as_fraction(lambda sign, above, below: f"{sign}{above}/{below}"),
    _as_fraction(lambda sign, above, below: f"{sign}\\frac{{{3 * above}}}{{{3 * below}}}"),
    _as_fraction(_decimal),
]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
