r"""Which brackets stand around each character, and splitting LaTeX at signs outside all of them.

Half-open intervals mix brackets, so ``(`` may close with ``]``. Leaves out: what the parts mean.
"""

_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")


def depths(text: str) -> list[int]:
    r"""For every character, how many brackets are open around it; environments and ``\{`` count as brackets.

    >>> depths("a(b)c")
    [0, 1, 1, 0, 0]
    """
    result = []
    depth = 0
    for index, char in enumerate(text):
        if char in _OPENING or text.startswith("\\begin", index):
            depth += 1
        elif char in _CLOSING or text.startswith("\\end", index):
            depth -= 1
        result.append(depth)
    return result


def split_top_level(text: str, separator: str) -> list[str]:
    r"""The non-empty parts between separators outside brackets, without outer space.

    >>> split_top_level("(1, 2), 3", ",")
    ['(1, 2)', '3']
    """
    if separator not in text:
        return [text.strip()] if text.strip() else []
    parts = []
    start = 0
    around = depths(text)
    index = 0
    while (index := text.find(separator, index)) >= 0:
        if around[index] == 0:
            parts.append(text[start:index])
            start = index + len(separator)
        index += len(separator)
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def is_wrapped(text: str, width: int) -> bool:
    """True if the bracket that opens the text (``width`` characters) is closed by the one that ends it."""
    around = depths(text)
    return len(around) > width and around[-1] == 0 and min(around[width - 1 : -1], default=0) > 0
