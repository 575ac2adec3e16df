"""A motion without its rig stands where the rig stood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Clip
from moveset.motion.kinematics import inverse_kinematics
from moveset.retarget.humanoid import on_humanoid
from moveset.rigs.reference import t_pose
from moveset.synthetic import synthesize


def rolled(clip: Clip, seed: int) -> Clip:
    """The same motion on a rig whose joints have frames of any orientation."""
    skeleton = clip.skeleton
    roll = quaternion.normalize(np.random.default_rng(seed).normal(size=(len(skeleton), 4)))
    rest = inverse_kinematics(
        quaternion.multiply(skeleton.rest_world[0], roll), skeleton.rest_world[1], skeleton.parents
    )
    moved = inverse_kinematics(
        quaternion.multiply(clip.world_rotations, roll), clip.world_positions, skeleton.parents
    )
    return replace(
        clip,
        skeleton=replace(skeleton, rest_rotations=rest[0], rest_translations=rest[1]),
        rotations=moved[0],
        translations=moved[1],
    )


@pytest.mark.parametrize("seed", range(3))
def test_joints_stay_where_they_were(seed):
    clip = rolled(synthesize("walk_turn_left_090").slice(0, 30), seed)
    plain = on_humanoid(clip, t_pose(clip.skeleton))
    names = plain.skeleton.names
    assert names == plain.skeleton.roles and "leftProp" not in names
    np.testing.assert_allclose(
        plain.world_positions, clip.world_positions[:, clip.skeleton.joints(names)], atol=1e-9
    )
    assert np.abs(plain.skeleton.rest_rotations - quaternion.IDENTITY).max() == 0
    straight = synthesize("walk_turn_left_090").slice(0, 30)
    trunk = [role for role in names if "Leg" not in role and "Foot" not in role and "Toes" not in role]
    turned = quaternion.angle_between(
        plain.world_rotations[:, plain.skeleton.joints(trunk)],
        straight.world_rotations[:, straight.skeleton.joints(trunk)],
    )
    assert turned.max() < 1e-6, "but for its shanks, the canonical skeleton rests in a T-pose"


def test_what_lies_between_goes_to_the_joint_below():
    clip = synthesize("walk_100").slice(0, 5)
    roles = tuple(None if role in ("chest", "leftShoulder") else role for role in clip.skeleton.roles)
    clip = replace(clip, skeleton=replace(clip.skeleton, roles=roles))
    plain = on_humanoid(clip, t_pose(clip.skeleton))
    assert "chest" not in plain.skeleton.names
    at = plain.skeleton.joint("leftUpperArm")
    assert plain.skeleton.names[plain.skeleton.parents[at]] == "upperChest"
    np.testing.assert_allclose(
        plain.world_rotations[:, at], clip.world_rotations[:, clip.skeleton.joint("leftUpperArm")], atol=1e-9
    )
