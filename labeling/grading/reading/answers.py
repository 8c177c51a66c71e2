r"""Taking an answer apart: lists, tuples, intervals, sets, unions, matrices, relations, names, units, text.

Reads a normalised answer into nodes whose leaves are ``Scalar`` (one expression) and ``Words`` (text).
Leaves out: what makes two answers equal (``comparing``).
"""

import re
from functools import lru_cache

from .brackets import is_wrapped, split_top_level
from .nodes import Braces, Brackets, Items, Matrix, Named, Node, Ratio, Scalar, Union, Words
from .normalize import join_thousands, strip_outer
from .relations import read_chain
from .text import read_clock, read_numeral, read_phrase, without_text_command
from .units import split_unit

MAX_ANSWER_CHARS = 2_000
_MAX_DEPTH = 12
_WORD_SEPARATOR = re.compile(
    r",?\s*\\text\s*\{\s*,?\s*(?:and|or)\s*\}\s*,?|,?\s*(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])\s*,?"
    r"|\\(?:text\{\s*,\s*\}|ldots|lor(?![a-z])|land(?![a-z])|vee(?![a-z])|wedge(?![a-z]))|,?\s*\\text\{\s*,\s*(?:and|or)\s*\}"
)
_TEXT_ONLY = re.compile(r"(?:\\text\s*\{([^{}]*)\}|([().,\s]))+")
_MEMBER = re.compile(r"\\?[a-zA-Z](?:\([a-z]\))?\s*\\in(?![a-z])\s*(?P<rest>.+)", re.DOTALL)
_MATRIX = re.compile(
    r"\\begin\{(?P<kind>[pbB]?(?:small)?matrix|array)\}(?:\s*\{[clr|\s]*\})?(?P<body>.*)\\end\{(?P=kind)\}",
    re.DOTALL,
)


@lru_cache(maxsize=20_000)
def read_answer(text: str, depth: int = 0) -> Node:
    r"""The structure of a normalised answer.

    >>> read_answer("x = 5").name, read_answer("(1, 2]").closing
    ('x', ']')
    """
    text = strip_outer(text)
    if depth > _MAX_DEPTH or len(text) > MAX_ANSWER_CHARS:
        return Scalar(text)
    return (
        _read_text(text, depth)
        or _read_list(text, depth)
        or _read_union(text, depth)
        or _read_relation(text, depth)
        or _read_enclosed(text, depth)
        or _read_ratio(text, depth)
        or _read_scalar(text)
    )


def _read_text(text: str, depth: int) -> Node | None:
    special = read_clock(text) or read_numeral(text)
    if special is not None:
        return special
    if _TEXT_ONLY.fullmatch(text):
        return read_answer(without_text_command(text), depth + 1)
    phrase = read_phrase(text)
    return None if phrase is None or _WORD_SEPARATOR.search(text) else phrase


def _read_list(text: str, depth: int) -> Node | None:
    text = _WORD_SEPARATOR.sub(", ", text)
    number = split_unit(text)[0].rstrip("%").rstrip()
    if join_thousands(number) != number:
        return None
    groups = split_top_level(text, ";")
    if len(groups) > 1:
        return Items(_flat([_as_tuple(read_answer(group, depth + 1)) for group in groups]))
    parts = split_top_level(text, ",")
    if len(parts) < 2:
        return None if parts == [text] else (read_answer(parts[0], depth + 1) if parts else None)
    return _group_names(_flat([read_answer(part, depth + 1) for part in parts]))


def _flat(nodes: list[Node]) -> tuple[Node, ...]:
    """Nested bare lists opened; ``x = 1, 2`` from a plus-minus becomes two named values."""
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Items):
            result.extend(node.items)
        elif isinstance(node, Named) and isinstance(node.value, Items):
            result.extend(Named(node.name, value) for value in node.value.items)
        else:
            result.append(node)
    return tuple(result)


def _as_tuple(node: Node) -> Node:
    if isinstance(node, Items) and all(isinstance(item, Named) for item in node.items):
        names = [item.name for item in node.items if isinstance(item, Named)]
        if len(set(names)) == len(names) > 1:
            return Brackets("(", ")", tuple(i.value for i in node.items if isinstance(i, Named)))
    return node


def _group_names(items: tuple[Node, ...]) -> Node:
    r"""``a = 4, 5`` lists values of a; ``p = 1, q = 2, p = 3, q = 4`` lists two pairs."""
    named = [item for item in items if isinstance(item, Named)]
    if isinstance(items[0], Named) and len(named) == 1:
        return Items(_flat([items[0].value, *items[1:]]))
    names = [item.name for item in named]
    period = len(set(names))
    if len(named) == len(items) > period > 1 and len(items) % period == 0:
        starts = range(0, len(items), period)
        if all(names[start : start + period] == names[:period] for start in starts):
            return Items(
                tuple(Brackets("(", ")", tuple(n.value for n in named[s : s + period])) for s in starts)
            )
    return Items(items)


def _read_union(text: str, depth: int) -> Node | None:
    parts = split_top_level(text, "\\cup")
    if len(parts) < 2:
        return None
    return Union(tuple(read_answer(part, depth + 1) for part in parts))


def _read_relation(text: str, depth: int) -> Node | None:
    member = _MEMBER.fullmatch(text)
    if member:
        return read_answer(member["rest"], depth + 1)
    return read_chain(text, lambda side: read_answer(side, depth + 1))


def _read_enclosed(text: str, depth: int) -> Node | None:
    matrix = _MATRIX.fullmatch(text)
    if matrix and "\\begin" not in matrix["body"]:
        rows = [row for row in re.split(r"\\\\|\\cr(?![a-z])", matrix["body"]) if row.strip()]
        return Matrix(tuple(tuple(read_answer(c, depth + 1) for c in row.split("&")) for row in rows), text)
    if text.startswith("\\{") and text.endswith("\\}") and is_wrapped(text, 2):
        inner = text[2:-2]
        if re.search(r"(?<!\\)[:|]|\\mid(?![a-z])", inner):
            condition = re.split(r"(?<!\\)[:|]|\\mid(?![a-z])", inner, maxsplit=1)[1]
            return read_answer(condition, depth + 1)
        node = read_answer(inner, depth + 1)
        return Braces(node.items if isinstance(node, Items) else (node,))
    if text[:1] in ("(", "[") and text[-1:] in (")", "]") and is_wrapped(text, 1):
        parts = split_top_level(text[1:-1], ",") if "," in text else split_top_level(text[1:-1], ";")
        if len(parts) < 2:
            return read_answer(text[1:-1], depth + 1)
        return Brackets(text[0], text[-1], tuple(read_answer(part, depth + 1) for part in parts))
    return None


def _read_ratio(text: str, depth: int) -> Node | None:
    parts = split_top_level(text, ":")
    if len(parts) < 2:
        return None
    if text.startswith("0"):
        return Words(text.lstrip("0").replace(" ", ""))
    return Ratio(tuple(read_answer(part, depth + 1) for part in parts))


def _read_scalar(text: str) -> Node:
    body, unit = split_unit(text)
    is_percent = body.endswith("%")
    body = join_thousands(strip_outer(body.rstrip("%").strip()))
    if "\\pm" in body or "\\mp" in body:
        upper = body.replace("\\pm", "+").replace("\\mp", "-")
        lower = body.replace("\\pm", "-").replace("\\mp", "+")
        return Items((Scalar(upper, is_percent, unit), Scalar(lower, is_percent, unit)))
    return Scalar(body, is_percent, unit)
