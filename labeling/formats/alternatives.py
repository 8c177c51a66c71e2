"""Rated completions beside the path, as training examples of their own: a prefix and one next step.

People rated about four alternatives for each step they took; a solution's StepLabels show only the one taken.
Leaves out: the completions on the path, which the StepLabels cover.
"""

from stepmark.labeling.ids import imported_solution_id
from stepmark.labeling.steps import StepSpan
from stepmark.labeling.vocabulary import ALTERNATIVE

from .reading import ImportedSolution, LabelImport, RatedAlternative


class AlternativeSolutions:
    """The rated alternatives of a file as unfinished solutions: the path so far and the alternative.

    Left out are null ratings, quality-control and screening questions, and completions that read like the
    step that was taken. Only the alternative itself is a step of it: the path before it has its steps in its
    own solution. (With them, five of six rows of steps would be copies.) Which rating it has, if people
    agree, only those know who have seen all the rows that are kept.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def of_chunk(self, chunk: LabelImport) -> LabelImport:
        """The alternatives in a chunk that no chunk before it had, and every rating of any."""
        by_id = {solution.solution_id: solution for solution in (*chunk.solutions, *chunk.earlier_solutions)}
        lines = {
            (one.solution_id, one.label_author): one
            for one in chunk.labeled_lines
            if one.is_labeler and not one.is_repeated
        }
        result = LabelImport()
        for label in chunk.human_labels:
            rating, index = label.rating, label.step_index
            if rating is None or label.is_quality_control or label.is_screening:
                continue
            solution, step = by_id[label.solution_id], label.completion.strip()
            if index < len(solution.steps) and solution.steps[index].step == step:
                continue
            text, span = _continued(solution, index, step)
            key = imported_solution_id(solution.problem_id, ALTERNATIVE, text)
            row, line, *_ = lines[label.solution_id, label.labeler]
            result.rated_alternatives.append(RatedAlternative(row, line, key, index, rating))
            if key not in self._seen:
                self._seen.add(key)
                result.solutions.append(
                    ImportedSolution(
                        solution_id=key,
                        problem_id=solution.problem_id,
                        source=ALTERNATIVE,
                        solution=text,
                        steps=(span,),
                        source_line=line,
                        first_step_index=index,
                    )
                )
        return result


def _continued(solution: ImportedSolution, index: int, step: str) -> tuple[str, StepSpan]:
    """The first ``index`` steps without outer white space and ``step`` after them, joined by newlines; and
    where that step is.
    """
    before, num_chars = solution.steps[:index], len(solution.solution)
    if not before:
        path = ""
    elif all(end - start - len(text) == (end < num_chars) for start, end, text in before):
        path = solution.solution[: before[-1].char_end].removesuffix("\n") + "\n"
    else:
        path = "\n".join([span.step for span in before]) + "\n"
    return path + step, StepSpan(len(path), len(path) + len(step), step)
