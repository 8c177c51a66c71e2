"""Rated completions beside the path, as training examples of their own: a prefix and one next step.

People rated about four alternatives for each step they took; a solution's StepLabels show only the one taken.
Leaves out: the completions on the path, which the StepLabels cover.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stepmark.labeling.ids import imported_solution_id
from stepmark.labeling.records import HumanLabel, StepLabel
from stepmark.labeling.steps import join_steps

from .common import ImportedSolution, LabelImport

SOURCE = "alternative"


@dataclass(frozen=True, slots=True)
class AlternativeExample:
    """One row per rated alternative: ``step`` may follow ``prefix_steps``, and people gave it ``rating``.

    ``source_line`` is the first line that says so.
    """

    problem_id: str
    solution_id: str
    step_index: int
    prefix_steps: tuple[str, ...]
    step: str
    rating: int
    source_line: int | None = field(default=None, compare=False)


def alternative_examples(
    solutions: Iterable[ImportedSolution], human_labels: Iterable[HumanLabel]
) -> Iterator[AlternativeExample]:
    """Every rated alternative, once for each rating it got.

    Left out are null ratings, quality-control and screening questions, and completions that read like the
    step that was taken. An alternative that stands twice in a step with different ratings comes twice, once
    with each: together they say that it is doubtful.

    Raises:
        KeyError: if a label belongs to none of the solutions.
    """
    by_id = {solution.solution_id: solution for solution in solutions}
    seen: set[AlternativeExample] = set()
    for label in human_labels:
        if label.rating is None or label.is_quality_control or label.is_screening:
            continue
        solution, index, step = by_id[label.solution_id], label.step_index, label.completion.strip()
        if index < len(solution.steps) and solution.steps[index].step == step:
            continue
        prefix = tuple(span.step for span in solution.steps[:index])
        example = AlternativeExample(
            solution.problem_id, solution.solution_id, index, prefix, step, label.rating, label.source_line
        )
        if example not in seen:
            seen.add(example)
            yield example


def alternative_solutions(chunk: LabelImport, label_source: str) -> LabelImport:
    """The chunk's rated alternatives as unfinished solutions: the path so far and the alternative.

    Only the alternative itself is labeled, the path before it is labeled in its own solution. Where people
    gave one alternative different ratings it gets no label; the count is ``alternatives_conflicting``.
    """
    rated: dict[tuple[str, tuple[str, ...]], list[AlternativeExample]] = defaultdict(list)
    for example in alternative_examples(chunk.solutions, chunk.human_labels):
        rated[example.problem_id, (*example.prefix_steps, example.step)].append(example)
    result = LabelImport()
    for (problem_id, steps), examples in rated.items():
        rating, line = examples[0].rating, examples[0].source_line
        if any(example.rating != rating for example in examples):
            result.counts["alternatives_conflicting"] += 1
            continue
        text, spans = join_steps(list(steps))
        key = imported_solution_id(problem_id, SOURCE, text)
        result.solutions.append(
            ImportedSolution(key, problem_id, SOURCE, text, tuple(spans), source_line=line)
        )
        result.step_labels.append(
            StepLabel(key, len(spans) - 1, label_source, rating, None, source_line=line)
        )
        result.counts["alternatives"] += 1
    return result
