"""Sampling with vLLM inside this process: the embedded default, which starts in seconds and needs no server.

The engine is seeded, never the request: seeds of requests cost most of the speed on CPU, and fail when a
prompt is computed in pieces. Leaves out: several devices for one model (serve it and use endpoints.py).
"""

import gc
import hashlib
import threading
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self, cast

from stepmark.labeling.errors import InputError, StepmarkError
from stepmark.models.model_files import check_model_files
from stepmark.models.threads import TINY_BYTES, threads, useful_num_threads

from .checkpoints import local_checkpoint, num_weight_bytes
from .decoding import decode_completions
from .engine_config import EngineConfig
from .process_state import ProcessState, seeded
from .protocol import FINISH_REASONS, Completion, Sampler, SamplingSpec, check_request
from .vllm_engine import environment, first_line, shut_down, start_engine

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase
    from vllm import LLM, CompletionOutput, RequestOutput

_one_engine = threading.Lock()  # vLLM keeps its process groups in globals: two engines would share them


class InProcessSampler(Sampler):
    """A ``Sampler`` on vLLM's ``LLM``; one can be open at a time in a process, any number in a row.

    A completion that reaches the config's ``max_model_len`` ends with "length".
    """

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._model = config.model
        self._num_threads = config.num_threads
        self._logprobs = config.logprobs
        self._is_tiny = False
        self._llm: LLM | None = None
        self._state: ProcessState | None = None
        self._num_calls: Counter[int | None] = Counter()
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        """Start the engine.

        Raises:
            InputError: if there is no such checkpoint, or a file of it is damaged.
            StepmarkError: if vLLM is absent or refuses, or another engine is open in this process.
        """
        folder = local_checkpoint(self._model)
        check_model_files(folder, "fetch or save the model again")
        if not _one_engine.acquire(blocking=False):
            raise StepmarkError(
                f"{self._model}: another in-process engine is open; close it first, or serve one model"
                " with `python -m vllm.entrypoints.openai.api_server` and use engine kind 'endpoints'."
            )
        try:
            self._state = ProcessState(environment())
            self._num_calls.clear()
            self._is_tiny = num_weight_bytes(folder) < TINY_BYTES
            with seeded(self._config.seed), threads(self._useful_num_threads()):
                self._llm = start_engine(folder, self._config)
            self._state.engine_started()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Free the engine and give the process its threads and environment back. Idempotent."""
        with self._lock:
            if self._state is None:
                return
            state, llm = self._state, self._llm
            self._state = self._llm = None
            try:
                shut_down(llm)
            finally:
                del llm
                gc.collect()  # weights and cache hang in reference cycles
                state.restore()
                _one_engine.release()

    def sample(self, prompts: Sequence[str], num_samples: int, spec: SamplingSpec) -> list[list[Completion]]:
        """Draw ``num_samples`` completions per prompt, in prompt order. See ``Sampler.sample``."""
        check_request(num_samples, spec)
        with self._lock:
            if self._llm is None:
                raise StepmarkError(f"{self._model}: the sampler is not open; use it in a `with` block.")
            if not prompts:
                return []
            tokenizer = cast("PreTrainedTokenizerBase", self._llm.get_tokenizer())
            prompt_ids: list[list[int]] = tokenizer(list(prompts))["input_ids"]
            _check_lengths(prompt_ids, self._llm.model_config.max_model_len)
            outputs = self._generate(self._llm, prompt_ids, num_samples, spec)
            return [
                self._completions(tokenizer, output, ids, num_samples, spec)
                for ids, output in zip(prompt_ids, outputs, strict=True)
            ]

    def _generate(
        self, llm: "LLM", prompt_ids: list[list[int]], num_samples: int, spec: SamplingSpec
    ) -> "list[RequestOutput]":
        from vllm import SamplingParams, TokensPrompt  # noqa: PLC0415

        parameters = SamplingParams(
            n=num_samples,
            temperature=spec.temperature,
            top_p=spec.top_p,
            max_tokens=spec.max_tokens,
            stop=list(spec.stop),
            detokenize=bool(spec.stop),  # decoding once at the end is faster than token by token
            logprobs=0 if self._logprobs else None,
            flat_logprobs=self._logprobs,
        )
        seed = _seed_of_call(self._config.seed, spec.seed, self._num_calls[spec.seed])
        self._num_calls[spec.seed] += 1
        try:
            with seeded(seed), threads(self._useful_num_threads()):
                tokens = [TokensPrompt(prompt_token_ids=ids) for ids in prompt_ids]
                return llm.generate(tokens, parameters, use_tqdm=False)
        except BaseException as error:
            self.close()  # unfinished requests would come out of the next call
            if isinstance(error, Exception):
                raise StepmarkError(
                    f"{self._model}: vLLM failed while sampling {len(prompt_ids)} prompts"
                    f" ({first_line(error)}); nothing of this call is kept, open the sampler again."
                ) from error
            raise

    def _useful_num_threads(self) -> int:
        import torch  # noqa: PLC0415

        num_threads = self._num_threads or torch.get_num_threads()
        return useful_num_threads(num_threads) if self._is_tiny and self._num_threads is None else num_threads

    def _completions(
        self,
        tokenizer: "PreTrainedTokenizerBase",
        output: "RequestOutput",
        prompt_ids: list[int],
        num_samples: int,
        spec: SamplingSpec,
    ) -> list[Completion]:
        samples = output.outputs
        reasons = [str(sample.finish_reason) for sample in samples]
        if len(samples) != num_samples or not set(reasons) <= set(FINISH_REASONS):
            raise StepmarkError(
                f"{self._model}: vLLM gave {len(samples)} of {num_samples} completions, with finish reasons"
                f" {sorted(set(reasons))}; nothing of this call is kept, sample again."
            )
        if spec.stop:
            texts = [sample.text for sample in samples]
        else:
            texts = decode_completions(tokenizer, prompt_ids, [_without_end(sample) for sample in samples])
        return [
            Completion(text, reason, len(sample.token_ids), sample.cumulative_logprob)
            for text, reason, sample in zip(texts, reasons, samples, strict=True)
        ]


def _check_lengths(prompt_ids: Sequence[Sequence[int]], limit: int) -> None:
    for index, ids in enumerate(prompt_ids):
        if not ids:
            raise InputError(f"prompt {index} has no token; leave it out.")
        if len(ids) >= limit:
            raise InputError(
                f"prompt {index} has {len(ids)} tokens, and prompt and completion together may have {limit};"
                " shorten the prompt or raise max_model_len."
            )


def _without_end(sample: "CompletionOutput") -> list[int]:
    """The sampled ids; one that stopped without a stop string ends in an end token, which is no text."""
    ids = list(sample.token_ids)
    return ids[:-1] if sample.finish_reason == "stop" else ids


def _seed_of_call(engine_seed: int, stream: int | None, call_index: int) -> int:
    """The seed of one call: another for every call of a stream, the same when a run is repeated."""
    digest = hashlib.sha256(f"{engine_seed}/{stream}/{call_index}".encode()).digest()
    return int.from_bytes(digest[:4])
