"""Names that a reward model cannot have: its asset, its checkpoint's folder and its selectors bear its name.

Leaves out: two models of one name in a profile, which the profile itself refuses.
"""

import keyword
import re

from stepmark.labeling.vocabulary import (
    AGGREGATIONS_BESIDE_THE_PRODUCT,
    LABEL_SOURCES,
    MAJORITY,
    PASS,
    WEIGHTED,
)

ASSETS = (
    "problems",
    "human_labels",
    "solutions",
    "steps",
    "outcomes",
    "grader_audit",
    "oracle_labels",
    "rollouts",
    "monte_carlo_labels",
    "orm_examples",
    "prm_examples",
    "scores",
    "best_of_n",
    "label_agreement",
    "first_error_detection",
    "length_bias",
    "published_snapshot",
)
_DAGSTER = re.compile(
    "context|conf(ig)?|meta|((input_|output_)?arg_)?dict|int|str|float|bool|input|output|type"
)
_SUFFIXES = [f"_{suffix}" for suffix in (WEIGHTED, *AGGREGATIONS_BESIDE_THE_PRODUCT)]
# What selectors are called that are made from a model or beside it.
_DERIVED = re.compile(f".*({'|'.join(_SUFFIXES)})|.*_likelihood_.*")


def why_refused(name: str) -> str | None:
    """Why no reward model may be called so; None where it may."""
    if not re.fullmatch(r"[A-Za-z0-9_]+", name):
        return f"{name!r} has other characters than A-Z, a-z, 0-9 and _"
    for names, what in (
        ((MAJORITY, PASS), "a selector"),
        (LABEL_SOURCES, "a label source"),
        (ASSETS, "an asset"),
    ):
        if name in names:
            return f"{name!r} is the name of {what}"
    if keyword.iskeyword(name) or _DAGSTER.fullmatch(name):
        return f"{name!r} is a word that Dagster keeps for itself"
    if _DERIVED.fullmatch(name):
        return f"{name!r} is made like the name of a selector ({', '.join(_SUFFIXES)}, _likelihood_)"
    return None
