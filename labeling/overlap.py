r"""Problems both trained on and evaluated on: the same text, the same in other spelling, or nearly the same.

Three kinds of overlap, each pair under the strongest one: ``exact`` (equal but for outer white space),
``normalised`` (equal words, numbers and signs: Unicode, case, white space, LaTeX spacing and punctuation do
not count, but for a letter in both cases and a brace around more than one word) and ``ngram`` (runs of words
in common). A run that many training problems have is the wording of a family of problems and says nothing
about one of them; and problems with other numbers are other problems.
docs/decisions/leaks.md has the measurements behind the numbers below. Leaves out: who trains on what and
what follows from an overlap.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import polars as pl

from stepmark.labeling.grading import decide

EXACT, NORMALISED, NGRAM = "exact", "normalised", "ngram"
_EXCERPT_CHARS = 160

_SPACING = re.compile(
    r"\\(?:q?quad|enspace|(?:neg)?(?:thin|med|thick)space|hspace\*?\{[^{}]*\}|hfill|left|right|[bB]igg?[lrm]?"
    r"|(?:display|text)style|noindent|par|newline|nobreak)(?![a-zA-Z])|\\[,;:>!/ ]|\\\\|~"
)
_FRACTION = re.compile(r"\\[dtc]frac(?![a-zA-Z])")
_THOUSANDS = re.compile(r"(?<=\d)(?:,|\{,\})(?=\d{3}(?!\d))")
_BARE_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
_ARTICLE = re.compile(r"(?<![\w$\\])A(?= [a-zA-Z]{2})")
_NAME = r"\\[a-zA-Z]+|[^\W\d_]+|\d+(?:\.\d+)?"
_IN_BRACES = re.compile(rf"(?<!\\)\{{\s*({_NAME})\s*\}}")
# A word, a command, a number, or a sign that changes what is asked; an exclamation mark after a longer word
# ends a sentence, and an apostrophe there or before a letter is no prime.
_TOKEN = re.compile(
    rf"{_NAME}|[-+*/=<>^_()|%\[\]{{}}·]|(?<![^\W\d_]{{2}})(?:!|'(?![^\W\d_]))|[^\x00-\x7f\w\s]"
)
# Not "one", which mostly is no number; larger ones are mostly written in digits.
_SPELLED_OUT = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_SPELLED_OUT, start=2)}
_SIGNS = str.maketrans({"\N{MINUS SIGN}": "-", "\N{PRIME}": "'"})


@dataclass(frozen=True, slots=True)
class OverlapPolicy:
    """What counts as overlap by n-grams.

    Of two problems the ``num_words``-grams of words, numbers and signs are compared, except those that more
    than ``max_common`` training problems have. At least ``min_share`` of the grams of the one that has
    fewer must be in the other, and all its numbers in their order.
    """

    num_words: int = 8
    min_share: float = 0.5
    max_common: int = 10


@dataclass(frozen=True, slots=True)
class Overlap:
    """One row per pair of a problem trained on and one evaluated on; ``share``: (0, 1], 1 unless ``ngram``.

    ``excerpt`` is what both have: the start of the text, or the longest run of words.
    """

    trained_problem_id: str
    evaluated_problem_id: str
    kind: str
    share: float
    excerpt: str


def find_overlaps(
    trained: Mapping[str, str],
    evaluated: Mapping[str, str],
    policy: OverlapPolicy | None = None,
    answers: Mapping[str, str | None] | None = None,
) -> list[Overlap]:
    r"""Every pair that overlaps, by evaluated problem; ``trained`` and ``evaluated`` map ids to texts.

    One problem on both sides overlaps with itself. Of the ``answers``, by id too, those that are known tell
    apart problems of nearly one text that ask for different things.

    >>> find_overlaps({"a": "Find  $x$: $x + 1 = 2$."}, {"b": r"find $x\,$: $x+1=2$"})[0].kind
    'normalised'
    """
    rules = policy or OverlapPolicy()
    left = {key: _tokens(text) for key, text in trained.items()}
    right = {key: _tokens(text) for key, text in evaluated.items()}
    found = {
        (one, other): Overlap(one, other, kind, 1.0, _shortened(" ".join(evaluated[other].split())))
        for one, other, kind in _equal_pairs(trained, evaluated, left, right)
        if kind == EXACT or not _have_different_answers(answers, one, other)
    }
    left, right = (
        {key: _without_braces_and_case(words) for key, words in side.items()} for side in (left, right)
    )
    for one, other, share in _near_pairs(left, right, rules):
        if (one, other) not in found and not _have_different_answers(answers, one, other):
            excerpt = _longest_run(left[one], right[other])
            found[one, other] = Overlap(one, other, NGRAM, share, excerpt)
    return sorted(found.values(), key=lambda pair: (pair.evaluated_problem_id, pair.trained_problem_id))


def normalised(problem: str) -> str:
    r"""The words, numbers and signs of a problem, one blank between them: equal for equal problems.

    >>> normalised(r"Is  $\left(1,\!000\right)^{2}$ > $x$?") == normalised("is $(1000)^2 > x$")
    True
    """
    return " ".join(_tokens(problem))


def _tokens(problem: str) -> list[str]:
    text = unicodedata.normalize("NFKC", problem).translate(_SIGNS)
    text = _THOUSANDS.sub("", _SPACING.sub(" ", text.replace(r"\!", "")))
    text = _BARE_POINT.sub("0.", _FRACTION.sub(r"\\frac", text))
    words = _TOKEN.findall(_IN_BRACES.sub(r" \1 ", _ARTICLE.sub("a", text)))
    # Two names that differ in case alone, $A$ and $a$, are two only where a problem has both.
    spellings = Counter(name.casefold() for name in set(words) if len(name) == 1 or name[0] == "\\")
    return [
        word if spellings[word.casefold()] > 1 else word.casefold() for word in words if _is_content(word)
    ]


def _is_content(word: str) -> bool:
    """Whether it is no mere punctuation: of signs beyond ASCII those of mathematics and the like count."""
    return word[0].isascii() or word[0].isalnum() or word == "·" or unicodedata.category(word) in ("Sm", "So")


def _without_braces_and_case(words: Sequence[str]) -> list[str]:
    """Braces and case tell little about texts that are nearly the same."""
    return [word.casefold() for word in words if word not in ("{", "}")]


def _equal_pairs(
    trained: Mapping[str, str],
    evaluated: Mapping[str, str],
    left: Mapping[str, Sequence[str]],
    right: Mapping[str, Sequence[str]],
) -> Iterator[tuple[str, str, str]]:
    by_words = defaultdict(list)
    for key, words in left.items():
        # A text without a word has only its characters to be compared.
        by_words[" ".join(words) or trained[key].strip()].append(key)
    for other, words in right.items():
        text = evaluated[other].strip()
        for one in by_words.get(" ".join(words) or text, ()):
            yield one, other, EXACT if trained[one].strip() == text else NORMALISED


def _near_pairs(
    left: Mapping[str, Sequence[str]], right: Mapping[str, Sequence[str]], policy: OverlapPolicy
) -> Iterator[tuple[str, str, float]]:
    """An inverted index of grams, as a join: only pairs that share a distinctive gram are ever looked at."""
    grams, other_grams = _grams(left, policy.num_words), _grams(right, policy.num_words)
    distinctive = (
        grams.join(other_grams.select("gram").unique(), on="gram", how="semi")
        .with_columns(num_having=pl.len().over("gram"))
        .filter(pl.col("num_having") <= policy.max_common)
    )
    pairs = (
        distinctive.join(other_grams, on="gram", suffix="_other")
        .group_by("key", "key_other")
        .agg(pl.len().alias("num_shared"), pl.first("num_grams"), pl.first("num_grams_other"))
        .with_columns(share=pl.col("num_shared") / pl.min_horizontal("num_grams", "num_grams_other"))
        .filter(pl.col("share") >= policy.min_share)
    )
    for one, other, share in pairs.select("key", "key_other", "share").iter_rows():
        if _numbers_match(left[one], right[other]):
            yield one, other, share


def _grams(words_of: Mapping[str, Sequence[str]], num_words: int) -> pl.DataFrame:
    """One row per problem and gram it has: key, gram (hashed), num_grams of the problem."""
    grams = [
        list({" ".join(words[i : i + num_words]) for i in range(len(words) - num_words + 1)})
        for words in words_of.values()
    ]
    frame = pl.DataFrame(
        {"key": list(words_of), "gram": grams}, schema={"key": pl.String, "gram": pl.List(pl.String)}
    )
    with_counts = frame.with_columns(num_grams=pl.col("gram").list.len()).filter(pl.col("num_grams") > 0)
    return with_counts.explode("gram").with_columns(pl.col("gram").hash())


def _numbers_match(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the shorter problem's numbers stand in the longer one too, in that order."""
    short, long = sorted((one, other), key=len)
    numbers, among = _numbers(short), _numbers(long)
    rest = iter(among)
    return all(number in rest for number in numbers) and (len(short) < len(long) or numbers == among)


def _numbers(words: Sequence[str]) -> list[str]:
    spelled_out = [_NUMBER_WORDS.get(word, word) for word in words]
    return [word for word in spelled_out if word[0].isdigit()]


def _have_different_answers(answers: Mapping[str, str | None] | None, one: str, other: str) -> bool:
    """Whether both answers are known and not equal, as far as a quick look tells."""
    known = answers or {}
    truth, given = known.get(one), known.get(other)
    return truth is not None and given is not None and decide(truth, given) == "different"


def _longest_run(one: Sequence[str], other: Sequence[str]) -> str:
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return _shortened(" ".join(one[match.a : match.a + match.size]))


def _shortened(text: str) -> str:
    return text if len(text) <= _EXCERPT_CHARS else text[: _EXCERPT_CHARS - 1] + "…"
