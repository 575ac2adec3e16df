"""Wandering: what wears out is seen in its trend."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import FPS, Scripted

from moveset.runtime.crowd import CrowdConfig
from moveset.runtime.evaluation.reference import references
from moveset.runtime.evaluation.wander import WATCHED, Wander, wander
from moveset.synthetic.corpus import synthesize

FREE = CrowdConfig(foot_lock=False)


def parts(slope, noise=0.0, count=30):
    rng = np.random.default_rng(0)
    rows = 1 + slope * np.arange(count) / (count - 1) + rng.normal(0, noise, (4, count))
    return tuple(dict(zip(WATCHED, row)) for row in rows.T)


@pytest.mark.parametrize(
    "slope, noise, steady",
    [(0.0, 0.0, True), (0.3, 0.0, False), (-0.3, 0.05, False), (0.05, 0.0, True), (0.0, 0.1, True)],
)
def test_a_trend_is_told_from_chance(slope, noise, steady):
    found = Wander(30, 8, parts(slope, noise), 1.0, 1.0)
    assert found.steady is steady
    change, error = found.change("jerk_ratio")
    assert change == pytest.approx(slope / (1 + slope / 2), abs=1e-9 if not noise else 4 * error)


def test_few_parts_do_not_tell():
    assert Wander(1, 2, parts(0.5, count=3), 1.0, 1.0).steady is None


def test_a_statue_has_no_diversity(matching, clips):
    real = references(clips).everything
    walk = synthesize("walk_120")
    ahead = Scripted(
        walk, lambda frame: np.array([[0.0, 1.2 * frame / FPS]]), lambda _: np.zeros(1), frozen=True
    )
    statue = wander(ahead, real, 0.2, 2, 2, config=FREE)
    alive = wander(matching, real, 0.2, 2, 4)
    assert statue.diversity < 0.01
    assert alive.diversity_ratio > 0.4
    assert len(alive.parts) == 2 and statue.mean("jerk_ratio") < 0.1 < alive.mean("jerk_ratio")
