r"""A second grader that audits the first: plain math-verify, in worker processes of its own.

It reads and compares in its own way, so that an answer both count as right is hardly wrong; only what the
first leaves to computer algebra is read with the same library by both. Math-verify's own timeouts work on the
main thread only and are switched off; the workers' limit takes their place. Leaves out: which of two that
disagree is right.
"""

import logging
from collections.abc import Sequence
from importlib.metadata import version

from stepmark.labeling.vocabulary import DIFFERENT, EQUAL, TIMEOUT, UNPARSABLE, Verdict

from .pool import Pool, PooledGrader
from .worker_process import Pair


def auditor_name() -> str:
    """Name and version of the second grader, as it is stored beside its verdicts."""
    return f"math-verify {version('math-verify')}"


class SecondGrader(PooledGrader):
    """Judges pairs of ground truth and answer by math-verify. A context manager, as ``Grader`` is.

    ``time_limit_s`` is processor time per pair. Not to be shared by threads.
    """

    def __init__(self, time_limit_s: float = 2.0, num_workers: int = 2, memory_limit_mb: int = 2048) -> None:
        super().__init__(Pool("math-verify", time_limit_s, num_workers, memory_limit_mb))

    def grade(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """The verdict on each pair, in order; "unparsable" where one cannot be read."""
        verdicts = self._pool.grade(pairs)
        return [verdicts[pair] for pair in pairs]


def is_agreeing(verdict: Verdict, auditor_verdict: Verdict) -> bool | None:
    """Whether both graders count the answer as right, or both do not; None where one ran out of time.

    >>> is_agreeing("different", "unparsable"), is_agreeing("equal", "different")
    (True, False)
    """
    if TIMEOUT in (verdict, auditor_verdict):
        return None
    return (verdict == EQUAL) == (auditor_verdict == EQUAL)


def decide_with_math_verify(ground_truth: str, answer: str) -> Verdict:
    r"""What math-verify says, without a time limit: call it in a process that can be killed.

    >>> decide_with_math_verify(r"\frac{1}{2}", "0.5"), decide_with_math_verify("2", "3")
    ('equal', 'different')
    """
    from math_verify import parse, verify  # type: ignore[import-untyped]  # noqa: PLC0415 - it loads SymPy

    for library in ("math_verify", "latex2sympy2_extended"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    read = [parse(_as_formula(text), parsing_timeout=None) for text in (ground_truth, answer)]
    if not all(read):
        return UNPARSABLE
    return EQUAL if verify(*read, timeout_seconds=None) else DIFFERENT


def _as_formula(text: str) -> str:
    """Math-verify looks for formulas between dollar signs; a bare answer is one."""
    return text if "$" in text else f"${text}$"
