"""Sampling with vLLM in this process; one engine for the module."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.models.sampling import Completion, EngineConfig, SamplingSpec
from stepmark.models.sampling.in_process import InProcessSampler

pytestmark = pytest.mark.slow
SPEC = SamplingSpec(max_tokens=48)


@pytest.fixture(scope="module")
def sampler(tiny_model_path: Path) -> Iterator[InProcessSampler]:
    """An open engine that reports log probabilities."""
    config = EngineConfig(
        model=str(tiny_model_path), dtype="float32", max_model_len=128, max_num_seqs=64, logprobs=True
    )
    with InProcessSampler(config) as engine:
        yield engine


def test_every_prompt_gets_as_many_completions_as_asked(sampler: InProcessSampler) -> None:
    """Never fewer: a pass rate divides by the number asked for."""
    completions = sampler.sample(["1+1=", "2+2=", "3+3="], 5, SPEC)

    assert [len(samples) for samples in completions] == [5, 5, 5]


def test_samples_of_one_prompt_differ(sampler: InProcessSampler) -> None:
    """Identical samples would make one rollout count many times."""
    (samples,) = sampler.sample(["1+1="], 32, SPEC)

    assert len({sample.text for sample in samples}) == 32


def test_a_second_equal_call_draws_other_samples(sampler: InProcessSampler) -> None:
    """The engine's random numbers go on from call to call, also under a seed."""
    spec = SamplingSpec(max_tokens=48, seed=7)

    first, second = (sampler.sample(["1+1="], 8, spec)[0] for _ in range(2))

    assert not {sample.text for sample in first} & {sample.text for sample in second}


def test_completions_come_in_prompt_order(sampler: InProcessSampler) -> None:
    """Greedy completions of a batch are those of its prompts one by one."""
    prompts, greedy = ["1+1=", "a much longer prompt: ", "x"], SamplingSpec(temperature=0, max_tokens=12)

    together = sampler.sample(prompts, 1, greedy)

    assert _texts(together) == [_texts(sampler.sample([prompt], 1, greedy))[0] for prompt in prompts]
    assert len({samples[0].text for samples in together}) == 3


def test_finish_reasons_tell_an_end_from_a_cut(sampler: InProcessSampler) -> None:
    """A cut completion has all its tokens; one that stopped counts its end token, which is no text."""
    (samples,) = sampler.sample(["1+1="], 64, SPEC)
    stopped = [sample for sample in samples if sample.finish_reason == "stop"]
    cut = [sample for sample in samples if sample.finish_reason == "length"]

    assert len(stopped) + len(cut) == 64
    assert stopped
    assert cut
    assert {len(sample.text) for sample in cut} == {48}
    assert {sample.num_tokens for sample in cut} == {48}
    assert all(len(sample.text) == sample.num_tokens - 1 for sample in stopped)


def test_a_stop_string_ends_a_completion_and_is_cut_off(sampler: InProcessSampler) -> None:
    """Its tokens count as sampled."""
    stop = tuple(chr(code) for code in range(40, 300))  # nearly every token

    (samples,) = sampler.sample(["1+1="], 16, SamplingSpec(max_tokens=48, stop=stop))

    assert {sample.finish_reason for sample in samples} == {"stop"}
    assert not [sample for sample in samples if set(sample.text) & set(stop)]
    assert all(sample.num_tokens == len(sample.text) + 1 for sample in samples)


def test_a_completion_that_fills_the_engine_is_cut(sampler: InProcessSampler) -> None:
    """The prompt has 120 of 128 tokens, so eight are left of the 48 asked for."""
    (samples,) = sampler.sample(["x" * 120], 16, SPEC)

    assert max(sample.num_tokens for sample in samples) == 8
    assert {sample.finish_reason for sample in samples if sample.num_tokens == 8} == {"length"}


def test_a_prompt_that_does_not_fit_is_refused(sampler: InProcessSampler) -> None:
    """The message names the prompt, its tokens and the limit; the engine works on."""
    with pytest.raises(InputError, match=r"prompt 1 has 128 tokens, .* may have 128"):
        sampler.sample(["1+1=", "x" * 128], 2, SPEC)

    assert len(sampler.sample(["1+1="], 2, SPEC)[0]) == 2


def test_an_empty_prompt_is_refused(sampler: InProcessSampler) -> None:
    """The tokenizer adds no token of its own, so nothing could be sampled from."""
    with pytest.raises(InputError, match="prompt 0 has no token"):
        sampler.sample([""], 2, SPEC)


def test_no_prompts_give_no_completions(sampler: InProcessSampler) -> None:
    """A rerun with nothing missing asks for nothing."""
    assert sampler.sample([], 2, SPEC) == []


def test_sampling_leaves_the_callers_random_numbers_alone(sampler: InProcessSampler) -> None:
    """The engine draws from the global generators; training in the same process must not notice."""
    import torch

    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    expected = (random.random(), np.random.random(), torch.rand(1).item())
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)

    sampler.sample(["1+1="], 2, SPEC)

    assert (random.random(), np.random.random(), torch.rand(1).item()) == expected


def test_log_probabilities_are_the_models(sampler: InProcessSampler, tiny_model_path: Path) -> None:
    """At temperature 0.5 they are still those at temperature 1, as transformers computes them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(tiny_model_path, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(tiny_model_path)
    (samples,) = sampler.sample(["1+1="], 4, SamplingSpec(temperature=0.5, max_tokens=20))

    for sample in samples:
        assert sample.cumulative_logprob == pytest.approx(_logprob(model, tokenizer, sample), abs=1e-3)


def test_a_second_engine_at_the_same_time_is_refused(
    sampler: InProcessSampler, tiny_model_path: Path
) -> None:
    """The two would share vLLM's globals; the first one works on."""
    with (
        pytest.raises(StepmarkError, match="another in-process engine is open"),
        InProcessSampler(EngineConfig(model=str(tiny_model_path))),
    ):
        pass

    assert len(sampler.sample(["1+1="], 2, SPEC)[0]) == 2


def _texts(completions: list[list[Completion]]) -> list[str]:
    return [sample.text for samples in completions for sample in samples]


def _logprob(model: object, tokenizer: object, sample: Completion) -> float:
    """Sum over the completion's tokens, the end token included, of log P(token | what precedes it)."""
    import torch

    prompt = tokenizer("1+1=")["input_ids"]  # type: ignore[operator]
    sampled = tokenizer(sample.text)["input_ids"] + [0] * (sample.finish_reason == "stop")  # type: ignore[operator]
    with torch.no_grad():
        logits = model(torch.tensor([prompt + sampled])).logits[0, len(prompt) - 1 : -1]  # type: ignore[operator]
    chosen = logits.log_softmax(-1).gather(1, torch.tensor(sampled).unsqueeze(1))
    return float(chosen.sum())
