"""Choosing and restoring the number of torch threads."""

from collections.abc import Iterator

import pytest
import torch

from stepmark.models import threads as module
from stepmark.models.threads import TINY_BYTES, FittingThreads, threads, useful_num_threads


@pytest.fixture
def four_threads() -> Iterator[None]:
    """Torch runs with four threads, whatever the machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("speed_of_four", "chosen"), [(150.0, 4), (80.0, 4), (5.0, 1)])
def test_one_thread_is_used_where_more_are_slower(
    speed_of_four: float, chosen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine threads wait for each other; a small difference is noise."""
    monkeypatch.setattr(module, "_speed", {4: speed_of_four, 1: 100.0}.__getitem__)

    assert useful_num_threads(4) == chosen


def test_one_thread_needs_no_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to choose."""
    monkeypatch.setattr(module, "_speed", {}.__getitem__)

    assert useful_num_threads(1) == 1


def test_probing_and_running_leave_torch_as_it_was(four_threads: None) -> None:
    """Training after sampling uses all its threads, also after a failure."""
    seen = []

    def fail() -> None:
        with threads(2):
            seen.append(torch.get_num_threads())
            raise RuntimeError

    useful_num_threads(4)
    with pytest.raises(RuntimeError):
        fail()

    assert seen == [2]
    assert torch.get_num_threads() == 4


@pytest.mark.parametrize(("num_bytes", "expected"), [(TINY_BYTES - 1, 1), (TINY_BYTES, 2)])
def test_a_tiny_model_gets_out_of_the_way_of_others(
    monkeypatch: pytest.MonkeyPatch, num_bytes: int, expected: int
) -> None:
    """On a busy machine a tiny model goes on with one thread, a larger one with all; later all are back."""
    monkeypatch.setattr(module, "useful_num_threads", lambda most: 1)
    with threads(2):
        with FittingThreads(num_bytes) as fitting:
            fitting.fit()
            assert torch.get_num_threads() == expected
        assert torch.get_num_threads() == 2


def test_a_busy_machine_is_measured_once_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement takes longer than a batch; work inside other work goes by the same one."""
    measured: list[int] = []
    monkeypatch.setattr(module, "useful_num_threads", lambda most: measured.append(most) or 1)
    with threads(2):
        fitting = FittingThreads(num_weight_bytes=1)
        with fitting:
            fitting.fit()
            with fitting:
                fitting.fit()
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2

    assert measured == [2]
