r"""Taking an answer apart: lists, tuples, intervals, sets, unions, matrices, relations, names, units, text.

Reads a normalised answer into nodes whose leaves are ``Scalar`` (one expression) and ``Words`` (text).
Leaves out: what makes two answers equal, which is ``equivalence``'s business.
"""

import re
from functools import lru_cache

from .nodes import Based, Braces, Brackets, Items, Matrix, Named, Node, Ratio, Scalar, Union, Words
from .normalize import join_thousands, strip_outer
from .relations import read_chain
from .splitting import is_wrapped, split_top_level, words
from .units import split_unit

MAX_ANSWER_CHARS = 2_000
_MAX_DEPTH = 12


_WORD_SEPARATOR = re.compile(
    r",?\s*\\text\s*\{\s*,?\s*(?:and|or)\s*\}\s*,?|,?\s*(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])\s*,?"
    r"|\\(?:text\{\s*,\s*\}|ldots|lor(?![a-z])|land(?![a-z])|vee(?![a-z])|wedge(?![a-z]))|,?\s*\\text\{\s*,\s*(?:and|or)\s*\}"
)
_CLOCK = re.compile(r"(\d{1,2}(?::\d\d)*)\s*(?:\\text\s*\{)?\s*([ap])\.?\s?m\.?\s*\}?", re.IGNORECASE)
_TEXT_ONLY = re.compile(r"(?:\\text\s*\{([^{}]*)\}|([().,\s]))+")
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_BASED = re.compile(r"(?:\\text\s*\{\s*)?([0-9A-Z]+(?:\.[0-9A-Z]+)?)(?:\s*\})?\s*_\s*\{?\s*(\d{1,2})\s*\}?")
_MEMBER = re.compile(r"\\?[a-zA-Z](?:\([a-z]\))?\s*\\in(?![a-z])\s*(?P<rest>.+)", re.DOTALL)
_MATRIX = re.compile(
    r"\\begin\{(?P<kind>[pbB]?(?:small)?matrix|array)\}(?:\s*\{[clr|\s]*\})?(?P<body>.*)\\end\{(?P=kind)\}",
    re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z]+")
_WORDS_ONLY = re.compile(r"[A-Za-z0-9\s.'()?!-]+")
_SHORT_WORDS = words("odd even yes no all any none one two six ten may mon tue wed thu fri sat sun true dne")
_FUNCTION_NAMES = words("sin cos tan cot sec csc log exp sqrt arcsin arccos arctan sinh cosh tanh pi")
_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SMALL_NUMBERS.split())}
_MIN_WORD_LETTERS = 4


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


def read_words(text: str) -> Words:
    """Text in one spelling: outer punctuation gone, lower case unless it is a name in capitals."""
    plain = " ".join(_TEXT.sub(r"\1", text).split())
    plain = re.sub(r"[().?!]", "", plain).strip()
    return Words(plain if plain.isupper() and " " not in plain else plain.lower())


def _read_text(text: str, depth: int) -> Node | None:
    clock = _CLOCK.fullmatch(text)
    if clock:
        return Words(f"{clock[1].lstrip('0')}{clock[2].lower()}m")
    based = _BASED.fullmatch(text)
    if based and all(int(digit, 36) < int(based[2]) for digit in based[1].replace(".", "")):
        return Based(based[1].lstrip("0") or "0", based[2])
    if _TEXT_ONLY.fullmatch(text):
        return read_answer(_TEXT.sub(r"\1", text), depth + 1)
    if _WORDS_ONLY.fullmatch(text) and reads_as_words(text) and not _WORD_SEPARATOR.search(text):
        spoken = read_words(text)
        return Scalar(_NUMBER_WORDS[spoken.words]) if spoken.words in _NUMBER_WORDS else spoken
    return None


def reads_as_words(text: str) -> bool:
    """True if a text of letters and digits starts with a word or name rather than an expression."""
    if re.match(r"\s*[\d(]*\d", text):
        return False
    return any(
        len(word) >= _MIN_WORD_LETTERS
        or word.lower() in _SHORT_WORDS
        or (len(word) > 1 and not word.islower())
        for word in _WORD.findall(text)
        if word not in _FUNCTION_NAMES
    )


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
    return _tidy_names(_flat([read_answer(part, depth + 1) for part in parts]))


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


def _tidy_names(items: tuple[Node, ...]) -> Node:
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
