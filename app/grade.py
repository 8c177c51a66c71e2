r"""``stepmark grade``: verdicts on pairs of ground truth and prediction in a JSON Lines file.

Reads in bounded memory and checks every line before the first verdict, so a bad line leaves nothing half
written. Leaves out: what makes answers equal (``stepmark.labeling.grading``).
"""

import contextlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import click

from stepmark.labeling.errors import InputError
from stepmark.labeling.grading import Grader
from stepmark.labeling.vocabulary import VERDICTS

from .io.inputs import rereadable
from .io.jsonl import decoded, no_line, without_duplicates
from .io.outputs import output_file
from .options import INPUT_FILE, output_option

_CHUNK_LINES = 2_000
_SHOWN_CHARS = 60
_MAX_WORKERS = 8

Pair = tuple[str, str | None]


@click.command("grade")
@click.argument("file", type=INPUT_FILE)
@output_option("--out", "out", "Write here, not to the terminal.")
@click.option(
    "--time-limit",
    "time_limit_s",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Seconds of processor time a pair may take.",
)
def grade_command(file: Path, out: Path | None, time_limit_s: float) -> None:
    """Add a "verdict" (equal, different, unparsable, timeout) to each line {"gold":..., "pred":...} of FILE.

    "gold" is the ground-truth answer, "pred" the predicted one or null; numbers are read as their text. All
    other keys are kept.
    """
    counts: Counter[str] = Counter()
    num_workers = min(os.cpu_count() or 1, _MAX_WORKERS)
    with rereadable(file) as source, Grader(time_limit_s, num_workers) as grader:
        num_pairs = sum(1 for _ in _checked_lines(source, file))
        if num_pairs == 0:
            raise no_line(file)
        source.seek(0)
        with output_file(out) as target, _progress(num_pairs) as bar:
            lines = _checked_lines(source, file)
            while chunk := list(islice(lines, _CHUNK_LINES)):
                verdicts = grader.grade([pair for _, pair in chunk])
                for (line, _), verdict in zip(chunk, verdicts, strict=True):
                    target.write(_with_verdict(line, verdict).encode() + b"\n")
                counts.update(verdicts)
                bar.update(len(chunk))
    click.echo(f"{num_pairs} pairs: " + ", ".join(f"{counts[v]} {v}" for v in VERDICTS), err=True)


def _checked_lines(source: IO[bytes], file: Path) -> Iterator[tuple[str, Pair]]:
    """Every line that is not blank, with its pair.

    Raises:
        InputError: at the first line that holds no pair; it names file, line, value and remedy.
    """
    for number, raw in enumerate(source, start=1):
        line = decoded(file, number, raw).strip()
        if line:
            yield line, _pair(line, file, number)


def _pair(line: str, file: Path, number: int) -> Pair:
    try:
        record = json.loads(
            line,
            parse_int=str,  # numbers keep their spelling, and 10,000 digits are no limit
            parse_float=str,
            parse_constant=_refuse_constant,
            object_pairs_hook=without_duplicates,
        )
    except (ValueError, RecursionError) as error:
        remedy = 'write one object {"gold": ..., "pred": ...} per line'
        raise InputError.at(file, number, f"{_shown(line)} is not valid JSON ({error})", remedy) from error
    if not isinstance(record, dict):
        remedy = 'write one object {"gold": ..., "pred": ...} per line'
        raise InputError.at(file, number, f"{_shown(line)} is not a JSON object", remedy)
    for key in ("gold", "pred"):
        if key not in record:
            remedy = f'add "{key}"' + (" (null if there is no answer)" if key == "pred" else "")
            raise InputError.at(file, number, f'no "{key}" in {_shown(line)}', remedy)
    truth, answer = record["gold"], record["pred"]
    if not isinstance(truth, str) or not truth.strip():
        remedy = "give the ground-truth answer as a text or a number"
        raise InputError.at(file, number, f'no usable "gold" in {_shown(line)}', remedy)
    if not isinstance(answer, str | None):
        remedy = "give a text, a number or null"
        raise InputError.at(file, number, f'no usable "pred" in {_shown(line)}', remedy)
    return truth, answer


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."


def _with_verdict(line: str, verdict: str) -> str:
    """The line with the verdict as its last key; everything else stays as it was spelled."""
    record: dict[str, Any] = json.loads(line, parse_int=str)
    if "verdict" in record:
        record = json.loads(line)
        return json.dumps({**record, "verdict": verdict}, ensure_ascii=False)
    return f'{line[:-1].rstrip()}, "verdict": "{verdict}"}}'


@contextlib.contextmanager
def _progress(num_pairs: int) -> Iterator[Any]:
    """A bar on a terminal whose output goes elsewhere; nothing otherwise."""
    is_shown = sys.stderr.isatty() and not sys.stdout.isatty()
    with click.progressbar(length=num_pairs, label="grading", file=sys.stderr, hidden=not is_shown) as bar:
        yield bar
