"""What became of a solution, from the verdict on its final answer.

Leaves out: which outcomes count as decided (``stepmark.labeling.vocabulary``).
"""

from stepmark.labeling.vocabulary import (
    CORRECT,
    DIFFERENT,
    EQUAL,
    GRADER_TIMEOUT,
    INCORRECT,
    LENGTH,
    NO_ANSWER,
    TIMEOUT,
    TRUNCATED,
    UNPARSABLE,
    Outcome,
    Verdict,
)

_OUTCOMES: dict[Verdict, Outcome] = {
    EQUAL: CORRECT,
    DIFFERENT: INCORRECT,
    UNPARSABLE: INCORRECT,
    TIMEOUT: GRADER_TIMEOUT,
}


def outcome_of(verdict: Verdict | None, final_answer: str | None, finish_reason: str | None) -> Outcome:
    """The outcome of a solution; ``verdict`` may be None when there is no final answer.

    >>> outcome_of(None, None, "length"), outcome_of("equal", "5", "stop")
    ('truncated', 'correct')
    """
    if not final_answer:
        return TRUNCATED if finish_reason == LENGTH else NO_ANSWER
    if verdict is None:
        raise ValueError(f"final answer {final_answer!r} has no verdict; grade it first")
    return _OUTCOMES[verdict]
