"""The words that rows hold, each named once.

SQL cannot import them and spells them out; a test compares the CHECKs of store/schema.sql with this file.
Leaves out: names of formats (one file each in ``formats``) and of problem families.
"""

from typing import Literal, get_args

# Label sources: who says how a step is. Formats and reward models used as teachers bring names of their own.
HUMAN = "human"
MONTE_CARLO = "monte_carlo"
ORACLE = "oracle"
LABEL_SOURCES = (MONTE_CARLO, ORACLE, HUMAN)

# Who a rating is from where a file names nobody; it may stand for any number of people.
UNKNOWN_LABELER = "unknown"

# What an opinion's holder is: a label source as a whole, one labeler, or a reward model used as a teacher.
HOLDER_KINDS = ("label_source", "labeler", "teacher")

# Why an engine stopped writing a completion: it ended by itself, or reached the limit of tokens.
FinishReason = Literal["stop", "length"]
STOP: FinishReason = "stop"
LENGTH: FinishReason = "length"
FINISH_REASONS: tuple[FinishReason, ...] = get_args(FinishReason)

# A grader's verdict on an answer. A timeout is neither equal nor different.
Verdict = Literal["equal", "different", "unparsable", "timeout"]
EQUAL: Verdict = "equal"
DIFFERENT: Verdict = "different"
UNPARSABLE: Verdict = "unparsable"
TIMEOUT: Verdict = "timeout"
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

# What became of a sampled solution or rollout. A truncated one is never a wrong one.
Outcome = Literal["correct", "incorrect", "no_answer", "truncated", "grader_timeout"]
CORRECT: Outcome = "correct"
INCORRECT: Outcome = "incorrect"
NO_ANSWER: Outcome = "no_answer"
TRUNCATED: Outcome = "truncated"
GRADER_TIMEOUT: Outcome = "grader_timeout"
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
DECIDED_OUTCOMES: frozenset[Outcome] = frozenset({CORRECT, INCORRECT, NO_ANSWER})

# Where a solution is from, unless a file brought it; an alternative is a prefix and another next step.
SAMPLED = "sampled"
ALTERNATIVE = "alternative"

# Splits of problems, and of training examples.
TRAIN = "train"
VALIDATION = "validation"
TEST = "test"
SPLITS_OF_PROBLEMS = (TRAIN, TEST)
SPLITS_OF_EXAMPLES = (TRAIN, VALIDATION, TEST)

# Kinds of reward model; a likelihood is a language model's own opinion, and a baseline.
ORM = "orm"
PRM = "prm"
LIKELIHOOD = "likelihood"
REWARD_MODEL_KINDS = (ORM, PRM, LIKELIHOOD)

# Selectors without a model, and what the selectors are called that are made from a model's.
MAJORITY = "majority"
PASS = "pass"
WEIGHTED = "weighted"
AGGREGATIONS_BESIDE_THE_PRODUCT = ("min", "mean", "last")

# Ratings of a step.
NEGATIVE, NEUTRAL, POSITIVE = -1, 0, 1
RATINGS = (NEGATIVE, NEUTRAL, POSITIVE)

# What is sampled, labeled and trained before any labeling queue asked for more.
FIRST_ROUND = 0
