"""What is said where a command needs a library that the light install leaves out.

Leaves out: vLLM, whose absence the sampler tells, for other engines do without it.
"""

import importlib

from stepmark.labeling.errors import StepmarkError

# Module to its name in a sentence and the extra that installs it (pyproject.toml).
_EXTRAS = {
    "dagster": ("Dagster", "pipeline"),
    "dagster_webserver": ("Dagster's webserver", "pipeline"),
    "httpx": ("HTTPX", "pipeline"),
    "jinja2": ("Jinja", "pipeline"),
    "matplotlib": ("Matplotlib", "pipeline"),
    "safetensors": ("safetensors", "pipeline"),
    "torch": ("PyTorch", "pipeline"),
    "transformers": ("transformers", "pipeline"),
    "accelerate": ("accelerate", "gguf"),
    "gguf": ("gguf", "gguf"),
}


def require(*modules: str) -> None:
    """Raise ``ModuleNotFoundError`` where a library is absent that others need and do not name so."""
    for name in modules:
        importlib.import_module(name)


def missing_extra(command: str | None, missing: ModuleNotFoundError) -> StepmarkError | None:
    """The error of ``stepmark command`` that names the extra to install; None for any other module."""
    found = _EXTRAS.get((missing.name or "").partition(".")[0])
    if found is None:
        return None
    library, extra = found
    return StepmarkError(
        f"stepmark {command} needs {library}, which is not installed; pip install 'stepmark[{extra}]'."
    )
