"""Which split a problem belongs to, where the caller does not say: what the row, its file and its id say.

A wrong guess would train on test problems, so doubt is an error that asks for the split.
"""

import re
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io.fields import RowError, shown
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.vocabulary import SPLITS_OF_PROBLEMS

_NUM_FOLDERS = 3  # MATH/train/algebra/1.json names its split two folders up


def checked_split(split: str | None, path: Path) -> str | None:
    """``split`` if it is one or None; InputError otherwise."""
    if split is not None and split not in SPLITS_OF_PROBLEMS:
        raise InputError(f"{path}: split is {split!r}; give train or test.")
    return split


def split_in_path(path: Path) -> str | None:
    """The split that is a word of the file's name ("math_train_7500"), else the nearest folder's name."""
    words = {word for word in re.split(r"[^a-z]+", path.name.lower()) if word in SPLITS_OF_PROBLEMS}
    if len(words) == 1:
        return words.pop()
    folders = [folder.name.lower() for folder in path.absolute().parents[:_NUM_FOLDERS]]
    return next((name for name in folders if name in SPLITS_OF_PROBLEMS), None)


def split_of(row: JsonObject, path: Path, line: int) -> str:
    """The split of a row: its own word, else what its file and its ``unique_id`` say, if they agree.

    The ids of the PRM800K split files, told by their answers and subjects, tell the split of MATH, which that
    project drew anew: 4,500 of its training problems have an id under "test". They do not count.

    Raises:
        RowError: if the row has a split that is neither train nor test.
        InputError: if nothing says, or two disagree.
    """
    own = row.get("split")
    if own is not None:
        if own not in SPLITS_OF_PROBLEMS:
            raise RowError(f"split is {shown(own)}, not train or test")
        return str(own)
    named = split_in_path(path)
    unique_id = str(row.get("unique_id") or "").split("/")[0]
    is_redrawn = "answer" in row and "subject" in row
    split_of_id = unique_id if unique_id in SPLITS_OF_PROBLEMS and not is_redrawn else None
    if named and split_of_id and named != split_of_id:
        problem = f"the file's name says {named}, unique_id says {split_of_id}"
        raise InputError.at(path, line, problem, _REMEDY)
    if not (named or split_of_id):
        raise InputError.at(path, line, "nothing says whether this is for training or test", _REMEDY)
    return named or split_of_id or ""


_REMEDY = "say which with --split train or --split test"
