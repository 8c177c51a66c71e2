r"""Comparing equations and inequalities: ``2x + 4y = 6`` and ``x = 3 - 2y``, ``x < 1`` and ``-x > -1``.

Leaves out: definitions such as ``x = 5``, which ``comparison`` treats as named values.
"""

import re
from collections.abc import Callable

from stepmark.labeling.grading.reading.nodes import Node, Relation, Scalar
from stepmark.labeling.grading.reading.relations import MIRRORED, as_set

from .algebra import Algebra
from .logic import all_of, any_of
from .scalars import ratio_of_differences

Compare = Callable[[Node, Node], bool | None]


def compare_relations(
    left: Relation, right: Relation, equal: Compare, algebra: Algebra | None
) -> bool | None:
    """Whether two relations say the same: side by side, as intervals, or up to a constant factor."""
    side_by_side = [
        all_of(_same_side(a, b, equal) for a, b in zip(left.sides, sides, strict=True))
        for sides, operators in _orientations(right)
        if operators == left.operators and len(sides) == len(left.sides)
    ]
    if True in side_by_side:
        return True
    first, second = as_set(left), as_set(right)
    if first and second:
        return first[0] == second[0] and equal(first[1], second[1])
    if len(left.sides) == len(right.sides) == 2:
        return _proportional(left, right, algebra)
    return any_of(side_by_side)


def _same_side(left: str, right: str, equal: Compare) -> bool | None:
    if re.sub(r"\s", "", left) == re.sub(r"\s", "", right):
        return True
    return equal(Scalar(left), Scalar(right))


def _orientations(relation: Relation) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    mirrored = tuple(MIRRORED.get(operator, operator) for operator in reversed(relation.operators))
    return [(relation.sides, relation.operators), (tuple(reversed(relation.sides)), mirrored)]


def _proportional(left: Relation, right: Relation, algebra: Algebra | None) -> bool | None:
    """Whether the differences of the sides differ by a constant factor; a negative one turns inequalities."""
    exact = ratio_of_differences(left, right)
    factor = None if exact is None else float(exact)
    if factor is None and algebra is not None:
        factor = algebra.ratio(*(f"({r.sides[0]}) - ({r.sides[1]})" for r in (left, right)))
    if factor is None:
        return None
    expected = left.operators if factor > 0 else tuple(MIRRORED.get(o, o) for o in left.operators)
    return factor != 0 and right.operators == expected
