"""The resource every asset has: where the home folder is, and which profile is run.

Leaves out: opening anything; ``store()`` and ``settings()`` are cheap and hold nothing.
"""

import functools
import os
from pathlib import Path

import dagster as dg

from stepmark.models.reward.readings import Readings
from stepmark.pipeline.profile import Profile
from stepmark.pipeline.profile_file import BUILT_IN, load_profile
from stepmark.pipeline.samplers import Engines, identify
from stepmark.store.store import Store

HOME_VARIABLE, PROFILE_VARIABLE = "STEPMARK_HOME", "STEPMARK_PROFILE"
DEFAULT_HOME = "stepmark-home"


class Pipeline(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Home folder and profile of a run; ``allow_leak``: this run may train in spite of leaks."""

    home: str
    profile: str
    allow_leak: bool = False

    def store(self) -> Store:
        """The home's store."""
        return Store(Path(self.home))

    def settings(self) -> Profile:
        """The profile, read once per process and text."""
        return _cached_profile(self.profile)

    def engines(self) -> Engines:
        """The engines that sample."""
        return Engines()

    def generator_id(self) -> str:
        """The ``sampler_id`` of the profile's generator."""
        return identify(self.settings().generator, self.engines()).sampler_id

    def completer_id(self) -> str:
        """The ``sampler_id`` of who goes on from prefixes."""
        return identify(self.settings().rollout_sampler, self.engines()).sampler_id

    def readings(self) -> Readings:
        """What small bases have read in this process: the assets that train and score share it."""
        return _shared_readings()


@functools.lru_cache(maxsize=8)
def _cached_profile(name: str) -> Profile:
    return load_profile(name)


@functools.lru_cache(maxsize=1)
def _shared_readings() -> Readings:
    return Readings()


def pipeline_from_environment() -> Pipeline:
    """The pipeline that ``STEPMARK_HOME`` and ``STEPMARK_PROFILE`` name, or the embedded default."""
    return Pipeline(
        home=os.environ.get(HOME_VARIABLE, DEFAULT_HOME),
        profile=os.environ.get(PROFILE_VARIABLE, BUILT_IN[0]),
    )
