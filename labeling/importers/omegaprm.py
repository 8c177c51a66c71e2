r"""OmegaPRM as openr writes it: the prefixes of a search tree, each with its Monte-Carlo value.

A row, cut short::

    {"question": "...", "final_answer": "64", "question_id": 2, "reasoning_steps": [
      {"solution_prefix": "<question>", "mc_value": 0.75},
      {"solution_prefix": "<question>\n\nFirst ...", "mc_value": 1.0},
      {"solution_prefix": "<question>\n\nFirst ...\n\nThen ...", "mc_value": 0.5}]}

The list is no path: prefixes branch. Every prefix that no other one goes on from is a solution (as far as it
was written), and its steps are what each prefix on the way adds to the one before. A step's value is that of
the prefix that ends with it. A prefix estimated several times has the mean of its values: each search sampled
as many rollouts, but how many is not published, so the counts stay unknown.
Leaves out: the value of the bare question.
"""

from statistics import fmean

from .common import LabeledSolution, label_problem, labeled, solution_of
from .fields import RowError, list_of, optional_text, shown, text_of, value_of
from .json_values import JsonObject

SOURCE = "omegaprm"


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as the solutions of its tree with labels of source "omegaprm"; ratings are unknown.

    Raises:
        RowError: if a prefix does not begin with the question, a value is not in [0, 1], or no step is left.
    """
    question = text_of(row, "question").strip()
    values = _values(row, question)
    problem = label_problem(question, SOURCE, split, optional_text(row, "final_answer"))
    solutions = []
    for path in _paths(sorted(values)):
        ends = [len(text) for text in path]
        starts = [len(question), *ends[:-1]]
        steps = [path[-1][start:end].strip() for start, end in zip(starts, ends, strict=True)]
        solution = solution_of(problem, SOURCE, steps)
        path_values = [fmean(values[text]) for text in path]
        solutions.append(labeled(problem, solution, SOURCE, [None] * len(steps), path_values))
    if not solutions:
        raise RowError("reasoning_steps holds no step, only the question")
    return solutions


def _values(row: JsonObject, question: str) -> dict[str, list[float]]:
    """The values of each distinct prefix, the bare question aside."""
    values: dict[str, list[float]] = {}
    for index, node in enumerate(list_of(row, "reasoning_steps")):
        where = f"reasoning_steps[{index}]"
        if not isinstance(node, dict):
            raise RowError(f"{where} is {shown(node)}, not an object")
        prefix = text_of(node, "solution_prefix", f"{where}.").strip()
        if not prefix.startswith(question):
            raise RowError(f"{where}.solution_prefix does not begin with the question")
        value = value_of(node.get("mc_value"), f"{where}.mc_value")
        if value is None:
            raise RowError(f"{where}.mc_value is missing")
        if prefix != question:
            values.setdefault(prefix, []).append(value)
    return values


def _paths(prefixes: list[str]) -> list[list[str]]:
    """For each prefix that no other one continues, the prefixes on the way to it; ``prefixes`` are sorted."""
    paths = []
    path: list[str] = []
    for index, prefix in enumerate(prefixes):
        while path and not _continues(prefix, path[-1]):
            path.pop()
        path.append(prefix)
        if index + 1 == len(prefixes) or not _continues(prefixes[index + 1], prefix):
            paths.append(list(path))
    return paths


def _continues(text: str, prefix: str) -> bool:
    # White space must follow: "x = 20" does not go on from "x = 2". It sorts before letters and digits, so
    # the prefixes that go on from one stand right behind it.
    return text.startswith(prefix) and text[len(prefix) : len(prefix) + 1].isspace()
