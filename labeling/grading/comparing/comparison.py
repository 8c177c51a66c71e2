"""Comparing two answers node by node.

Lists and sets compare without order, tuples with order, intervals with their brackets; a named value compares
with a bare one. Leaves out: single expressions (``scalars``) and equations (``relations``).
"""

import itertools
import re
from collections.abc import Sequence
from typing import cast

from stepmark.labeling.grading.reading.nodes import (
    Based,
    Braces,
    Brackets,
    Items,
    Matrix,
    Named,
    Node,
    Ratio,
    Relation,
    Scalar,
    Union,
    Words,
)
from stepmark.labeling.grading.reading.relations import as_set
from stepmark.labeling.grading.reading.text import read_words

from .algebra import Algebra
from .logic import all_of, any_of
from .relations import compare_relations
from .scalars import compare_expressions, compare_scalars, is_exact

_SYNONYMS = {
    "true": "yes", "false": "no", "no solutions": "no solution", "empty set": "no solution",
    "the empty set": "no solution", "empty": "no solution", "\\emptyset": "no solution",
    "dne": "does not exist", "undefined": "does not exist",
}  # fmt: skip
_MIN_UNAMBIGUOUS_TUPLE = 3  # [1, 2] is an interval, [1, 2, 3] can only be a tuple
_MAX_PAIRINGS = 2_500  # of unordered lists, in the calling process


class Comparison:
    """Compares nodes; without an algebra, undecided expressions make the result None."""

    def __init__(self, algebra: Algebra | None = None) -> None:
        self._algebra = algebra

    def equal(self, truth: Node, given: Node) -> bool | None:
        """Whether the given answer says what the ground truth says."""
        if isinstance(truth, Scalar) and isinstance(given, Scalar):
            return self._scalars(truth, given)
        for kind, compare in (
            (Named, self._named),
            (Relation, self._relations),
            (Words | Based, _same_words),
            (Matrix, self._matrices),
            (Ratio, _same_ratio),
        ):
            if isinstance(truth, kind) or isinstance(given, kind):
                return compare(truth, given)
        return self._collections(truth, given)

    def _scalars(self, truth: Scalar, given: Scalar) -> bool | None:
        is_equal = compare_scalars(truth, given)
        if is_equal is None and self._algebra is not None and truth.is_percent == given.is_percent:
            return self._algebra.equal(truth.latex, given.latex)
        return is_equal

    def _named(self, truth: Node, given: Node) -> bool | None:
        if isinstance(truth, Named) and isinstance(given, Named):
            return self._two_named(truth, given)
        named, other = (truth, given) if isinstance(truth, Named) else (given, truth)
        named = cast(Named, named)
        if isinstance(other, Relation):
            if named.equation is None:
                return False
            sides = (named.equation, other) if named is truth else (other, named.equation)
            return compare_relations(*sides, self.equal, self._algebra)
        pairs = _pair_by_pair(named) if isinstance(other, Items) else None
        values = _values(named) if pairs is None else [pairs]
        return any_of(self.equal(v, other) if named is truth else self.equal(other, v) for v in values)

    def _two_named(self, truth: Named, given: Named) -> bool | None:
        if truth.name and given.name and truth.name != given.name:
            if truth.equation is None or given.equation is None:
                return False
            return compare_relations(truth.equation, given.equation, self.equal, self._algebra)
        if truth.approximation and given.approximation:
            return self.equal(truth.value, given.value)
        return any_of(self.equal(a, b) for a in _values(truth) for b in _values(given))

    def _relations(self, truth: Node, given: Node) -> bool | None:
        if isinstance(truth, Relation) and isinstance(given, Relation):
            return compare_relations(truth, given, self.equal, self._algebra)
        relation, other = (truth, given) if isinstance(truth, Relation) else (given, truth)
        solved = as_set(cast(Relation, relation))
        if solved is None or not isinstance(other, Brackets | Union | Items):
            return False
        return self.equal(solved[1], other)

    def _matrices(self, truth: Node, given: Node) -> bool | None:
        if isinstance(truth, Matrix) and isinstance(given, Matrix):
            if [len(row) for row in truth.rows] != [len(row) for row in given.rows]:
                return False
            return self._in_order(_cells(truth), _cells(given))
        matrix, other = (truth, given) if isinstance(truth, Matrix) else (given, truth)
        matrix = cast(Matrix, matrix)
        if isinstance(other, Scalar) and not is_exact(other.latex):  # a product or sum of matrices
            return self._algebra.equal(matrix.latex, other.latex) if self._algebra else None
        is_column = all(len(row) == 1 for row in matrix.rows)
        return is_column and _is_tuple(other) and self._in_order(_cells(matrix), _parts(other))

    def _collections(self, truth: Node, given: Node) -> bool | None:
        kinds = {type(truth), type(given)}
        if kinds == {Brackets}:
            first, second = cast(Brackets, truth), cast(Brackets, given)
            same_kind = (first.opening, first.closing) == (second.opening, second.closing)
            are_comparable = same_kind or (_is_tuple(first) and _is_tuple(second))
            return are_comparable and self._in_order(first.items, second.items)
        if kinds == {Items, Brackets}:
            return _is_tuple(truth) and _is_tuple(given) and self._in_order(_parts(truth), _parts(given))
        if kinds <= {Items, Braces, Union}:
            return kinds != {Braces, Union} and self._lists(truth, given)
        if kinds == {Braces, Scalar}:
            left, right = _parts(truth), _parts(given)
            return len(left) == len(right) == 1 and self.equal(left[0], right[0])
        return False

    def _lists(self, truth: Node, given: Node) -> bool | None:
        left, right = _parts(truth), _parts(given)
        if len(left) * len(right) > _MAX_PAIRINGS and self._algebra is None:
            return None
        are_points = all(isinstance(part, Brackets) for part in [*left, *right])
        if are_points or isinstance(truth, Braces) or isinstance(given, Braces):
            left, right = self._distinct(left), self._distinct(right)
        left_named, right_named = (all(isinstance(part, Named) for part in side) for side in (left, right))
        if left_named != right_named and _are_different_names(left if left_named else right):
            return self._in_order(left, right)
        if left_named != right_named:
            left, right = _unnamed(left), _unnamed(right)
        if all(isinstance(part, Words) for part in [*left, *right]):
            return self._in_order(left, right)
        return self._in_any_order(left, right)

    def _distinct(self, parts: list[Node]) -> list[Node]:
        kept: list[Node] = []
        for part in parts:
            if not any(self.equal(part, other) for other in kept):
                kept.append(part)
        return kept

    def _in_order(self, left: Sequence[Node], right: Sequence[Node]) -> bool | None:
        if len(left) != len(right):
            return False
        return all_of(self.equal(a, b) for a, b in zip(_unnamed(left), _unnamed(right), strict=True))

    def _in_any_order(self, left: Sequence[Node], right: Sequence[Node]) -> bool | None:
        """Each part needs its own partner. Equality is transitive, so the first partner found will do."""
        if len(left) != len(right):
            return False
        free = list(right)
        is_unsure = False
        for part in left:
            results = [self.equal(part, other) for other in free]
            if True in results:
                del free[results.index(True)]
            elif None in results:
                is_unsure = True
            else:
                return False
        return None if is_unsure else True


def _values(named: Named) -> list[Node]:
    return [named.value] if named.approximation is None else [named.value, named.approximation]


def _unnamed(parts: Sequence[Node]) -> list[Node]:
    return [part.value if isinstance(part, Named) else part for part in parts]


def _pair_by_pair(named: Named) -> Items | None:
    """``(x, y) = (1, 2)`` as ``x = 1, y = 2``."""
    names = re.fullmatch(r"\(([^()]*)\)", named.name or "")
    if not names or not isinstance(named.value, Brackets):
        return None
    parts = names[1].split(",")
    if len(parts) != len(named.value.items):
        return None
    return Items(tuple(Named(name, value) for name, value in zip(parts, named.value.items, strict=True)))


def _same_words(truth: Node, given: Node) -> bool:
    if isinstance(truth, Based) or isinstance(given, Based):
        return truth == given
    if isinstance(truth, Ratio) or isinstance(given, Ratio):
        return _same_clock(truth, given)
    texts = [
        node.words if isinstance(node, Words) else read_words(node.latex).words
        for node in (truth, given)
        if isinstance(node, Words | Scalar)
    ]
    return len(texts) == 2 and len({_SYNONYMS.get(text, text) for text in texts}) == 1


def _same_clock(truth: Node, given: Node) -> bool:
    """``8:34 p.m.`` and ``8:34``: the half of the day may be left out."""
    words, ratio = (truth, given) if isinstance(truth, Words) else (given, truth)
    if not isinstance(words, Words) or not isinstance(ratio, Ratio):
        return False
    return ":".join(item.latex for item in ratio.items if isinstance(item, Scalar)) == words.words[:-2]


def _same_ratio(truth: Node, given: Node) -> bool | None:
    terms = [node.items if isinstance(node, Ratio) else (node, Scalar("1")) for node in (truth, given)]
    latex = [[item.latex for item in items if isinstance(item, Scalar)] for items in terms]
    if not len(latex[0]) == len(latex[1]) == len(terms[0]) == len(terms[1]):
        return False
    neighbours = zip(itertools.pairwise(latex[0]), itertools.pairwise(latex[1]), strict=True)
    return all_of(compare_expressions(f"({a})({y})", f"({b})({x})") for (a, b), (x, y) in neighbours)


def _cells(matrix: Matrix) -> list[Node]:
    return [cell for row in matrix.rows for cell in row]


def _is_tuple(node: Node) -> bool:
    if isinstance(node, Brackets):
        brackets = (node.opening, node.closing)
        return brackets == ("(", ")") or (
            brackets == ("[", "]") and len(node.items) >= _MIN_UNAMBIGUOUS_TUPLE
        )
    return isinstance(node, Items)


def _parts(node: Node) -> list[Node]:
    """The parts of a collection; inequalities become the intervals they describe."""
    if isinstance(node, Union):
        parts: tuple[Node, ...] = node.parts
    else:
        parts = node.items if isinstance(node, Items | Braces | Brackets) else (node,)
    solved = [as_set(part) for part in parts if isinstance(part, Relation)]
    intervals = [found for found in solved if found is not None]
    if len(intervals) == len(parts) and len({variable for variable, _ in intervals}) == 1:
        return [interval for _, interval in intervals]
    return list(parts)


def _are_different_names(parts: Sequence[Node]) -> bool:
    """True for x and y, whose values have an order; False for x_1 and x_2, which list the values of x."""
    letters = {re.sub(r"_\w+", "", part.name or "") for part in parts if isinstance(part, Named)}
    return len(letters) > 1
