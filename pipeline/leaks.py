"""The leak gate: no model learns from a problem it is judged on, unless somebody decided so, on record.

Compared are all problems that are for training or were asked for as such with all that are for testing or
were asked for as such. A gate looks at the pairs whose problem is in its table of examples, and at problems
asked for in both splits; those are known as soon as all files are read, so the first gate stands there.
Leaves out: the comparison of texts (stepmark.labeling.overlap).
"""

import functools
import getpass
from datetime import UTC, datetime

import polars as pl

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.overlap import Overlap, OverlapPolicy, find_overlaps
from stepmark.store.frames import frame_of
from stepmark.store.store import Store

from .profile import Leaks

OPTION = "--allow-leak"
_MENDABLE = "take them out of a file, import a file whose split is wrong again with the right one"
_STUCK = (
    "what a model has learned from keeps its split, so import its files again with that one, train anew in"
    " another --home"
)
_TEXTS = """
    WITH asked AS (SELECT problem_id, split FROM problems UNION SELECT problem_id, split FROM problem_roles)
    SELECT asked.split, problem_id, problem, ground_truth_answer
    FROM asked JOIN problems USING (problem_id) ORDER BY ALL
"""
_LEAKS = """
    SELECT * FROM leaks WHERE kind = 'exact' OR list_contains(trained_in, $1)
    ORDER BY is_allowed, kind, share DESC, evaluated_problem_id, trained_problem_id
"""
_DECIDED = ("trained_problem_id", "evaluated_problem_id", "kind", "share")


def measure_overlaps(store: Store, settings: Leaks) -> int:
    """Compare all problems anew, store the pairs that overlap, and return their number."""
    policy = OverlapPolicy(**settings.model_dump(exclude={"allow_leak"}))
    overlaps = _overlaps(tuple(store.read(_TEXTS).iter_rows()), policy)
    return store.replace("problem_overlaps", frame_of("problem_overlaps", overlaps), "true")


@functools.lru_cache(maxsize=1)  # every gate and model of a refresh asks, and the problems stay the same
def _overlaps(texts: tuple[tuple[str, str, str, str | None], ...], policy: OverlapPolicy) -> list[Overlap]:
    """``texts``: split, id, problem and answer, as ``_TEXTS`` gives them."""
    sides = {
        split: {key: problem for asked, key, problem, _ in texts if asked == split}
        for split in ("train", "test")
    }
    answers = {key: answer for _, key, _, answer in texts}
    return find_overlaps(sides["train"], sides["test"], policy, answers)


def find_leaks(store: Store, settings: Leaks, table: str, *, allow_leak: bool = False) -> pl.DataFrame:
    """The rows of the view ``leaks`` that concern a table of examples; a run that allows them records it.

    ``allow_leak``: this run may train in spite of them, whatever the profile says.
    """
    measure_overlaps(store, settings)
    leaks = store.read(_LEAKS, [table])
    through = OPTION if allow_leak else "profile" if settings.allow_leak else None
    if through is None or leaks["is_allowed"].all():
        return leaks
    allow(store, leaks.filter(~pl.col("is_allowed")), through)
    return store.read(_LEAKS, [table])


def allow(store: Store, leaks: pl.DataFrame, through: str) -> int:
    """Record the decision to train in spite of these pairs; return how many were not decided before."""
    decisions = leaks.select(_DECIDED).with_columns(
        decided_by=pl.lit(_user(), pl.String),
        decided_through=pl.lit(through),
        decided_at=pl.lit(datetime.now(UTC).replace(tzinfo=None)),
    )
    return store.insert_missing("leak_decisions", decisions)


def _user() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return None


def refuse_leaks(store: Store, settings: Leaks, table: str, *, allow_leak: bool = False) -> None:
    """Raise ``StepmarkError`` where a leak is not allowed: a model may be made without its examples."""
    refused = find_leaks(store, settings, table, allow_leak=allow_leak).filter(~pl.col("is_allowed"))
    if refused.height:
        raise StepmarkError(sentence(refused))


def sentence(leaks: pl.DataFrame) -> str:
    """What leaks, the first pair, and the ways out, in one sentence."""
    kinds = ", ".join(
        f"{number} {kind}" for kind, number in leaks.group_by("kind").len().sort("kind").iter_rows()
    )
    first = leaks.row(0, named=True)
    one, other = first["trained_problem_id"], first["evaluated_problem_id"]
    files = f"train by {_files(first['train_asked_by'])} and as test by {_files(first['test_asked_by'])}"
    pair = f"{one}, asked for as {files}" if one == other else f"{one} and {other}, asked for as {files}"
    is_stuck = first["train_asked_by"] is None or first["test_asked_by"] is None
    num_unlearned = leaks.filter(pl.col("trained_in").list.len() == 0).height
    what = "problems trained on with problems evaluated on"
    if num_unlearned == leaks.height:
        what = "problems asked for in both splits"
    elif num_unlearned:
        what += f", {num_unlearned} of them only asked for in both splits"
    return (
        f"{leaks.height} overlaps ({kinds}) of {what}, first {pair}: "
        f"{first['excerpt']!r}; {_STUCK if is_stuck else _MENDABLE}, or allow them with {OPTION}; "
        "the view leaks has them all."
    )


def _files(names: list[str] | None) -> str:
    return " and ".join(names) if names else "nobody known"
