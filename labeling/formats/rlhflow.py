"""RLHFlow: a conversation whose user turns are steps and whose assistant turns are + or -.

A row, cut short; the key may be ``conversations``::

    {"messages": [{"role": "user", "content": "<problem> Step 1: ..."}, {"role": "assistant", "content": "+"},
                  {"role": "user", "content": "Step 2: ..."}, {"role": "assistant", "content": "-"}]}

The first turn holds problem and first step. Where a problem ends is known if the row gives it ("problem"), if
the step begins with "Step 1:", or if the turn begins with a problem that is known already; others are
refused, for a guess would cut problems in two and part equal ones.
Leaves out: whole solutions under one sign, which are read as one step. Writing leaves out a step's outer
white space, and what ``step_signs`` does.
"""

from collections.abc import Iterable, Iterator

from stepmark.labeling.formats.io.fields import RowError, has_fields, list_of, optional_text, shown
from stepmark.labeling.formats.io.json_values import JsonObject

from .chunks import RowReader
from .format import Format, Writer
from .reading import LabeledSolution, label_problem, labeled, solution_of
from .step_signs import FIRST_STEP, RATINGS, SIGNS, are_right, row_if_it_reads_back
from .writing import ExportedSolution, ExportOptions, ExportTally, Row

SOURCE = "rlhflow"


def read_row_knowing(known_problems: Iterable[str]) -> RowReader:
    """A reader of rows that can part known problems, given as their texts, from the first step."""
    known = _KnownProblems(known_problems)
    return lambda row, split: _read_row(row, split, known)


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as a solution with step labels of source "rlhflow"; no problem is known.

    Raises:
        RowError: if the messages are no steps and signs in turn, or where the problem ends is not known.
    """
    return _read_row(row, split, _KnownProblems(()))


def _read_row(row: JsonObject, split: str, known: "_KnownProblems") -> list[LabeledSolution]:
    turns = _turns(row)
    given = optional_text(row, "problem")
    if given:
        known = _KnownProblems([given], is_given=True)
    text, first_step = _problem_and_first_step(turns[0][0], known)
    problem = label_problem(text, SOURCE, split)
    steps = [first_step, *(content for content, _ in turns[1:])]
    return [labeled(problem, solution_of(problem, SOURCE, steps), SOURCE, [rating for _, rating in turns])]


class _KnownProblems:
    """Problems under their words: conversations may have other white space than the problem file."""

    def __init__(self, problems: Iterable[str], *, is_given: bool = False) -> None:
        words = ((problem, problem.split()) for problem in problems)
        self._by_words = {" ".join(split): (problem, len(split)) for problem, split in words}
        self._lengths = sorted({num_words for _, num_words in self._by_words.values()}, reverse=True)
        self._is_given = is_given

    def longest_before(self, text: str) -> tuple[str, str] | None:
        """The longest problem that the text begins with, and what follows it."""
        words = text.split()
        for num_words in self._lengths:
            found = self._by_words.get(" ".join(words[:num_words])) if num_words < len(words) else None
            if found:
                return found[0], text.split(maxsplit=num_words)[num_words]
        return None

    def why_none_before(self) -> str:
        """Why ``longest_before`` found none, and what to do, as the end of a sentence."""
        if self._is_given:
            return "it is not the problem that the row gives and a step after it; correct either"
        if not self._by_words:
            return "no problem is known; ingest the problems first"
        num_known = len(self._by_words)
        return f"it is none of the {num_known:,} known problems and a step after it; ingest its problem first"


def _turns(row: JsonObject) -> list[tuple[str, int]]:
    """What each pair of messages says: a step, the first one after the problem, and its rating."""
    key = "messages" if "messages" in row else "conversations"
    messages = list_of(row, key)
    if not messages or len(messages) % 2:
        raise RowError(f"{key} has {len(messages)} entries, not a step and a sign in turn")
    turns = []
    for index in range(0, len(messages), 2):
        content = _content(messages[index], f"{key}[{index}]", "user")
        sign = _content(messages[index + 1], f"{key}[{index + 1}]", "assistant")
        if sign not in RATINGS:
            raise RowError(f"{key}[{index + 1}].content is {shown(sign)}, not + or -")
        turns.append((content, RATINGS[sign]))
    return turns


def _content(message: object, where: str, role: str) -> str:
    if not isinstance(message, dict) or message.get("role") != role:
        raise RowError(f"{where} is {shown(message)}, not a message of role {role}")
    content = message.get("content")
    if not isinstance(content, str) or not content.strip():
        raise RowError(f"{where}.content is {shown(content)}, not text")
    return content.strip()


def _problem_and_first_step(first: str, known: _KnownProblems) -> tuple[str, str]:
    """The two parts of the first message; of several known problems it may begin with, the longest."""
    found = known.longest_before(first)
    if found:
        return found
    start = FIRST_STEP.search(first)
    if start and first[: start.start()].strip():
        return first[: start.start()], first[start.end() :]
    raise RowError(
        f'the first message is {shown(first)}: where the problem ends is not marked by "Step 1:", and '
        + known.why_none_before()
    )


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """Messages and ``problem``, which stands by itself, too: nothing else parts it from step 1."""
    for one in solutions:
        right = are_right(one, options, tally)
        steps = one.steps[: len(right)]
        messages = []
        for index, (step, is_right) in enumerate(zip(steps, right, strict=True)):
            content = step if index else f"{one.problem.problem} {step}"
            messages.append({"role": "user", "content": content})
            messages.append({"role": "assistant", "content": SIGNS[is_right]})
        row = {"messages": messages, "problem": one.problem.problem}
        yield from row_if_it_reads_back(row, read_row, one, steps, right, tally)


FORMAT = Format(
    name=SOURCE,
    matches=lambda row: has_fields(row, messages=list) or has_fields(row, conversations=list),
    read_row=read_row,
    read_row_knowing=read_row_knowing,
    writer=Writer(rows=write_rows, place=40),
    place=50,
)
