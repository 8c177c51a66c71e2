"""Speed of sampling in an adaptive labeling run against one plain vLLM ``generate`` over the same prompts.

    python benchmarks/label_speed.py --home FOLDER [--problems 400] [--solutions 6]

Labels minimath solutions in FOLDER as the pipeline does, and records what the engine was asked for and how
long it took, round by round; then, in the same process, plain vLLM samples as many completions of the same
prompts in one call. The ratio says what searching in rounds costs. Leaves out: what the labels are worth
(labels.py).
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from label_pool import labeled_home, roll_out
from sampling import Work, plain_vllm

from stepmark.models.sampling import Completion, Sampler, SamplingSpec
from stepmark.models.tiny.shipped import resolve_model
from stepmark.pipeline.profile import SamplerSettings
from stepmark.pipeline.samplers import Engines


@dataclass(slots=True)
class Recorder:
    """An engine's calls: prompts with their number of samples, tokens drawn, and seconds."""

    prompts: list[str] = field(default_factory=list)
    num_tokens: int = 0
    seconds: float = 0.0
    num_calls: int = 0


class _RecordedEngines(Engines):
    """The pipeline's engines, which write down what they do."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @contextmanager
    def open(self, settings: SamplerSettings, seed: int) -> Iterator[Any]:
        with super().open(settings, seed) as engine:
            yield _Recorded(engine, self._recorder)


class _Recorded:
    def __init__(self, engine: Sampler, recorder: Recorder) -> None:
        self._engine, self._recorder = engine, recorder

    def sample(self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec) -> list[list[Completion]]:
        started = time.perf_counter()
        drawn = self._engine.sample(prompts, num_samples, spec)
        self._recorder.seconds += time.perf_counter() - started
        self._recorder.num_calls += 1
        self._recorder.num_tokens += sum(one.num_tokens for samples in drawn for one in samples)
        self._recorder.prompts += [prompt for prompt in prompts for _ in range(num_samples)]
        return drawn


@click.command()
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), required=True, help="A new folder.")
@click.option("--problems", "num_problems", default=400, show_default=True, help="minimath problems.")
@click.option(
    "--solutions", "num_solutions", default=6, show_default=True, help="Solutions to label of each."
)
def main(home: Path, num_problems: int, num_solutions: int) -> None:
    """Measure, and print the ratio."""
    store, profile = labeled_home(home, num_problems, num_solutions)
    recorder = Recorder()
    started = time.perf_counter()
    roll_out(store, profile, _RecordedEngines(recorder))
    whole_s = time.perf_counter() - started
    if not recorder.prompts:
        raise click.ClickException(f"{home} is labeled already; give a new folder.")
    engine = profile.generator.engine
    work = Work(
        model=resolve_model(profile.generator.model),
        prompts=recorder.prompts,
        num_samples=1,
        max_tokens=profile.generator.max_tokens,
        max_model_len=engine.max_model_len,
        max_num_seqs=engine.max_num_seqs,
    )
    with plain_vllm(work) as sample:
        started = time.perf_counter()
        num_tokens = sample()
        plain_s = time.perf_counter() - started
    ours, plain = recorder.num_tokens / recorder.seconds, num_tokens / plain_s
    click.echo(f"{len(recorder.prompts):,} rollouts in {recorder.num_calls} calls, {whole_s:.0f} s in all")
    click.echo(f"sampling in the job  {ours:8,.0f} tokens/s")
    click.echo(f"one plain generate   {plain:8,.0f} tokens/s, of {num_tokens:,} tokens")
    click.echo(f"ratio                {ours / plain:8.2f}")


if __name__ == "__main__":
    main()
