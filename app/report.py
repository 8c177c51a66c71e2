"""The report: one HTML file of curves, label quality, costs, and solutions coloured by the PRM.

The file stands alone: pictures are inside, nothing is fetched. All text from problems and models is escaped.
Leaves out: computing results (results.py), and the command (report_command.py).
"""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from stepmark.models.metrics.label_quality import ALL
from stepmark.models.metrics.slices import THIRDS
from stepmark.pipeline.plots import best_of_n_picture, label_quality_picture
from stepmark.pipeline.profile import Reward
from stepmark.pipeline.quality import Quality
from stepmark.pipeline.score import current_models
from stepmark.pipeline.selectors import main_selectors
from stepmark.store.store import Store

from .estimates import percent, signed_percent
from .io.outputs import write_text
from .results import QUALITY_LABELS, read_results, unscored_line

_NUM_SHOWN = 10
_NUM_LEAKS_SHOWN = 20
_THIRDS = dict(zip(THIRDS, ("first third", "middle third", "last third"), strict=True))
_PLACE_METRICS = {
    "wrong_step_precision": "precision",
    "wrong_step_recall": "recall",
    "wrong_step_f1": "F1",
    "step_undecided": "undecided",
}
# Per test problem the wrong solution the PRM likes best, or else the right one: where a judge is put to
# the test. Half of the page is right, half wrong.
_SHOWN = """
    WITH judged AS (
        SELECT solution_id, problem_id, problem, subject, level, ground_truth_answer, final_answer, outcome,
            solution_scores.score,
            list(
                {step: step, score: step_score(p_neutral, p_positive), oracle: oracle.rating}
                ORDER BY step_index
            ) AS steps
        FROM scores JOIN solution_scores USING (reward_model_id, solution_id)
        JOIN steps USING (solution_id, step_index)
        JOIN solutions USING (solution_id) JOIN problems USING (problem_id)
        LEFT JOIN (
            SELECT solution_id, step_index, rating FROM step_labels WHERE label_source = 'oracle'
        ) AS oracle USING (solution_id, step_index)
        WHERE problems.split = 'test' AND reward_model_id = $1 AND outcome IN ('correct', 'incorrect')
        GROUP BY ALL
    ),
    ranked AS (
        SELECT *, hash(problem_id) AS shuffled,
            row_number() OVER (PARTITION BY problem_id, outcome ORDER BY score DESC, solution_id) AS place
        FROM judged
    ),
    chosen AS (
        SELECT *, row_number() OVER (PARTITION BY outcome ORDER BY shuffled) AS outcome_place
        FROM ranked WHERE place = 1 AND (outcome = 'correct') = (shuffled % 2 = 0)
    )
    SELECT * FROM chosen WHERE outcome_place <= $2 ORDER BY outcome = 'correct', outcome, outcome_place
"""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step with its colour: ``hue`` runs from red (0) for a score of 0 to green (120) for 1."""

    step: str
    score: float
    hue: int
    oracle: int | None


def write_report(store: Store, reward: Reward, out: Path) -> Path:
    """Write the page to ``out`` and return it."""
    results = read_results(store, reward)
    selectors = [name for name in main_selectors(reward) if name in results.curves]
    curve = best_of_n_picture(results.curves, selectors) if selectors else None
    quality = label_quality_picture(results.quality) if results.quality else None
    judge, judge_id = _judge(store, reward)
    environment = Environment(
        loader=PackageLoader("stepmark.app"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {"percent": percent, "signed_percent": signed_percent}
    page = environment.get_template("report.html.j2").render(
        results=results,
        num_leaks_shown=_NUM_LEAKS_SHOWN,
        unscored=unscored_line(results),
        selectors=selectors,
        curve=_embedded(curve),
        quality_labels=_labels(results.quality),
        quality_picture=_embedded(quality),
        thirds=_THIRDS,
        place_metrics=_PLACE_METRICS,
        judge=judge,
        solutions=[] if judge_id is None else _shown_solutions(store, judge_id),
    )
    write_text(out, page)
    return out


def _embedded(png: bytes | None) -> str | None:
    return None if png is None else base64.b64encode(png).decode()


def _labels(quality: Quality) -> dict[str, str]:
    """Metric to label, of the metrics that some truth has."""
    return {
        metric: label
        for metric, label in QUALITY_LABELS.items()
        if any(metric in slices.get(ALL, {}) for slices in quality.values())
    }


def _judge(store: Store, reward: Reward) -> tuple[str | None, str | None]:
    """Name and id of the PRM that colours the steps: the profile's first one that is trained."""
    trained = current_models(store, reward)
    prms = [model.name for model in reward.models if model.kind == "prm"]
    name = next((name for name in prms if name in trained), None)
    return name, None if name is None else trained[name]


def _shown_solutions(store: Store, model_id: str) -> list[dict[str, Any]]:
    rows = store.read_published(_SHOWN, [model_id, _NUM_SHOWN // 2]).to_dicts()
    for row in rows:
        row["steps"] = [
            ShownStep(step["step"], step["score"], round(120 * step["score"]), step["oracle"])
            for step in row["steps"]
        ]
    return rows
