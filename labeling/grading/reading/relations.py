r"""Relations in answers: definitions (``x = 5``), equations, inequalities, and the intervals they describe.

Leaves out: comparing them (``comparing.relations``).
"""

import re
from collections.abc import Callable

from stepmark.labeling.grading.arithmetic.latex_expressions import read_exact
from stepmark.labeling.grading.arithmetic.sums import NotExactError

from .brackets import depths
from .nodes import Brackets, Named, Node, Relation, Scalar, Union

_OPERATOR = re.compile(r"\\(?:le|ge|ne|approx|equiv|sim|simeq)(?![a-zA-Z])|[<>=]")
_SPELLING = {"\\le": "<=", "\\ge": ">=", "\\ne": "!=", "\\approx": "~", "\\sim": "~", "\\simeq": "~"}
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "\\equiv": "\\equiv"}
_SUBSCRIPT = re.compile(r"_\s*(?:\{[^{}]*\}|\w)")
_CALL = re.compile(r"(?<=[A-Za-z'}])\s*\([^()]*\)")
_NAME_COMMANDS = re.compile(
    r"\\(?:angle|triangle|overline|overrightarrow|vec|hat|frac|text|left|right|alpha|beta|gamma|delta|theta"
    r"|lambda|mu|phi|varphi|omega|sigma|rho|tau|ell|Delta|operatorname|measuredangle|mathcal|cdot|lvert|rvert"
    r"|prime)(?![a-zA-Z])"
)
_NAME = re.compile(r"[A-Za-z|(){},:'\s/]*")
_FUNCTION_WORDS = re.compile(r"(?<![A-Za-z])(?:sin|cos|tan|log|ln|exp|sqrt)(?![A-Za-z])")


def is_name(text: str) -> bool:
    r"""True for what a definition gives a value to: ``x``, ``f(2)``, ``|AB|``, ``(p, q)``, ``V_1:V_2``.

    >>> is_name("f(x)"), is_name("2x + z")
    (True, False)
    """
    plain = _NAME_COMMANDS.sub("", _CALL.sub("", _SUBSCRIPT.sub("", text)))
    if not re.search("[A-Za-z]", plain) and not re.search(r"\\[a-zA-Z]", text):
        return False
    return _NAME.fullmatch(plain) is not None and not _FUNCTION_WORDS.search(plain)


def is_constant(text: str) -> bool:
    """True if the text holds no variable."""
    try:
        return not read_exact(text).names
    except NotExactError:
        return re.search(r"(?<![a-zA-Z\\])[a-zA-Z](?![a-zA-Z])", re.sub(r"\\[a-zA-Z]+", " ", text)) is None


def read_chain(text: str, read: Callable[[str], Node]) -> Node | None:
    r"""A definition or relation, or None if no relation sign stands outside brackets."""
    sides, operators = _split(text)
    if not operators or len(sides) != len(operators) + 1 or not all(sides[1:]):
        return None
    if not sides[0]:
        return read(sides[-1]) if operators[0] in ("=", "~") else None
    if set(operators) <= {"=", "~"}:
        return _definition(sides, operators, read) or Relation(tuple(sides), tuple(operators))
    return Relation(tuple(sides), tuple(operators))


def _split(text: str) -> tuple[list[str], list[str]]:
    around = depths(text)
    sides, operators = [], []
    start = 0
    for match in _OPERATOR.finditer(text):
        if around[match.start()] == 0:
            sides.append(text[start : match.start()].strip())
            operators.append(_SPELLING.get(match.group(), match.group()))
            start = match.end()
    return [*sides, text[start:].strip()], operators


def _definition(sides: list[str], operators: list[str], read: Callable[[str], Node]) -> Node | None:
    last_exact = operators.index("~") if "~" in operators else len(operators)
    if is_name(sides[0]):
        name, value = sides[0], sides[max(last_exact, 1)]
    elif len(sides) == 2 and operators == ["="] and is_name(sides[1]):
        name, value = sides[1], sides[0]
    elif all(is_constant(side) for side in sides):
        name, value = "", sides[last_exact]
    else:
        return None
    approximation = read(sides[-1]) if "~" in operators else None
    equation = Relation((sides[0], sides[-1]), ("=",)) if len(sides) == 2 and operators == ["="] else None
    return Named(_plain(name) or None, read(value), approximation, equation)


def as_set(relation: Relation) -> tuple[str, Node] | None:
    r"""The variable and its interval (``2 < x \le 5``) or union (``x \ne 5``); None for other relations."""
    sides, operators = list(relation.sides), list(relation.operators)
    if operators == ["!="] and is_name(sides[0]) and is_constant(sides[1]):
        below, above = _interval("-\\infty", "<", "<", sides[1]), _interval(sides[1], "<", "<", "\\infty")
        return _plain(sides[0]), Union((below, above))
    if operators[0].startswith(">"):
        sides.reverse()
        operators = [MIRRORED[operator] for operator in reversed(operators)]
    if not set(operators) <= {"<", "<="} or len(sides) > 3:
        return None
    if len(sides) == 2 and is_name(sides[0]) and is_constant(sides[1]):
        return _plain(sides[0]), _interval("-\\infty", "<", operators[0], sides[1])
    if len(sides) == 2 and is_name(sides[1]) and is_constant(sides[0]):
        return _plain(sides[1]), _interval(sides[0], operators[0], "<", "\\infty")
    if len(sides) == 3 and is_name(sides[1]) and is_constant(sides[0]) and is_constant(sides[2]):
        return _plain(sides[1]), _interval(sides[0], operators[0], operators[1], sides[2])
    return None


def _interval(low: str, from_low: str, to_high: str, high: str) -> Brackets:
    opening, closing = ("[" if from_low == "<=" else "("), ("]" if to_high == "<=" else ")")
    return Brackets(opening, closing, (Scalar(low), Scalar(high)))


def _plain(name: str) -> str:
    return re.sub(r"\s|\\left|\\right|[{}]", "", name)
