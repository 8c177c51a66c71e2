"""Which format a label file has, told by the keys and types of its first object, never by its name.

Leaves out: checking the rest of the file; each row is checked when it is read.
"""

from collections.abc import Callable
from pathlib import Path

from stepmark.labeling.errors import InputError
from stepmark.labeling.formats.io.json_values import JsonObject
from stepmark.labeling.formats.io.jsonl import read_objects
from stepmark.labeling.formats.io.table_files import NEEDED, column_names, kind_of_file

from .tables import LABELS, is_table


def _has(row: JsonObject, **types: type) -> bool:
    return all(isinstance(row.get(key), kind) for key, kind in types.items())


_FORMATS: dict[str, Callable[[JsonObject], bool]] = {
    "prm800k": lambda row: _has(row, question=dict, label=dict) and "steps" in row["label"],
    "math-shepherd": lambda row: _has(row, input=str, label=str),
    "trl": lambda row: _has(row, completions=list, labels=list),
    "stepmark": lambda row: _has(row, problem=str, steps=list, label_source=str),
    "processbench": lambda row: _has(row, problem=str, steps=list) and "label" in row,
    "rlhflow": lambda row: _has(row, messages=list) or _has(row, conversations=list),
    "omegaprm": lambda row: (
        _has(row, reasoning_steps=list)
        or _has(row, reasoning_steps=dict)
        or (_has(row, text=str, children=list) and "mc_value" in row)
    ),
    "prmbench": lambda row: _has(row, modified_process=list, error_steps=list),
    "mr-gsm8k": lambda row: (
        "model_output_steps" in row
        and ("model_output_solution_first_error_step" in row or "model_output_solution_correctness" in row)
    ),
    "label-studio": lambda row: (
        _has(row, data=dict) and (_has(row, annotations=list) or _has(row, predictions=list))
    ),
    "table": is_table,
}


def detect_format(path: Path | str) -> str:
    """The name of the file's format, as ``import-labels --format`` takes it.

    Raises:
        InputError: if no format has the first object's keys, or the file holds no object that can be read.
    """
    path = Path(path)
    if kind_of_file(path) != "json":
        names = column_names(path)
        if is_table(names):
            return "table"
        shown = ", ".join(names[:_MAX_KEYS])
        wanted = f"{', '.join(NEEDED)} and one of {', '.join(LABELS)}"
        problem = f"a table of steps has the columns {wanted}, not {shown}"
        raise InputError.at(path, None, problem, "rename its columns")
    first_refused = None
    for line, row in read_objects(path):
        if not isinstance(row, dict):
            first_refused = first_refused or row
            continue
        for name, matches in _FORMATS.items():
            if matches(row):
                return name
        if ("problem" in row or "question" in row) and ("solution" in row or "answer" in row):
            raise InputError.at(
                path, line, "this is a problem, not a labeled solution", "use stepmark ingest"
            )
        keys = ", ".join(sorted(row)[:_MAX_KEYS]) or "none"
        raise InputError.at(path, line, f"no label format has the keys {keys}", "name one with --format")
    problem, remedy = "the file holds no JSON object", "check that it is the label file"
    if first_refused is None:
        raise InputError.at(path, None, problem, remedy)
    reason = f"{problem} that can be read: {first_refused.reason}"
    raise InputError.at(path, first_refused.line, reason, remedy)


_MAX_KEYS = 20
