"""Starting vLLM's ``LLM`` inside this process, and freeing it again.

Leaves out: sampling (in_process.py) and what the start changes in the process (process_state.py).
"""

import logging
import os
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from stepmark.labeling.errors import StepmarkError

from .checkpoints import saved_dtype
from .engine_config import EngineConfig

if TYPE_CHECKING:
    from vllm import LLM

_GIB = 2**30
_CPU_KV_CACHE_GIB = 1.0
_MIN_BATCHED_TOKENS = 16_384
_QUIET = {"VLLM_LOGGING_LEVEL": "ERROR", "TORCH_CPP_LOG_LEVEL": "ERROR"}


def environment() -> dict[str, str | None]:
    """Environment variables to set (None: to remove) before the engine's first import."""
    return {
        **{
            name: os.environ.get(name, level) for name, level in _QUIET.items()
        },  # a level the user chose stays
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine runs here: a separate process outlives its step
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_CPU_KVCACHE_SPACE": None,  # it would win over the size asked for here
    }


def start_engine(folder: Path, config: EngineConfig) -> "LLM":
    """Load a checkpoint; ``environment`` is set. Changes torch and the process's random generators.

    Raises:
        StepmarkError: if vLLM is absent, or refuses the checkpoint or the settings.
    """
    # vLLM sets its logger up late in its own import, which writes lines before that.
    logging.getLogger("vllm").setLevel(os.environ["VLLM_LOGGING_LEVEL"].upper())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from vllm import LLM  # noqa: PLC0415
            from vllm.platforms import current_platform  # noqa: PLC0415
        except ImportError as error:
            raise StepmarkError(
                f"vLLM cannot be imported ({error}); install stepmark[cpu] or stepmark[cuda], or use"
                " engine kind 'endpoints'."
            ) from error
        try:
            return LLM(str(folder), **engine_arguments(folder, config, on_cpu=current_platform.is_cpu()))
        except Exception as error:
            raise StepmarkError(
                f"{folder}: vLLM cannot start ({first_line(error)});"
                " change the engine's settings or the checkpoint."
            ) from error


def shut_down(llm: "LLM | None") -> None:
    """Stop the engine and drop vLLM's process groups; None stands for a start that failed half-way."""
    if llm is not None:
        try:
            llm.renderer.shutdown()
        finally:
            llm.llm_engine.engine_core.shutdown()
    elif "vllm" in sys.modules:
        from vllm.distributed.parallel_state import cleanup_dist_env_and_memory  # noqa: PLC0415

        cleanup_dist_env_and_memory()


def first_line(error: BaseException) -> str:
    """The first line of an error's message without its full stop, or the error's type.

    Where vLLM's own checks refuse a setting, their message opens with a heading ("1 validation error for
    ...") and ends in advice to developers; it is the first sentence between the two.
    """
    text = str(error)
    if isinstance(error, ValidationError) and error.error_count():
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        keys = ".".join(str(part) for part in first["loc"])
        reason = re.split(r"\.\s+(?=[A-Z])", first["msg"].removeprefix("Value error, "), maxsplit=1)[0]
        text = f"{keys}: {reason}" if keys else reason
    lines = text.strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def engine_arguments(folder: Path, config: EngineConfig, *, on_cpu: bool) -> dict[str, Any]:
    """What vLLM's ``LLM`` is given beside the checkpoint's folder."""
    is_auto = config.dtype == "auto"
    length, kv_cache_gib = config.max_model_len, config.kv_cache_gib
    if kv_cache_gib is None and on_cpu:
        kv_cache_gib = _CPU_KV_CACHE_GIB
    return {
        # vLLM's own "auto" would turn float32 into bfloat16: another model, and a slower one on CPU.
        "dtype": "float32" if is_auto and saved_dtype(folder) == "float32" else config.dtype,
        "seed": config.seed % 2**32,
        "max_model_len": length,
        "max_num_seqs": config.max_num_seqs,
        "max_num_batched_tokens": length and max(_MIN_BATCHED_TOKENS, length, config.max_num_seqs),
        "enable_chunked_prefill": False,  # prompts are kept whole
        "kv_cache_memory_bytes": None if kv_cache_gib is None else int(kv_cache_gib * _GIB),
        "gpu_memory_utilization": config.gpu_memory_utilization,
        "enforce_eager": on_cpu,  # compiling takes longer than a small model's batch
        "load_format": "safetensors",
        "tokenizer_mode": "hf",
        "trust_remote_code": False,
        "use_tqdm_on_load": False,
    }
