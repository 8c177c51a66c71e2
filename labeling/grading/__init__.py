r"""Whether an answer is the ground-truth answer, written differently.

From text to verdict, in the order things happen:

1. ``grader`` is what others ask. ``equivalence`` decides each pair at once where exact arithmetic can; the
   rest goes to the ``pool`` of ``worker_process``es, each running ``worker``: the same code with computer
   algebra, in a process that can be killed.
2. ``extracting/``: what the answer is. ``final_answers`` (a box, or "the answer is"), else ``prose`` (what a
   reply mentions last), and ``choices`` (the letter of a multiple choice).
3. ``reading/``: what the answer is made of. ``normalize`` and ``unicode_signs`` (one spelling), then
   ``answers`` (lists, sets, intervals, matrices), with ``text``, ``relations``, ``units`` and ``brackets``.
   The result is one of the ``nodes``.
4. ``comparing/``: ``comparison`` (node by node), ``relations`` (equations, inequalities), ``scalars`` (single
   expressions, by ``arithmetic``); ``sympy_algebra`` answers what these ask an ``algebra``. Every result is
   true, false or not known (``logic``).
5. ``arithmetic/``: ``latex_tokens`` and ``latex_expressions`` read an expression into an ``exact`` value, a
   quotient of ``sums``.

Beside it: ``outcomes`` (what a verdict makes of a solution), ``answer_classes`` (which answers a vote counts
together) and ``second_grader`` (math-verify, to audit the first).

A new notation for something known is a rewrite in ``reading/normalize`` (a sign: ``reading/unicode_signs``; a
unit: ``reading/units``). A new kind of answer is a node in ``reading/nodes``, read in ``reading/answers`` and
compared in ``comparing/comparison``. Either may change verdicts, and then ``GRADER_VERSION`` changes too.
"""

from .answer_classes import equivalence_classes
from .equivalence import decide
from .extracting.final_answers import final_answer, last_boxed
from .grader import GRADER_VERSION, Grader
from .outcomes import outcome_of
from .second_grader import SecondGrader, auditor_name, is_agreeing

__all__ = [
    "GRADER_VERSION",
    "Grader",
    "SecondGrader",
    "auditor_name",
    "decide",
    "equivalence_classes",
    "final_answer",
    "is_agreeing",
    "last_boxed",
    "outcome_of",
]
