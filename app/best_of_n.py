"""``stepmark best-of-n``: unbiased curves for every score, the votes and pass@N, from a file of samples.

Leaves out: sampling, scoring, and the curves' arithmetic (``stepmark.models.metrics.best_of_n``).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from stepmark.labeling.errors import InputError
from stepmark.models.metrics.best_of_n import best_of_n_curves, curve_intervals, default_ns
from stepmark.models.metrics.intervals import Estimate
from stepmark.models.metrics.samples import ProblemSamples
from stepmark.models.metrics.voting import check_weights

from .estimates import percent, value_fields
from .io.jsonl import read_jsonl
from .io.outputs import write_json
from .options import INPUT_FILE, output_option
from .sample_lines import SampleLine, group_samples, read_samples

CurveEstimates = Mapping[str, Mapping[int, Estimate]]


class _NumberList(click.ParamType[list[int]]):
    name = "N,N,..."

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        parts = str(value).split(",")
        if not all(part.strip().isdecimal() and int(part) >= 1 for part in parts):
            self.fail(f"{value!r} is not a list of numbers of at least 1, such as 1,2,4", param, ctx)
        return sorted({int(part) for part in parts})


@click.command("best-of-n")
@click.argument("file", type=INPUT_FILE)
@click.option(
    "--n", "ns", type=_NumberList(), help="Subset sizes [default: powers of two up to the smallest M]."
)
@output_option("--json", "json_path", "Also write the curves as JSON.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of subsets and resamples."
)
def best_of_n_command(file: Path, ns: list[int] | None, json_path: Path | None, seed: int) -> None:
    """Unbiased best-of-N curves with 95% intervals over problems.

    FILE holds one JSON object a sample: {"problem_id": "p1", "answer": "73", "correct": true, "scores":
    {"prm": 0.9}}; without "correct" it needs "gold", the ground-truth answer.
    """
    samples = read_samples(read_jsonl(file))
    problems = _group(samples)
    weighted, refused = _weightable(problems)
    for reason in refused:
        click.echo(f"No weighted vote: {reason}", err=True)
    _note_mixed_classes(problems)
    curves = best_of_n_curves(problems, ns or default_ns(problems), weighted=weighted, seed=seed)
    estimates = curve_intervals(curves, seed=seed)
    if json_path is not None:
        write_json(json_path, curves_as_json(estimates, len(problems)))
    counts = sorted({problem.num_samples for problem in problems})
    per_problem = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    click.echo(
        f"{len(problems)} problems, {per_problem} samples each; percent right [95% interval over problems]"
    )
    click.echo(format_curves(estimates))


def curves_as_json(estimates: CurveEstimates, num_problems: int) -> dict[str, object]:
    """The published shape: ``{"num_problems": ..., "curves": {selector: {"N": {"value": ..., ...}}}}``."""
    curves = {
        name: {str(n): value_fields(point) for n, point in by_n.items()} for name, by_n in estimates.items()
    }
    return {"num_problems": num_problems, "curves": curves}


def format_curves(estimates: CurveEstimates) -> str:
    """A table with a row for each N and a column for each selector, in percent."""
    ns = list(next(iter(estimates.values())))
    columns = [["N", *(str(n) for n in ns)]]
    for name, by_n in estimates.items():
        cells = [percent(point) for point in by_n.values()]
        columns.append([name, *cells])
    widths = [max(len(cell) for cell in column) for column in columns]
    rows = zip(*columns, strict=True)
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


def _group(samples: Sequence[SampleLine]) -> list[ProblemSamples]:
    # Imported here: the grader brings sympy, which a wrong line or option need not wait for.
    from stepmark.labeling.grading import Grader, equivalence_classes  # noqa: PLC0415

    with Grader() as grader:
        return group_samples(samples, grader.grade, lambda answers: equivalence_classes(answers, grader))


def _weightable(problems: Sequence[ProblemSamples]) -> tuple[list[str], list[str]]:
    # Scores that can weigh a vote, and why the others cannot.
    weighted, refused = [], []
    for name in problems[0].scores:
        try:
            check_weights(problems, name)
            weighted.append(name)
        except InputError as error:
            refused.append(str(error))
    return weighted, refused


def _note_mixed_classes(problems: Sequence[ProblemSamples]) -> None:
    mixed = [
        problem.problem_id
        for problem in problems
        if set(problem.answer_class[problem.is_correct]) & set(problem.answer_class[~problem.is_correct])
    ]
    if mixed:
        click.echo(
            f'{len(mixed)} problems have equal answers of which some are "correct" and some not, such as '
            f"{mixed[0]}; a vote for such answers counts by their share of correct ones.",
            err=True,
        )
