"""Opening and closing in-process engines: in a row, from threads, and after failures."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.models.sampling import Completion, EngineConfig, SamplingSpec
from stepmark.models.sampling.in_process import InProcessSampler

pytestmark = pytest.mark.slow


def _open(model: Path, kv_cache_gib: float | None = None) -> InProcessSampler:
    return InProcessSampler(
        EngineConfig(
            model=str(model),
            dtype="float32",
            max_model_len=128,
            max_num_seqs=64,
            seed=3,
            kv_cache_gib=kv_cache_gib,
        )
    )


def _two_calls(model: Path, stop: tuple[str, ...]) -> list[list[list[Completion]]]:
    spec = SamplingSpec(max_tokens=32, seed=5, stop=stop)
    with _open(model) as sampler:
        return [sampler.sample(["1+1=", "2+2="], 8, spec) for _ in range(2)]


def test_engines_in_a_row_repeat_their_samples_and_leave_no_trace(tiny_model_path: Path) -> None:
    """The second engine runs in another thread, and vLLM itself makes its text, token by token."""
    import torch

    torch.set_num_threads(1)
    before = (dict(os.environ), torch.get_num_threads(), torch.set_num_threads, os.sched_getaffinity(0))
    second: list[list[list[list[Completion]]]] = []

    first = _two_calls(tiny_model_path, stop=())
    thread = threading.Thread(
        target=lambda: second.append(_two_calls(tiny_model_path, stop=("never there",)))
    )
    thread.start()
    thread.join()

    assert [first] == second
    assert (
        dict(os.environ),
        torch.get_num_threads(),
        torch.set_num_threads,
        os.sched_getaffinity(0),
    ) == before


def test_the_engine_can_be_opened_after_a_start_that_failed(tiny_model_path: Path) -> None:
    """A cache too small for one sequence is refused by vLLM half-way through the start."""
    with pytest.raises(StepmarkError, match="vLLM cannot start"), _open(tiny_model_path, kv_cache_gib=1e-6):
        pass

    with _open(tiny_model_path) as sampler:
        assert len(sampler.sample(["1+1="], 3, SamplingSpec(max_tokens=4))[0]) == 3


def test_settings_that_vllm_refuses_are_told_with_its_reason(tiny_model_path: Path) -> None:
    """Its message starts with a heading and ends in advice for developers; the reason is between them."""
    sampler = InProcessSampler(EngineConfig(model=str(tiny_model_path), dtype="float32", max_model_len=1024))
    with pytest.raises(StepmarkError, match="vLLM cannot start") as refused, sampler:
        pass

    said = str(refused.value)
    assert "(User-specified max_model_len (1024) is greater than the derived max_model_len (" in said
    assert said.endswith("config.json)); change the engine's settings or the checkpoint.")
    assert "validation error" not in said


def test_a_failure_while_sampling_closes_the_engine(
    tiny_model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was half sampled would come out of the next call; a new engine starts clean."""
    from vllm import LLM

    def fail(*arguments: object, **options: object) -> None:
        raise RuntimeError("out of memory")

    sampler = _open(tiny_model_path)
    with sampler, monkeypatch.context() as patch:
        patch.setattr(LLM, "generate", fail)
        with pytest.raises(StepmarkError, match="out of memory"):
            sampler.sample(["1+1="], 2, SamplingSpec(max_tokens=4))
        with pytest.raises(StepmarkError, match="not open"):
            sampler.sample(["1+1="], 2, SamplingSpec(max_tokens=4))
    sampler.close()

    with sampler:
        assert len(sampler.sample(["1+1="], 2, SamplingSpec(max_tokens=4))[0]) == 2


def test_damaged_weights_are_named_before_the_engine_starts(tiny_model_path: Path, tmp_path: Path) -> None:
    """As after a download that broke off."""
    folder = shutil.copytree(tiny_model_path, tmp_path / "model")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])

    with (
        pytest.raises(InputError, match=r"model\.safetensors: the weights cannot be read .*; fetch or save"),
        InProcessSampler(EngineConfig(model=str(folder))),
    ):
        pass
