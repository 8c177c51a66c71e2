"""Rated completions beside the path, as training examples of their own: a prefix and one next step.

People rated about four alternatives for each step they took; a solution's StepLabels show only the one taken.
Leaves out: the completions on the path, which the StepLabels cover.
"""

from stepmark.labeling.ids import imported_solution_id
from stepmark.labeling.records import StepLabel
from stepmark.labeling.steps import StepSpan

from .common import ImportedSolution, LabelImport, RowOfAlternative

SOURCE = "alternative"


class AlternativeSolutions:
    """The rated alternatives of a file as unfinished solutions: the path so far and the alternative.

    Left out are null ratings, quality-control and screening questions, and completions that read like the
    step that was taken.
    Only the alternative itself is a step of it, and labeled: the path before it has its steps and labels in
    its own solution. (With them, five of six rows of steps would be copies.) ``conflicting`` holds the ids of
    those that people gave different ratings: whoever stores the rows leaves them out. As that may show in
    the last line only, nothing is to be stored before all chunks were read.
    """

    def __init__(self, label_source: str) -> None:
        self.conflicting: set[str] = set()
        self._label_source = label_source
        self._ratings: dict[str, int] = {}

    def of_chunk(self, chunk: LabelImport) -> LabelImport:
        """The alternatives in a chunk that no chunk before it had, each with its rating; and all rows."""
        by_id = {solution.solution_id: solution for solution in (*chunk.solutions, *chunk.earlier_solutions)}
        rows = {(one.solution_id, one.rater): one.row for one in chunk.raters if not one.is_repeated}
        result = LabelImport()
        for label in chunk.human_labels:
            rating, index = label.rating, label.step_index
            if rating is None or label.is_quality_control or label.is_screening:
                continue
            solution, step = by_id[label.solution_id], label.completion.strip()
            if index < len(solution.steps) and solution.steps[index].step == step:
                continue
            text, span = _continued(solution, index, step)
            key = imported_solution_id(solution.problem_id, SOURCE, text)
            row = rows[label.solution_id, label.labeler]
            result.rows_of_alternatives.append(RowOfAlternative(row, key))
            known = self._ratings.get(key)
            if known is None:
                self._ratings[key] = rating
                line = label.source_line
                result.solutions.append(
                    ImportedSolution(
                        key,
                        solution.problem_id,
                        SOURCE,
                        text,
                        (span,),
                        source_line=line,
                        first_step_index=index,
                    )
                )
                result.step_labels.append(
                    StepLabel(key, index, self._label_source, rating, None, source_line=line)
                )
            elif known != rating:
                self.conflicting.add(key)
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
