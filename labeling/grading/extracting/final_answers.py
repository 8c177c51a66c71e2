r"""The final answer of a solution: its last box, or what it declares to be the answer.

Leaves out: whether the answer is right, and guessing an answer that a solution does not state (``prose``).
"""

import re

_BOX = re.compile(r"\\(?:boxed|fbox)(?![a-zA-Z])|\\begin\s*boxed(?=\s*\{)")
_BARE_BOX_CONTENT = re.compile(r"\s*(-?\d[\d,]*(?:\.\d+)?%?|-?\.\d+|\\[a-zA-Z]+|[A-Za-z](?![A-Za-z]))")
_JOINING_WORDS = re.compile(r"\\text\s*\{([^{}]*)\}|\\[a-zA-Z]+|\\[\[\]()]")
_ANSWER_HEADING = re.compile(r"^#+ *Answer *:?[ \t]*\n+(?P<answer>[^\n]*\S[^\n]*)", re.MULTILINE)
_HASHES = re.compile(r"^#### *+(?P<answer>[^\n]*\S)[ \t]*$", re.MULTILINE)
_DECLARATION = re.compile(
    r"\banswer(?: to [^.\n:]{0,60}?)?\s*+(?:\*\*)?\s*+(?:is|:|=)\s*+(?:\*\*)?\s*+:?\s*+(?:\*\*)?\s*+(?=\S)",
    re.IGNORECASE,
)
_STRONG_DECLARATION = re.compile(r"\bfinal answer is\s*+:?\s*+(?=\$|\\[(\[]|-?\d)", re.IGNORECASE)
_MATH = re.compile(
    r"(?<!\\)\$\$(?P<a>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<b>(?:[^$\\]|\\.)+)\$"
    r"|\\\((?P<c>.+?)\\\)|\\\[(?P<d>.+?)\\\]",
    re.DOTALL,
)
_SENTENCE_END = re.compile(r"\.(?=\s|$)|\bI hope\b|[;!?](?=\s|$)|。")
_CHAT_MARK = re.compile(r"<\|[a-z_]+\|>")
_MAX_BETWEEN_BOXES = 40
_MAX_WORDS_BETWEEN_BOXES = 1


def last_boxed(text: str) -> str | None:
    r"""The content of the last ``\boxed`` or ``\fbox``; None without one, or if it is empty or cut off.

    >>> last_boxed(r"so \boxed{\frac{1}{2}}, or $\boxed 2$"), last_boxed(r"\boxed{}")
    ('2', None)
    """
    for match in reversed(list(_BOX.finditer(text))):
        content = _box_content(text, match.end())
        if content is not None:
            return content[0] or None
    return None


def joined_boxes(text: str) -> list[str]:
    r"""The contents of the last boxes that a solution strings together with commas, "and" or "or".

    >>> joined_boxes(r"\boxed{9}. Later \boxed{1} and \boxed{2}")
    ['1', '2']
    """
    boxes = [(m.start(), _box_content(text, m.end())) for m in _BOX.finditer(text)]
    found = [(start, content[0], content[1]) for start, content in boxes if content and content[0]]
    chain = found[-1:]
    for start, content, end in reversed(found[:-1]):
        if not _joins(text[end : chain[0][0]]):
            break
        chain.insert(0, (start, content, end))
    return [content for _, content, _ in chain]


def _joins(between: str) -> bool:
    plain = _JOINING_WORDS.sub(r" \1 ", between)
    words = [word for word in re.findall(r"[A-Za-z_]+", plain) if word not in ("and", "or")]
    has_joint = "," in plain or re.search(r"\b(?:and|or)\b", plain) is not None
    return len(between) <= _MAX_BETWEEN_BOXES and len(words) <= _MAX_WORDS_BETWEEN_BOXES and has_joint


def _box_content(text: str, start: int) -> tuple[str, int] | None:
    """The content of a box whose command ends at ``start``, and where it ends; "" if empty or cut off."""
    opening = re.compile(r"\s*\{").match(text, start)
    if opening is None:
        bare = _BARE_BOX_CONTENT.match(text, start)
        if bare is None:
            return None
        end = bare.end()
        while bare[1].startswith("\\") and text[end : end + 1] == "{":
            end = _closing_brace(text, end) + 1
            if end == 0:
                return "", len(text)
        return text[bare.start(1) : end], end
    closing = _closing_brace(text, opening.end() - 1)
    if closing < 0:
        return "", len(text)
    return text[opening.end() : closing].strip(), closing + 1


def _closing_brace(text: str, opening: int) -> int:
    depth = 0
    index = opening
    while index < len(text):
        char = text[index]
        if char == "\\" and text[index + 1 : index + 2] in ("{", "}", "\\"):
            index += 2  # an escaped brace is a sign of the answer, not a group
            continue
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return index
        index += 1
    return -1


def final_answer(solution: str) -> str | None:
    r"""The answer a solution states, as written, or None if it states none.

    The last box counts, unless a later "final answer is" replaces it; else the line below PRM800K's
    ``# Answer``; else GSM8K's ``#### 18``; else the last "The answer is ...". Text a model thinks aloud
    between ``<think>`` marks does not count.

    >>> final_answer("Twice nine.\n#### 18")
    '18'
    """
    text = _without_thoughts(solution)
    boxes = list(_BOX.finditer(text))
    if boxes:
        later = list(_STRONG_DECLARATION.finditer(text, boxes[-1].end()))
        answer = _declared(text, later[-1].end()) if later else None
        return answer or last_boxed(text)
    for pattern in (_ANSWER_HEADING, _HASHES):
        matches = list(pattern.finditer(text))
        if matches:
            return matches[-1]["answer"].strip() or None
    declarations = list(_DECLARATION.finditer(text))
    return _declared(text, declarations[-1].end()) if declarations else None


def _without_thoughts(solution: str) -> str:
    after_thinking = solution.rpartition("</think>")[2]
    return _CHAT_MARK.split(after_thinking.partition("<think>")[0], maxsplit=1)[0]


def _declared(text: str, start: int) -> str | None:
    """The formula that starts there, which may run over lines, or the rest of the sentence."""
    formula = _MATH.match(text, start)
    if formula:
        return next(group for group in formula.groups() if group is not None).strip() or None
    rest = text[start:].partition("\n")[0]
    end = _SENTENCE_END.search(rest)
    answer = (rest[: end.start()] if end else rest).strip().strip("*").strip()
    return answer or None


def math_segments(text: str) -> list[tuple[int, int, str]]:
    """Start, end and content of every piece of a text between math delimiters."""
    return [
        (match.start(), match.end(), next(group for group in match.groups() if group is not None).strip())
        for match in _MATH.finditer(text)
    ]
