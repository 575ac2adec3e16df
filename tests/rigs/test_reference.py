"""The T-pose of any rig: what it must look like, and that it does not depend on how the rig was built."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.motion.kinematics import inverse_kinematics
from moveset.rigs.reference import reference_pose, stands, t_pose


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


def turned(skeleton: Skeleton, turn, scale: float = 1.0) -> Skeleton:
    """The rig with its rest pose turned as a whole and scaled."""
    world, positions = skeleton.rest_world
    rotations, translations = inverse_kinematics(
        quaternion.multiply(np.asarray(turn), world),
        scale * quaternion.rotate(np.asarray(turn), positions),
        skeleton.parents,
    )
    return Skeleton(skeleton.names, skeleton.parents, rotations, translations, skeleton.roles)


TURNS = {
    "along +Z": ((1, 0, 0), np.pi / 2, "stands along +Z"),
    "along -Z": ((1, 0, 0), -np.pi / 2, "stands along -Z"),
    "along +X": ((0, 0, 1), -np.pi / 2, "stands along +X"),
    "facing -Z": ((0, 1, 0), np.pi, "faces -Z"),
    "facing +X": ((0, 1, 0), np.pi / 2, "faces +X"),
}


@pytest.mark.parametrize("case", TURNS)
def test_a_rest_that_lies_or_faces_elsewhere_gives_the_same_t_pose_and_says_so(case):
    axis, angle, words = TURNS[case]
    skeleton = turned(canonical_skeleton(), quaternion.from_axis_angle(axis, angle))
    reference = reference_pose(skeleton)
    straight = t_pose(canonical_skeleton())
    np.testing.assert_allclose(reference.pose.world_positions[0], straight.world_positions[0], atol=1e-6)
    alike = np.sum(reference.pose.world_rotations[0] * straight.world_rotations[0], axis=-1)
    np.testing.assert_allclose(np.abs(alike), 1, atol=1e-6)
    assert words in reference.notes[0] and words in reference.findings("x")[0].message


def test_an_upright_rest_that_faces_z_assumes_nothing():
    reference = reference_pose(canonical_skeleton())
    assert reference.kind == "humanoid" and reference.notes == ()
    assert 1.5 < reference.height < 1.75


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_bodies_of_another_unit_are_told_by_their_height(scale):
    reference = reference_pose(turned(canonical_skeleton(), quaternion.IDENTITY, scale))
    usual = reference_pose(turned(canonical_skeleton(), quaternion.IDENTITY))
    assert reference.height == pytest.approx(scale * usual.height, rel=1e-6)
    assert any("m high" in note for note in reference.notes)


def test_a_rest_in_mid_step_sets_both_soles_as_the_standing_foot_has_its():
    skeleton = canonical_skeleton()
    rotations = np.array(skeleton.rest_rotations)
    rotations[skeleton.joint("leftFoot")] = quaternion.from_axis_angle(
        (1, 0, 0), np.radians(50)
    )  # heel lifted
    stepping = Skeleton(
        skeleton.names, skeleton.parents, rotations, skeleton.rest_translations, skeleton.roles
    )
    pose, straight = t_pose(stepping), t_pose(skeleton)
    np.testing.assert_allclose(pose.world_positions[0], straight.world_positions[0], atol=0.01)


def dog(splay: float = 0.0, turn=quaternion.IDENTITY) -> Skeleton:
    """A dog with its names' roles, front legs set ahead by `splay` [m]."""
    rows = {
        "hips": (None, (0, 0.6, -0.3)),
        "spine": ("hips", (0, 0.6, 0.0)),
        "head": ("spine", (0, 0.8, 0.5)),
    }
    for side, x in (("left", 0.1), ("right", -0.1)):
        for end, above, z in (("Front", "spine", 0.2), ("", "hips", -0.3)):
            ahead = splay if end else 0.0
            rows |= {
                f"{side}{end}UpperLeg": (above, (x, 0.5, z)),
                f"{side}{end}LowerLeg": (f"{side}{end}UpperLeg", (x, 0.3, z + 0.05 + ahead / 2)),
                f"{side}{end}Foot": (f"{side}{end}LowerLeg", (x, 0.1, z + ahead)),
                f"{side}{end}Toes": (f"{side}{end}Foot", (x, 0.02, z + 0.06 + ahead)),
            }
    names = tuple(rows)
    parents = np.array([-1 if above is None else names.index(above) for above, _ in rows.values()])
    positions = quaternion.rotate(
        np.asarray(turn), np.array([place for _, place in rows.values()], dtype=float)
    )
    world = np.broadcast_to(np.asarray(turn), (len(names), 4))
    return Skeleton(names, parents, *inverse_kinematics(world, positions, parents), names)


@pytest.mark.parametrize("splay", [0.0, 0.15, -0.1])
def test_a_quadruped_stands_with_its_feet_under_its_legs(splay):
    skeleton = dog(splay, quaternion.from_axis_angle((0, 1, 0), 2.0))
    reference = reference_pose(skeleton)
    assert reference.kind == "quadruped"
    positions = reference.pose.world_positions[0]
    for side, sign in (("left", 1), ("right", -1)):
        for end in ("Front", ""):
            foot = positions[skeleton.joint(f"{side}{end}Foot")]
            top = positions[skeleton.joint(f"{side}{end}UpperLeg")]
            np.testing.assert_allclose(foot[[0, 2]], top[[0, 2]], atol=1e-9)
            toes = positions[skeleton.joint(f"{side}{end}Toes")]
            np.testing.assert_allclose(toes - foot, (0, -0.08, 0.06), atol=1e-6)  # soles as they were
            assert sign * top[0] > 0
    assert positions[skeleton.joint("head")][2] > positions[skeleton.joint("hips")][2] + 0.7


def test_a_dog_that_lies_on_its_rest_pose_is_stood_up_from_its_motion():
    skeleton = dog()
    folded = np.linalg.norm(skeleton.rest_translations, axis=1, keepdims=True) * (1.0, 0, 0)
    lying = Skeleton(skeleton.names, skeleton.parents, skeleton.rest_rotations, folded, skeleton.roles)
    with pytest.raises(MovesetError, match="does not stand on its legs"):
        reference_pose(lying)
    clip = Clip(lying, skeleton.rest_rotations[None], skeleton.rest_translations[None], 30.0, name="stand")
    reference = reference_pose(lying, clip)
    assert "frame 0 of stand" in reference.notes[0]
    np.testing.assert_allclose(
        reference.pose.world_positions[0], reference_pose(skeleton).pose.world_positions[0], atol=1e-9
    )
