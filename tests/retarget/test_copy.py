"""Rotation copy: the result must not depend on rest poses, bone axes or headings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.kinematics import inverse_kinematics
from moveset.workflows.retarget import retarget_clip


def dance(skeleton: Skeleton, seed: int = 0, frames: int = 20) -> Clip:
    """Random smooth turns of every joint and a travelling, turning root."""
    rng = np.random.default_rng(seed)
    times = np.linspace(0, 1, frames)[:, None, None]
    wave = np.sin(2 * np.pi * (times + rng.uniform(0, 1, (1, len(skeleton), 3))))
    rotations = quaternion.multiply(skeleton.rest_rotations, quaternion.from_rotation_vector(0.5 * wave))
    rotations[:, 0] = quaternion.multiply(
        quaternion.from_axis_angle((0, 1, 0), np.linspace(0, 6, frames)), rotations[:, 0]
    )
    translations = np.array(np.broadcast_to(skeleton.rest_translations, (frames, len(skeleton), 3)))
    translations[:, 0] += np.linspace((0, 0, 0), (1.0, 0.2, 2.0), frames)
    return Clip(skeleton, rotations, translations, fps=30.0)


def other_axes(skeleton: Skeleton, seed: int = 1) -> tuple[Skeleton, np.ndarray]:
    """The same body whose joints have random local axes, and those axes (J, 4) in each joint."""
    rng = np.random.default_rng(seed)
    axes = quaternion.normalize(rng.normal(size=(len(skeleton), 4)))
    world_rotations, positions = skeleton.rest_world
    rotations, translations = inverse_kinematics(
        quaternion.multiply(world_rotations, axes), positions, skeleton.parents
    )
    return Skeleton(skeleton.names, skeleton.parents, rotations, translations, skeleton.roles), axes


def test_onto_itself_changes_nothing():
    clip = dance(canonical_skeleton())
    again = retarget_clip(clip, clip.skeleton)
    # hip height comes back from the standing ankles: exact in the plane, to the ankle height upwards
    np.testing.assert_allclose(again.world_rotations, quaternion.unroll(clip.world_rotations), atol=1e-9)
    np.testing.assert_allclose(again.world_positions[..., ::2], clip.world_positions[..., ::2], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_bone_axes_do_not_matter(seed):
    clip = dance(canonical_skeleton(), seed)
    target, _ = other_axes(clip.skeleton, seed)
    there = retarget_clip(clip, target)
    straight = retarget_clip(clip, clip.skeleton)
    np.testing.assert_allclose(there.world_positions, straight.world_positions, atol=1e-9)
    back = retarget_clip(there, clip.skeleton)
    assert quaternion.angle_between(back.world_rotations, clip.world_rotations).max() < 1e-6


def test_an_a_pose_rest_gives_the_same_motion():
    skeleton = canonical_skeleton()
    rest = skeleton.rest_rotations.copy()
    for side, sign in (("left", -1), ("right", 1)):
        rest[skeleton.joint(side + "UpperArm")] = quaternion.from_axis_angle((0, 0, 1), sign * np.radians(40))
        rest[skeleton.joint(side + "UpperLeg")] = quaternion.from_axis_angle((0, 0, 1), -sign * np.radians(8))
    target = replace(skeleton, rest_rotations=rest)
    clip = dance(skeleton)
    np.testing.assert_allclose(
        retarget_clip(clip, target).world_positions, retarget_clip(clip, skeleton).world_positions, atol=1e-9
    )


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_turning_the_clip_turns_the_result(degrees):
    clip = dance(canonical_skeleton())
    turn = quaternion.from_axis_angle((0, 1, 0), np.radians(degrees))
    rotations, translations = np.array(clip.rotations), np.array(clip.translations)
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0])
    turned = replace(clip, rotations=rotations, translations=translations)
    target = canonical_skeleton(Body(leg=0.8, arm=1.2))
    np.testing.assert_allclose(
        retarget_clip(turned, target).world_positions,
        quaternion.rotate(turn, retarget_clip(clip, target).world_positions),
        atol=1e-9,
    )


def test_hips_follow_in_proportion_to_the_legs():
    clip = dance(canonical_skeleton())
    target = canonical_skeleton(Body(leg=1.3))
    travelled = [
        c.world_positions[-1, c.skeleton.joints(("leftUpperLeg", "rightUpperLeg"))].mean(axis=0)
        - c.world_positions[0, c.skeleton.joints(("leftUpperLeg", "rightUpperLeg"))].mean(axis=0)
        for c in (clip, retarget_clip(clip, target))
    ]
    np.testing.assert_allclose(travelled[1], 1.3 * travelled[0], atol=1e-9)


def test_a_foot_that_is_a_root_of_its_own_stays_on_its_leg():
    skeleton = canonical_skeleton()
    foot, knee = skeleton.joint("leftFoot"), skeleton.joint("leftLowerLeg")
    parents = skeleton.parents.copy()
    parents[foot] = -1
    world_rotations, positions = skeleton.rest_world
    rotations, translations = inverse_kinematics(world_rotations, positions, parents)
    detached = Skeleton(skeleton.names, parents, rotations, translations, skeleton.roles)
    clip = dance(skeleton)
    result, straight = retarget_clip(clip, detached), retarget_clip(clip, skeleton)
    np.testing.assert_allclose(result.world_positions[:, foot], straight.world_positions[:, foot], atol=1e-9)
    np.testing.assert_allclose(result.world_positions[:, knee], straight.world_positions[:, knee], atol=1e-9)
