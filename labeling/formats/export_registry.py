"""The export formats by name: what they read, and the rows they make.

Leaves out: the files those rows go into.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from .label_studio_writer import label_studio_rows
from .omegaprm_writer import omegaprm_rows
from .prm800k_writer import prm800k_rows
from .processbench_writer import processbench_rows
from .signs_writer import math_shepherd_rows, rlhflow_rows, trl_rows
from .stepmark_writer import stepmark_rows
from .tables_writer import table_rows
from .writing import ExportOptions, ExportTally, RatedSolution, Row

RowMaker = Callable[[Iterable[RatedSolution], ExportOptions, ExportTally], Iterator[Row]]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """How one format is written.

    ``people`` says what becomes of people's own ratings: "alone" (a line a person, with alternatives),
    "beside" (a person each, and other sources beside them), or "merged" (as the label source human).
    ``holds_sources`` is True where one file can hold several label sources, ``is_by_problem`` where all
    solutions of a problem come together.
    """

    rows: RowMaker
    layout: Literal["lines", "array", "csv", "parquet"] = "lines"
    people: Literal["alone", "beside", "merged"] = "merged"
    holds_sources: bool = False
    is_by_problem: bool = False


FORMATS: dict[str, ExportFormat] = {
    "prm800k": ExportFormat(prm800k_rows, people="alone"),
    "trl": ExportFormat(trl_rows),
    "math-shepherd": ExportFormat(math_shepherd_rows),
    "rlhflow": ExportFormat(rlhflow_rows),
    "processbench": ExportFormat(processbench_rows, layout="array"),
    "omegaprm": ExportFormat(omegaprm_rows, is_by_problem=True),
    "label-studio": ExportFormat(label_studio_rows, layout="array", people="beside", holds_sources=True),
    "stepmark": ExportFormat(stepmark_rows, holds_sources=True),
    "parquet": ExportFormat(table_rows, layout="parquet", people="beside", holds_sources=True),
    "csv": ExportFormat(table_rows, layout="csv", people="beside", holds_sources=True),
    "jsonl": ExportFormat(table_rows, people="beside", holds_sources=True),
}
