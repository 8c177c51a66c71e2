"""Sampling parameters and batches."""

import subprocess
import sys

import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.sampling import SamplingSpec
from stepmark.models.sampling.protocol import check_request


@pytest.mark.parametrize(
    ("field", "value"),
    [("temperature", -0.1), ("temperature", float("nan")), ("top_p", 0.0), ("top_p", 1.1), ("max_tokens", 0)],
)
def test_a_parameter_out_of_range_is_refused_with_its_value(field: str, value: float) -> None:
    """Nothing reaches an engine that would clamp it in silence."""
    with pytest.raises(InputError, match=f"{field} {value}"):
        SamplingSpec(**{field: value})


def test_an_empty_stop_string_is_refused() -> None:
    """It would stop every completion at once."""
    with pytest.raises(InputError, match="stop string is empty"):
        SamplingSpec(stop=("\n\n", ""))


def test_several_samples_at_temperature_zero_are_refused() -> None:
    """Greedy samples are one sample, and a pass rate over them would be a lie."""
    with pytest.raises(InputError, match="repeat one completion 4 times"):
        check_request(4, SamplingSpec(temperature=0))


def test_no_samples_are_refused() -> None:
    """Zero samples is a mistake of the caller, not an empty answer."""
    with pytest.raises(InputError, match="num_samples 0"):
        check_request(0, SamplingSpec())


def test_importing_the_samplers_loads_neither_torch_nor_vllm() -> None:
    """Dagster definitions load without them."""
    script = (
        "import sys, stepmark.models.sampling;"
        "print([name for name in ('torch', 'transformers', 'vllm') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
