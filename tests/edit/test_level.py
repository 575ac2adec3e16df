"""Clips on several floors come to stand on one."""

from __future__ import annotations

import numpy as np

from moveset.edit.level import leveled, raised
from moveset.motion.contacts import standing_heights
from moveset.synthetic import synthesize


def test_a_set_that_agrees_stays_where_it_is():
    clips = [synthesize(name) for name in ("walk_100", "walk_120", "walk_140")]
    _, moves = leveled(clips)
    assert abs(moves).max() < 0.005


def test_floors_apart_come_together_and_nothing_else_changes():
    walks = [synthesize(name) for name in ("walk_100", "walk_120", "walk_140", "walk_160", "walk_180")]
    floors = (0.0, 0.08, 0.0, -0.05, 0.0)
    flat, moves = leveled([raised(walk, floor) for walk, floor in zip(walks, floors)])
    np.testing.assert_allclose(moves, -np.array(floors), atol=0.005)
    heights = np.array([standing_heights(clip) for clip in flat])
    assert np.ptp(heights, axis=0).max() < 0.005
    np.testing.assert_allclose(
        flat[1].world_positions[..., ::2], walks[1].world_positions[..., ::2], atol=1e-12
    )
