"""The T-pose of any rig: what it must look like, and that it does not depend on how the rig was built."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.kinematics import inverse_kinematics
from moveset.rigs.reference import stands, t_pose


def standing_at_ease(heading: float = 0.7, frames: int = 5) -> Clip:
    """The canonical skeleton with its arms down, facing `heading` [rad], somewhere on the floor."""
    skeleton = canonical_skeleton()
    rotations = np.array(np.broadcast_to(skeleton.rest_rotations, (frames, len(skeleton), 4)))
    for side, sign in (("left", -1), ("right", 1)):
        down = quaternion.from_axis_angle((0, 0, 1), sign * np.radians(80))
        rotations[:, skeleton.joint(side + "UpperArm")] = down
    rotations[:, 0] = quaternion.from_axis_angle((0, 1, 0), heading)
    translations = np.array(np.broadcast_to(skeleton.rest_translations, (frames, len(skeleton), 3)))
    translations[:, 0] += (3, 0, -2)
    return Clip(skeleton, rotations, translations, 30.0)


def folded(clip: Clip) -> Clip:
    """The same motion on a rig whose joints all have zero rest rotations and bones along local X."""
    skeleton = clip.skeleton
    world, positions = clip.world_rotations.copy(), clip.world_positions
    rest_world = skeleton.rest_world[1]
    for j, children in enumerate(skeleton.children):
        if children:
            bone = rest_world[children[0]] - rest_world[j]
            world[:, j] = quaternion.multiply(world[:, j], quaternion.between(np.array([1.0, 0, 0]), bone))
    rotations, translations = inverse_kinematics(world, positions, skeleton.parents)
    rig = Skeleton(
        skeleton.names,
        skeleton.parents,
        quaternion.identity((len(skeleton),)),
        translations[0],
        skeleton.roles,
    )
    return Clip(rig, rotations, translations, clip.fps)


def test_the_canonical_rest_is_its_own_t_pose():
    skeleton = canonical_skeleton()
    np.testing.assert_allclose(t_pose(skeleton).world_positions[0], skeleton.rest_world[1], atol=0.02)


@pytest.mark.parametrize("heading", [0.0, 1.5, 3.1, -2.0])
def test_a_folded_rig_finds_the_t_pose_in_its_motion(heading):
    clip = folded(standing_at_ease(heading))
    assert not stands(clip.skeleton, clip.skeleton.rest_rotations, clip.skeleton.rest_translations)
    pose = t_pose(clip.skeleton, clip)
    straight = t_pose(canonical_skeleton())
    np.testing.assert_allclose(pose.world_positions[0], straight.world_positions[0], atol=1e-6)


def test_a_folded_rig_without_motion_is_refused():
    skeleton = folded(standing_at_ease()).skeleton
    with pytest.raises(MovesetError, match="does not stand like a person"):
        t_pose(skeleton)


def test_a_rig_that_is_not_a_humanoid_is_refused_by_the_roles_it_lacks():
    snake = Skeleton(("head", "tail"), np.array([-1, 0]), quaternion.identity((2,)), np.zeros((2, 3)))
    with pytest.raises(MovesetError, match="no joint plays hips, spine, head"):
        t_pose(snake)
