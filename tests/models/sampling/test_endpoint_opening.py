"""Opening endpoints: servers, models, contexts and keys that sampling cannot begin with."""

import pytest

from stepmark.labeling.errors import InputError, StepmarkError

from .fake_server import SPEC, FakeServer, sampler


def test_no_server_at_all_names_one_and_the_remedy() -> None:
    """Connection refused is said in one sentence."""
    with FakeServer() as gone:
        pass

    with (
        pytest.raises(StepmarkError, match=rf"{gone.url}/v1/models: ConnectError .*; start the server"),
        sampler(gone.url),
    ):
        pass


def test_a_model_that_is_not_served_is_refused_with_those_that_are() -> None:
    """Sampling from another model under this name would poison the labels."""
    with (
        FakeServer(models=("other", "third")) as server,
        pytest.raises(StepmarkError, match="serves no model 'm'; name one of its own: other, third"),
        sampler(server.url),
    ):
        pass


def test_a_server_with_too_short_a_context_is_refused(server: FakeServer) -> None:
    """Its completions would be cut off sooner than the profile says."""
    with (
        pytest.raises(StepmarkError, match="takes 512 tokens and max_model_len asks for 1024"),
        sampler(server.url, max_model_len=1024),
    ):
        pass


def test_the_api_key_comes_from_the_environment(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile names the variable, never the key."""
    monkeypatch.setenv("MY_KEY", "abc")

    with sampler(server.url, api_key_variable="MY_KEY") as engine:
        engine.sample(["a"], 1, SPEC)

    assert server.keys == ["Bearer abc"]


def test_an_unset_api_key_is_named(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found before anything is sampled."""
    monkeypatch.delenv("MY_KEY", raising=False)

    with (
        pytest.raises(InputError, match="MY_KEY holds no API key"),
        sampler(server.url, api_key_variable="MY_KEY"),
    ):
        pass
