"""Where a model runs and how: the one list of an engine's settings, with their limits.

Leaves out: the engines, each of which reads its part of it (in_process.py, endpoints.py).
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

_Size = Annotated[int, Field(ge=1, le=2**31 - 1)]


class EngineSettings(BaseModel):
    """What a person may choose for an engine: in this process with vLLM, or OpenAI-compatible ``urls``.

    Both kinds read ``max_model_len`` (tokens of prompt and completion together; None: the model's own limit),
    ``max_num_seqs`` (sequences sampled together; for endpoints on each server) and ``logprobs`` (asking for
    cumulative log probabilities takes about a tenth of the speed).

    In process only: ``dtype`` ("auto" keeps the checkpoint's own). ``kv_cache_gib`` of keys and values (None:
    1 GiB on CPU, and on a GPU what ``gpu_memory_utilization`` leaves). ``num_threads`` on CPU (None: as many
    as torch has, but one where that is faster for a tiny model).

    Endpoints only: ``urls`` (``http://host:port``, with or without ``/v1``), ``api_key_variable`` (the
    environment variable that holds the key), and ``timeout_s`` and ``max_tries`` of one request.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    kind: Literal["in_process", "endpoints"] = "in_process"
    urls: tuple[str, ...] = ()
    api_key_variable: str | None = None
    dtype: str = "auto"
    max_model_len: Annotated[_Size, Field(ge=16)] | None = 512
    max_num_seqs: _Size = 1024
    kv_cache_gib: float | None = Field(None, gt=0)
    gpu_memory_utilization: float = Field(0.9, gt=0, le=1)
    num_threads: _Size | None = None
    logprobs: bool = False
    timeout_s: float = Field(3600.0, gt=0, le=1e8)
    max_tries: _Size = 8

    @model_validator(mode="after")
    def _urls_fit_kind(self) -> Self:
        if (self.kind == "endpoints") != bool(self.urls):
            raise ValueError("endpoints name urls, in_process none")
        for url in self.urls:
            if not url.startswith(("http://", "https://")):
                raise ValueError(f"the url {url!r:.80} does not start with http:// or https://")
        return self


class EngineConfig(EngineSettings):
    """An engine's settings and what it runs.

    ``model`` is a checkpoint folder or hub name, for endpoints the name the servers use. ``seed`` is read in
    process only.
    """

    model: str
    seed: int = 0
