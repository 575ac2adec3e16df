"""Root motion: a root above the hips travels along, and the body stays where it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.edit.root_motion import with_root_motion
from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.ground import ground_frame
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.rooted import poses_in_ground
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def walk():
    return synthesize("walk_120")


def under_a_root(clip: Clip) -> Clip:
    """The same motion with a still joint above the hips at the world's origin, as in the Bandai-Namco files."""
    s = clip.skeleton
    skeleton = Skeleton(
        ("still", *s.names),
        np.r_[-1, s.parents + 1],
        np.concatenate((quaternion.identity((1,)), s.rest_rotations)),
        np.concatenate((np.zeros((1, 3)), s.rest_translations)),
        ("root", *s.roles),
    )
    frames = len(clip)
    return replace(
        clip,
        skeleton=skeleton,
        rotations=np.concatenate((quaternion.identity((frames, 1)), clip.rotations), axis=1),
        translations=np.concatenate((np.zeros((frames, 1, 3)), clip.translations), axis=1),
    )


def test_a_still_root_comes_along_and_the_body_stays_where_it_is(walk):
    rooted = under_a_root(walk)
    ground = ground_frame(rooted)
    rotations, translations = poses_in_ground(rooted, ground)
    _, positions = forward_kinematics(rotations, translations, rooted.skeleton.parents)
    np.testing.assert_allclose(ground.world_from_ground(positions[:, 1:]), walk.world_positions, atol=1e-9)
    assert np.abs(translations[:, :2]).max() < 1.5  # no lever of many metres


def test_root_motion_moves_the_root_and_nothing_else(walk):
    rooted = under_a_root(walk)
    moved = with_root_motion(rooted)
    np.testing.assert_allclose(moved.world_positions[:, 1:], rooted.world_positions[:, 1:], atol=1e-9)
    np.testing.assert_allclose(moved.world_positions[:, 0], ground_frame(rooted).positions, atol=1e-9)
