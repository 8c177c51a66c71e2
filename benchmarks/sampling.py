"""Speed of the in-process sampler against plain vLLM and transformers, on the same minimath prompts.

    python benchmarks/sampling.py [MODEL] [--prompts 32] [--samples 32] [--max-tokens 128] [--rounds 3]

One process; in every round each engine is started, runs once to warm up, and is timed once. Prints the
fastest start of each (the first of all imports vLLM), the tokens per second of its fastest run, tokens per
second of processor time (which a busy machine disturbs less), and both as ratios to plain vLLM. Leaves out:
the quality of samples.
"""

import argparse
import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepmark.labeling.minimath import stream
from stepmark.models.batches import batches
from stepmark.models.sampling import EngineConfig, SamplingSpec, open_sampler

_DEFAULT_MODEL = Path(__file__).parents[1] / "models" / "tiny" / "checkpoints" / "generator"
_TRANSFORMERS_BATCH = 512


@dataclass(frozen=True, slots=True)
class Work:
    """What every engine is asked to do."""

    model: str
    prompts: list[str]
    num_samples: int
    max_tokens: int
    max_model_len: int | None = 512
    max_num_seqs: int = 1024


@dataclass(frozen=True, slots=True)
class Speed:
    """One run of an engine: by the clock, and by processor time over all threads."""

    start_s: float
    tokens_per_s: float
    tokens_per_cpu_s: float


Sample = Callable[[], int]  # draws all samples once and returns their number of tokens
Engine = Callable[[Work], AbstractContextManager[Sample]]


@contextmanager
def stepmark_sampler(work: Work) -> Iterator[Sample]:
    """Stepmark's sampler with its own defaults."""
    spec = SamplingSpec(max_tokens=work.max_tokens)
    config = EngineConfig(model=work.model, max_model_len=work.max_model_len, max_num_seqs=work.max_num_seqs)
    with open_sampler(config) as sampler:
        yield lambda: sum(
            sample.num_tokens
            for samples in sampler.sample(work.prompts, work.num_samples, spec)
            for sample in samples
        )


@contextmanager
def plain_vllm(work: Work) -> Iterator[Sample]:
    """One ``LLM.generate`` with vLLM's defaults, in this process, with as many sequences together."""
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    from vllm import LLM, SamplingParams  # noqa: PLC0415

    llm = LLM(
        work.model,
        dtype="float32",
        max_model_len=work.max_model_len,
        max_num_seqs=work.max_num_seqs,
        kv_cache_memory_bytes=2**30,
        enforce_eager=True,
    )
    parameters = SamplingParams(n=work.num_samples, max_tokens=work.max_tokens)
    try:
        yield lambda: sum(
            len(sample.token_ids)
            for output in llm.generate(work.prompts, parameters, use_tqdm=False)
            for sample in output.outputs
        )
    finally:
        llm.llm_engine.engine_core.shutdown()


@contextmanager
def transformers_generate(work: Work) -> Iterator[Sample]:
    """``generate`` of transformers, in batches of prompts padded on the left."""
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    tokenizer = AutoTokenizer.from_pretrained(work.model, padding_side="left")
    model: Any = AutoModelForCausalLM.from_pretrained(work.model, dtype=torch.float32)
    copies = [prompt for prompt in work.prompts for _ in range(work.num_samples)]

    def run() -> int:
        num_tokens = 0
        for batch in batches(copies, _TRANSFORMERS_BATCH):
            inputs = tokenizer(list(batch), return_tensors="pt", padding=True, return_token_type_ids=False)
            outputs = model.generate(
                **inputs,
                do_sample=True,
                max_new_tokens=work.max_tokens,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )
            new = outputs[:, inputs["input_ids"].shape[1] :]
            has_ended = (new == tokenizer.eos_token_id).cumsum(1) > 0
            num_tokens += int((~has_ended).sum() + has_ended.any(1).sum())  # the end token counts once
        return num_tokens

    yield run


def measure(engine: Engine, work: Work) -> Speed:
    """Start an engine, run it once to warm up, and time the second run."""
    started = time.perf_counter()
    with engine(work) as sample:
        start_s = time.perf_counter() - started
        sample()
        clock, cpu = time.perf_counter(), time.process_time()
        num_tokens = sample()
        passed_s, passed_cpu_s = time.perf_counter() - clock, time.process_time() - cpu
    return Speed(start_s, num_tokens / passed_s, num_tokens / passed_cpu_s)


def best(runs: list[Speed]) -> Speed:
    """The best of each figure: what disturbs a run only slows it."""
    return Speed(
        min(run.start_s for run in runs),
        max(run.tokens_per_s for run in runs),
        max(run.tokens_per_cpu_s for run in runs),
    )


def main() -> None:
    """Measure the engines and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", default=str(_DEFAULT_MODEL))
    parser.add_argument("--prompts", type=int, default=32)
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    problems = itertools.islice(stream(0, "test"), options.prompts)
    prompts = [f"{worked.problem.problem}\n" for worked in problems]
    work = Work(options.model, prompts, options.samples, options.max_tokens)
    engines: dict[str, Engine] = {
        "stepmark": stepmark_sampler,
        "plain vllm": plain_vllm,
        "transformers": transformers_generate,
    }
    rounds = [
        {name: measure(engine, work) for name, engine in engines.items()} for _ in range(options.rounds)
    ]
    speeds = {name: best([one[name] for one in rounds]) for name in engines}
    plain = speeds["plain vllm"]
    print(f"{'engine':14}{'start s':>9}{'tokens/s':>10}{'ratio':>7}{'tokens/cpu s':>14}{'ratio':>7}")
    for name, speed in speeds.items():
        print(
            f"{name:14}{speed.start_s:9.1f}"
            f"{speed.tokens_per_s:10.0f}{speed.tokens_per_s / plain.tokens_per_s:7.2f}"
            f"{speed.tokens_per_cpu_s:14.0f}{speed.tokens_per_cpu_s / plain.tokens_per_cpu_s:7.2f}"
        )


if __name__ == "__main__":
    main()
