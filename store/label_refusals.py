"""Rows of a label file that do not go with what is stored: they are refused whole, as within one file.

Of a refused row nothing stays, neither its alternatives to a step nor a problem that no other row brings.
Leaves out: rows that do not go with an earlier one of their file (``stepmark.labeling.importers.chunks``).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import duckdb
import polars as pl

from stepmark.labeling.importers.prm800k import LABEL_SOURCE as HUMAN

from .frames import FRAME_VIEW
from .label_stage import Frames
from .rows import query, registered

_MISFIT = "this text is stored with other steps, so its labels belong to none of them; the stored steps stay"
_STORED_ENDS = f"""
    SELECT solution_id, list(char_end ORDER BY step_index) AS stored_ends
    FROM steps SEMI JOIN {FRAME_VIEW} USING (solution_id) GROUP BY solution_id
"""
# What a rater said on a solution: the same columns of what is stored and of what the file offers.
_SAID_BY_PEOPLE = "solution_id, labeler AS rater, step_index, alternative_index, completion, rating"
_SAID_BY_OTHERS = (
    "solution_id, label_source AS rater, step_index, rating, value, "
    "num_rollouts, num_correct, num_truncated, num_ungraded"
)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that begins at ``line`` and takes ``num_lines``; ``reason`` is about its solution."""

    line: int
    num_lines: int
    solution_id: str
    reason: str


@dataclass(slots=True)
class Refusals:
    """The refused ``rows`` by their number in the file, and what goes with them: the solutions and problems
    that no other row brings, and the ``labels`` by solution_id, rater and line.
    """

    rows: dict[int, RefusedRow] = field(default_factory=dict)
    solution_ids: set[str] = field(default_factory=set)
    problem_ids: set[str] = field(default_factory=set)
    labels: set[tuple[str, str, int]] = field(default_factory=set)

    def without(self, frames: Frames) -> Frames:
        """The frames of ``label_frames`` without what goes."""
        if not self.rows and not self.solution_ids:
            return frames
        rows, solutions, problems = map(list, (self.rows, self.solution_ids, self.problem_ids))
        kept = {
            name: frame.filter(~pl.col("solution_id").is_in(solutions))
            if "solution_id" in frame.columns and "row" not in frame.columns
            else frame
            for name, frame in frames.items()
        }
        for name in ("raters", "rows_of_alternatives"):
            kept[name] = frames[name].filter(~pl.col("row").is_in(rows))
        kept["problems"] = frames["problems"].filter(~pl.col("problem_id").is_in(problems))
        schema = {"solution_id": pl.String, "rater": pl.String, "source_line": pl.Int32}
        labels = pl.DataFrame(list(self.labels), schema, orient="row")
        kept["human_labels"] = _anti(kept["human_labels"], labels, rater="labeler")
        is_of_people = pl.col("label_source") == HUMAN
        kept["step_labels"] = pl.concat(
            [
                _anti(kept["step_labels"].filter(is_of_people), labels.drop("rater")),
                _anti(kept["step_labels"].filter(~is_of_people), labels, rater="label_source"),
            ]
        )
        return kept


def find_refusals(con: duckdb.DuckDBPyConnection, file: Iterable[Frames]) -> Refusals:
    """What is refused of the frames of a whole file, before any of it is stored; ``file`` is read twice."""
    result = Refusals()
    misfits: set[str] = set()
    differing: dict[tuple[str, str], str] = {}
    for frames in file:
        misfits.update(_misfits(con, frames["steps"]))
        differing |= _differing(con, frames)
        for row, line, solution_id, rater, num_lines in _rated(frames):
            reason = _MISFIT if solution_id in misfits else differing.get((solution_id, rater))
            if reason:
                result.rows.setdefault(row, RefusedRow(line, num_lines, solution_id, reason))
        alternatives = frames["rows_of_alternatives"]["solution_id"]
        result.solution_ids.update(alternatives.filter(alternatives.is_in(list(misfits))))
    if result.rows:
        _add_what_goes_with_them(result, file)
    return result


def _add_what_goes_with_them(refusals: Refusals, file: Iterable[Frames]) -> None:
    going, staying = _Brought(), _Brought()
    problem_of: dict[str, str] = {}
    for frames in file:
        problem_of |= dict(frames["solutions"].select("solution_id", "problem_id").iter_rows())
        for row, line, solution_id, rater, _ in _rated(frames):
            side = going if row in refusals.rows else staying
            side.rated.setdefault((solution_id, rater), line)
            side.solution_ids.add(solution_id)
        for row, solution_id in frames["rows_of_alternatives"].iter_rows():
            (going if row in refusals.rows else staying).solution_ids.add(solution_id)
    refusals.solution_ids |= going.solution_ids - staying.solution_ids
    refusals.labels |= {(*key, line) for key, line in going.rated.items() if key not in staying.rated}
    kept_problems = {problem_of[solution_id] for solution_id in staying.solution_ids}
    refusals.problem_ids |= {problem_of[solution_id] for solution_id in going.solution_ids} - kept_problems


@dataclass(slots=True)
class _Brought:
    """What some rows bring: solutions, and which rater's word on them at which line."""

    solution_ids: set[str] = field(default_factory=set)
    rated: dict[tuple[str, str], int] = field(default_factory=dict)


def _rated(frames: Frames) -> Iterable[tuple[int, int, str, str, int]]:
    return frames["raters"].select("row", "line", "solution_id", "rater", "num_lines").iter_rows()


def _anti(frame: pl.DataFrame, labels: pl.DataFrame, rater: str | None = None) -> pl.DataFrame:
    named = labels.rename({"rater": rater}) if rater else labels
    return frame.join(named, on=named.columns, how="anti", maintain_order="left")


def _misfits(con: duckdb.DuckDBPyConnection, steps: pl.DataFrame) -> list[str]:
    """The solutions that are stored with other steps than these."""
    if steps.is_empty():
        return []
    with registered(con, steps):
        stored = query(con, _STORED_ENDS)
    offered = steps.group_by("solution_id").agg(pl.col("char_end").sort_by("step_index").alias("ends"))
    both = stored.join(offered, on="solution_id")
    return both.filter(pl.col("ends") != pl.col("stored_ends"))["solution_id"].to_list()


def _differing(con: duckdb.DuckDBPyConnection, frames: Frames) -> dict[tuple[str, str], str]:
    """Why a rater's word on a solution is refused, where another word of the same rater is stored."""
    people = frames["human_labels"]
    # People's step labels are whoever's came first: the ratings themselves say who gave them.
    others = frames["step_labels"].join(
        frames["raters"],
        left_on=["solution_id", "label_source"],
        right_on=["solution_id", "rater"],
        how="semi",
    )
    others = others.filter(
        (pl.col("label_source") != HUMAN) | ~pl.col("solution_id").is_in(people["solution_id"].implode())
    )
    rated_by_people = f"label_source = '{HUMAN}' AND solution_id IN (SELECT solution_id FROM human_labels)"
    found = [
        *_other_words(con, "human_labels", people, _SAID_BY_PEOPLE, "true"),
        *_other_words(con, "step_labels", others, _SAID_BY_OTHERS, f"NOT ({rated_by_people})"),
    ]
    return {
        (
            solution_id,
            rater,
        ): f"{rater} rated this solution differently in {_place(file, line)}; the first rating stays"
        for solution_id, rater, file, line in found
    }


def _place(file: str | None, line: int | None) -> str:
    return f"line {line} of {file}" if file and line else file or "what is stored"


def _other_words(
    con: duckdb.DuckDBPyConnection, table: str, labels: pl.DataFrame, said: str, where: str
) -> Iterable[tuple[str, str, str | None, int | None]]:
    """Solution, rater, and the file and line where the rater said something else than these labels."""
    if labels.is_empty():
        return ()
    sql = f"""
        WITH offered AS (SELECT {said} FROM {FRAME_VIEW}),
        stored AS (
            SELECT {said}, source_file, source_line FROM {table}
            WHERE ({where}) AND solution_id IN (SELECT solution_id FROM offered)
        ),
        known AS (
            SELECT * EXCLUDE (source_file, source_line)
            FROM stored SEMI JOIN offered USING (solution_id, rater)
        ),
        again AS (SELECT * FROM offered SEMI JOIN stored USING (solution_id, rater)),
        differing AS ((FROM known EXCEPT FROM again) UNION (FROM again EXCEPT FROM known))
        SELECT solution_id, rater, arg_min(source_file, step_index), min(source_line)
        FROM stored SEMI JOIN differing USING (solution_id, rater) GROUP BY ALL
    """
    with registered(con, labels):
        return list(query(con, sql).iter_rows())
