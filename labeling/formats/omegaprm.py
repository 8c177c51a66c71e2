r"""OmegaPRM as openr writes it: a search tree whose nodes have Monte-Carlo values, as prefixes or as a tree.

Rows, cut short; the tree may also stand alone, its root being the question::

    {"question": "...", "final_answer": "64", "question_id": 2, "reasoning_steps": [
      {"solution_prefix": "<question>", "mc_value": 0.75},
      {"solution_prefix": "<question>\n\nFirst ...", "mc_value": 1.0},
      {"solution_prefix": "<question>\n\nFirst ...\n\nThen ...", "mc_value": 0.5}]}
    {"question": "...", "final_answer": "64", "reasoning_steps":
      {"text": "<question>", "mc_value": 0.75, "children": [
        {"text": "First ...", "mc_value": 1.0, "children": [...]}]}}

The list is no path: prefixes branch. Every prefix that no other one goes on from is a solution (as far as it
was written), and its steps are what each prefix on the way adds to the one before. A step's value is that of
the prefix that ends with it; a value of null is unknown. A prefix estimated several times has the mean of its
values: each search sampled as many rollouts, but how many is not published, so the counts stay unknown.
Written, a problem is a row of prefixes, all its solutions in one tree. Where the tree would not come back as
the same solutions with the same values (one solution is the beginning of another, or two value one prefix
differently), each solution gets a row of its own.
Leaves out: the value of the bare question. Writing leaves out ratings (a step without a value gets the one
that its rating stands for), counts and intervals.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import fmean

from stepmark.labeling.formats.io.fields import (
    RowError,
    as_object,
    has_fields,
    list_of,
    number_text,
    object_of,
    text_of,
    value_of,
)
from stepmark.labeling.formats.io.json_values import JsonObject

from .format import Format, Writer
from .reading import LabeledSolution, label_problem, labeled, solution_of
from .writing import UNREADABLE, ExportedSolution, ExportOptions, ExportTally, Row, read_back

SOURCE = "omegaprm"
_NO_VALUE = "solutions left out: no step has a value"
_Path = tuple[str, ...]  # the steps from the question to a node


def read_row(row: JsonObject, split: str) -> list[LabeledSolution]:
    """One row as the solutions of its tree with labels of source "omegaprm"; ratings are unknown.

    Raises:
        RowError: if a prefix does not begin with the question, a value is not in [0, 1], or no step is left.
    """
    if "reasoning_steps" not in row and "children" in row:
        row = {"question": row.get("text"), "reasoning_steps": row}
    question = text_of(row, "question").strip()
    is_tree = isinstance(row.get("reasoning_steps"), dict)
    leaves, values = _tree(row, question) if is_tree else _prefixes(row, question)
    problem = label_problem(question, SOURCE, split, number_text(row, "final_answer"))
    solutions = []
    for leaf in leaves:
        path_values = [_mean(values[leaf[:end]]) for end in range(1, len(leaf) + 1)]
        solution = solution_of(problem, SOURCE, leaf)
        solutions.append(labeled(problem, solution, SOURCE, [None] * len(leaf), path_values))
    if not solutions:
        raise RowError("reasoning_steps holds no step, only the question")
    if not any(labels.step_labels for labels in solutions):
        raise RowError("reasoning_steps holds no mc_value but null: no step is labeled")
    return solutions


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def _prefixes(row: JsonObject, question: str) -> tuple[list[_Path], dict[_Path, list[float]]]:
    """The leaves of a list of prefixes, and the values of each node, the bare question aside."""
    values: dict[str, list[float]] = {}
    for index, item in enumerate(list_of(row, "reasoning_steps")):
        where = f"reasoning_steps[{index}]"
        node = as_object(item, where)
        prefix = text_of(node, "solution_prefix", f"{where}.").strip()
        if not prefix.startswith(question):
            raise RowError(f"{where}.solution_prefix does not begin with the question")
        value = _value(node, where)
        if prefix != question:
            values.setdefault(prefix, []).extend([] if value is None else [value])
    leaves: list[_Path] = []
    path_of: dict[str, _Path] = {}
    for chain in _chains(sorted(values)):
        ends = [len(question), *(len(prefix) for prefix in chain)]
        leaf = tuple(prefix[start:].strip() for start, prefix in zip(ends[:-1], chain, strict=True))
        leaves.append(leaf)
        path_of |= {prefix: leaf[: place + 1] for place, prefix in enumerate(chain)}
    values_of: dict[_Path, list[float]] = {}
    for prefix, path in path_of.items():  # two prefixes that differ in white space only are one node
        values_of.setdefault(path, []).extend(values[prefix])
    return list(dict.fromkeys(leaves)), values_of


def _chains(prefixes: list[str]) -> list[list[str]]:
    """For each prefix that no other one continues, the prefixes on the way to it; ``prefixes`` are sorted."""
    chains = []
    chain: list[str] = []
    for index, prefix in enumerate(prefixes):
        while chain and not _continues(prefix, chain[-1]):
            chain.pop()
        chain.append(prefix)
        if index + 1 == len(prefixes) or not _continues(prefixes[index + 1], prefix):
            chains.append(list(chain))
    return chains


def _continues(text: str, prefix: str) -> bool:
    # White space must follow: "x = 20" does not go on from "x = 2". It sorts before letters and digits, so
    # the prefixes that go on from one stand right behind it.
    return text.startswith(prefix) and text[len(prefix) : len(prefix) + 1].isspace()


def _tree(row: JsonObject, question: str) -> tuple[list[_Path], dict[_Path, list[float]]]:
    """The leaves of a tree, and the values of its nodes without the root; siblings of one text are one."""
    root = object_of(row, "reasoning_steps")
    if text_of(root, "text", "reasoning_steps.").strip() != question:
        raise RowError("reasoning_steps.text is not the question")
    values: dict[_Path, list[float]] = {}
    has_children: set[_Path] = set()
    waiting: list[tuple[JsonObject, _Path, str]] = [(root, (), "reasoning_steps")]
    while waiting:
        node, path, where = waiting.pop()
        value = _value(node, where)
        if path:
            values.setdefault(path, []).extend([] if value is None else [value])
        children = list_of(node, "children", f"{where}.") if node.get("children") is not None else []
        for index, item in reversed(list(enumerate(children))):
            below = f"{where}.children[{index}]"
            child = as_object(item, below)
            text = child.get("text")
            if isinstance(text, str) and not text.strip():
                waiting.append((child, path, below))  # adds nothing: a rollout that was empty
                continue
            has_children.add(path)
            waiting.append((child, (*path, text_of(child, "text", f"{below}.").strip()), below))
    return [path for path in values if path not in has_children], values


def _value(node: JsonObject, where: str) -> float | None:
    if "mc_value" not in node:
        raise RowError(f"{where}.mc_value is missing")
    return value_of(node["mc_value"], f"{where}.mc_value")


def write_rows(
    solutions: Iterable[ExportedSolution], options: ExportOptions, tally: ExportTally
) -> Iterator[Row]:
    """A row a problem, or a solution; ``solutions`` come problem by problem."""
    for _, of_problem in groupby(solutions, key=lambda one: one.problem.problem_id):
        valued = []
        for one in of_problem:
            if any(value is not None for value in one.values):
                valued.append(one)
            else:
                tally.reasons[_NO_VALUE] += 1
        if not valued:
            continue
        tree = _row(valued)
        if _reads_back(tree, valued):
            yield tree
            continue
        for one in valued:
            alone = _row([one])
            if _reads_back(alone, [one]):
                yield alone
            else:
                tally.reasons[UNREADABLE] += 1


def _row(solutions: Sequence[ExportedSolution]) -> Row:
    nodes = dict.fromkeys(node for one in solutions for node in _prefixes_and_values(one))
    return {
        "question": solutions[0].problem.problem,
        "final_answer": solutions[0].problem.ground_truth_answer,
        "reasoning_steps": [{"solution_prefix": prefix, "mc_value": value} for prefix, value in nodes],
    }


def _prefixes_and_values(one: ExportedSolution) -> list[tuple[str, float | None]]:
    prefix, nodes = one.problem.problem.strip(), []
    for step, value in zip(one.steps, one.values, strict=True):
        prefix += "\n\n" + step
        nodes.append((prefix, value))
    return nodes


def _reads_back(row: Row, solutions: Sequence[ExportedSolution]) -> bool:
    written = {
        (tuple(one.steps), tuple((i, value) for i, value in enumerate(one.values) if value is not None))
        for one in solutions
    }
    return written == {
        (
            tuple(span.step for span in one.solution.steps),
            tuple((label.step_index, label.value) for label in one.step_labels),
        )
        for one in read_back(row, read_row, solutions[0].problem.split)
    }


def _matches(row: JsonObject) -> bool:
    is_bare_tree = has_fields(row, text=str, children=list) and "mc_value" in row
    return is_bare_tree or isinstance(row.get("reasoning_steps"), list | dict)


FORMAT = Format(
    name=SOURCE,
    matches=_matches,
    read_row=read_row,
    writer=Writer(rows=write_rows, is_by_problem=True, place=60),
    place=60,
)
