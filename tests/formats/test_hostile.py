"""Whatever is done to a file of any format, it is read or refused in a sentence, in time."""

from __future__ import annotations

import random

import pytest
from hostile import changes, random_changes, spoilt, verdict
from hostile_samples import samples
from hypothesis import HealthCheck, given, settings

SAMPLES = samples()


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_good(name):
    if not name.endswith(".c3d"):
        asset = SAMPLES[name].read()
        assert asset.clips or name.endswith(".asf")


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(what=changes())
def test_changes(name, what):
    sample = SAMPLES[name]
    verdict(lambda: sample.read(spoilt(sample.data, what)), name)


@pytest.mark.parametrize("name", SAMPLES)
def test_truncations(name):
    """Cut off at sixty places, and emptied."""
    sample = SAMPLES[name]
    for at in range(0, len(sample.data), max(1, len(sample.data) // 60)):
        verdict(lambda at=at: sample.read(sample.data[:at]), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_many_changes(name):
    rng = random.Random(name)
    sample = SAMPLES[name]
    for _ in range(2000):
        what = random_changes(rng)
        try:
            verdict(lambda what=what: sample.read(spoilt(sample.data, what)), name)
        except Exception as error:
            raise AssertionError(f"{name} after {what}") from error
