"""Chains of clips: what stays, what fades."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.edit.chain import chain
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import measure
from moveset.motion.ground import ground_frame
from moveset.motion.resample import resample
from moveset.synthetic import synthesize


@pytest.fixture(scope="module")
def clips():
    return [resample(synthesize(name), 30.0) for name in ("one_handed_light_diagonal_down", "walk_120")]


def test_one_clip_stays_as_it_is(clips):
    slash = clips[0]
    alone = chain([slash])
    before, after = ground_frame(slash), ground_frame(alone)
    seen = before.ground_from_world(slash.world_positions), after.ground_from_world(alone.world_positions)
    assert np.abs(seen[0] - seen[1]).max() < 0.02  # the first step is taken to go on as the second
    assert quaternion.angle_between(slash.rotations[:, 5], alone.rotations[:, 5]).max() < 1e-6


def test_it_goes_on_where_the_one_before_ended(clips):
    slash, walk = clips
    both = chain([slash, walk, slash])
    assert len(both) == 2 * len(slash) + len(walk)
    hard = np.concatenate([slash.world_positions, walk.world_positions])
    seam = slice(len(slash) - 3, len(slash) + 3)
    step = np.linalg.norm(np.diff(both.world_positions[seam], axis=0), axis=-1).max()
    assert step < 0.5 * np.linalg.norm(np.diff(hard[seam], axis=0), axis=-1).max()
    assert measure.jerk(both) < 1.5 * max(measure.jerk(clip) for clip in clips)
    # long after the seam it is the second clip again
    late = len(slash) + 25
    assert quaternion.angle_between(both.rotations[late, 5], walk.rotations[25, 5]) < 0.03


def test_clips_of_two_rates_are_refused(clips):
    with pytest.raises(MovesetError, match="frame rate"):
        chain([clips[0], resample(clips[0], 24.0)])
