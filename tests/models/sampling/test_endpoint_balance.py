"""Work over several servers: shared evenly, and kept from those that fail."""

import threading

from stepmark.models.sampling.balance import Server, pick

from .fake_server import SPEC, FakeServer, failure, sampler


def test_work_is_balanced_over_servers() -> None:
    """Two servers that wait for each other are both at work, and share the prompts evenly."""
    meeting = threading.Barrier(2, timeout=10)
    with FakeServer() as one, FakeServer() as two, sampler(one.url, two.url, max_num_seqs=4) as engine:
        one.on_request = two.on_request = lambda: meeting.wait() and None

        completions = engine.sample(["a", "b", "c", "d"], 4, SPEC)

    assert [samples[0].text for samples in completions] == ["a/0", "b/0", "c/0", "d/0"]
    assert (len(one.bodies), len(two.bodies)) == (2, 2)


def test_a_server_gets_no_more_sequences_than_it_is_meant_to(server: FakeServer) -> None:
    """Eight sequences at a time are two requests of four."""
    with sampler(server.url, max_num_seqs=8) as engine:
        engine.sample([str(index) for index in range(12)], 4, SPEC)

    assert server.most_at_once <= 2


def test_a_server_that_keeps_failing_is_passed_over() -> None:
    """After three failures in a row the other server gets everything."""
    broken_replies = (failure(500),) * 100
    with (
        FakeServer(replies=broken_replies) as broken,
        FakeServer() as healthy,
        sampler(broken.url, healthy.url, max_num_seqs=1, max_tries=6) as engine,
    ):
        completions = engine.sample([str(index) for index in range(20)], 1, SPEC)

    assert len(completions) == 20
    assert len(healthy.bodies) == 20
    assert len(broken.bodies) <= 5


def test_a_server_that_is_back_is_used_again() -> None:
    """It is looked at before the next call."""
    with (
        FakeServer(replies=(failure(500),) * 3) as one,
        FakeServer() as two,
        sampler(one.url, two.url, max_num_seqs=1, max_tries=6) as engine,
    ):
        while one.replies:
            engine.sample(["a"] * 8, 1, SPEC)
        num_before = len(one.bodies)
        engine.sample(["a"] * 8, 1, SPEC)

    assert len(one.bodies) > num_before


def test_a_server_that_is_down_at_the_start_does_not_stop_the_others(server: FakeServer) -> None:
    """Only when none answers is there nothing to do."""
    with FakeServer() as gone:
        pass

    with sampler(gone.url, server.url) as engine:
        assert len(engine.sample(["a", "b", "c"], 1, SPEC)) == 3


def test_the_least_busy_server_is_picked_and_failing_ones_last() -> None:
    """When all fail, the least busy of all."""
    busy, idle, failing = Server("busy", 2, 0), Server("idle", 1, 2), Server("failing", 0, 3)

    assert pick([busy, idle, failing]) is idle
    assert pick([failing]) is failing
