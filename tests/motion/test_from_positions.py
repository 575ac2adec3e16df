from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Skeleton
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.from_positions import fit_skeleton, rotations_from_positions
from moveset.motion.kinematics import forward_kinematics


def turned(clip, angles):
    """The clip turned on the spot by `angles` (F,) about +Y."""
    turn = quaternion.from_axis_angle([0, 1, 0], angles)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0])
    return replace(clip, rotations=rotations, translations=translations)


def steps(rotations):
    """Largest turn of each joint from one frame to the next [rad]."""
    return quaternion.angle_between(rotations[1:], rotations[:-1]).max()


@pytest.mark.parametrize("turns", [0.0, 1.0, -3.0])
def test_a_full_turn(smooth_clip, turns):
    """Peers that look at frame 0 or at world axes flip somewhere on the way round."""
    clip = turned(smooth_clip(frames=120, size=0.4), np.linspace(0, turns * 2 * np.pi, 120))
    rotations, translations = rotations_from_positions(clip.world_positions, clip.skeleton)
    positions = forward_kinematics(rotations, translations, clip.skeleton.parents)[1]
    assert np.linalg.norm(positions - clip.world_positions, axis=-1).mean() < 1e-4
    assert steps(rotations) <= 2 * steps(clip.rotations)


def test_the_error_is_the_same_at_every_heading(smooth_clip):
    """On a body of other proportions there is an error; it must not know where the body looks."""
    clip = smooth_clip(canonical_skeleton(Body(arm=1.2, leg=0.9)), frames=20)
    errors = []
    for heading in np.linspace(0, 2 * np.pi, 9)[:-1]:
        other = turned(clip, np.full(20, heading))
        rotations, translations = rotations_from_positions(other.world_positions, canonical_skeleton())
        positions = forward_kinematics(rotations, translations, clip.skeleton.parents)[1]
        errors.append(np.linalg.norm(positions - other.world_positions, axis=-1).mean())
    assert errors[0] > 1e-3
    np.testing.assert_allclose(errors, errors[0], rtol=1e-9)


def test_the_rotation_of_branching_joints_is_exact(smooth_clip, assert_same_rotations):
    clip = smooth_clip()
    rotations, translations = rotations_from_positions(clip.world_positions, clip.skeleton)
    world = forward_kinematics(rotations, translations, clip.skeleton.parents)[0]
    branching = clip.skeleton.joints(("hips", "upperChest"))
    assert_same_rotations(world[:, branching], clip.world_rotations[:, branching])


def test_each_frame_stands_alone(smooth_clip, assert_same_rotations):
    clip = smooth_clip(frames=10)
    together, _ = rotations_from_positions(clip.world_positions, clip.skeleton)
    alone = np.concatenate(
        [rotations_from_positions(frame[None], clip.skeleton)[0] for frame in clip.world_positions]
    )
    assert_same_rotations(together, alone)


def test_any_bone_frames(smooth_clip):
    """Rest rotations that are not the identity."""
    skeleton = canonical_skeleton()
    rng = np.random.default_rng(3)
    rest = quaternion.normalize(rng.normal(size=(24, 4)))
    clip = smooth_clip(replace(skeleton, rest_rotations=rest), size=0.4)
    rotations, translations = rotations_from_positions(clip.world_positions, clip.skeleton)
    positions = forward_kinematics(rotations, translations, clip.skeleton.parents)[1]
    np.testing.assert_allclose(positions, clip.world_positions, atol=1e-9)
    assert steps(rotations) <= 2 * steps(clip.rotations)


def test_two_bones_fix_a_rotation(assert_same_rotations):
    """Two directions span a plane; the third axis must not come out mirrored."""
    offsets = np.array([[0, 0, 0], [0.1, -0.05, 0], [-0.1, 0.02, 0.04]])
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 0]), quaternion.identity((3,)), offsets)
    q = quaternion.normalize(np.random.default_rng(0).normal(size=(50, 4)))
    positions = quaternion.rotate(q[:, None], offsets[None])
    rotations, _ = rotations_from_positions(positions, skeleton)
    assert_same_rotations(rotations[:, 0], q)


def rooted_skeleton(gap, roles):
    """The canonical body under a root, `gap` below its hips, which rest a quarter turn from the root."""
    skeleton = canonical_skeleton()
    rest = np.concatenate(([[0, 0.5, 0]], skeleton.rest_translations))
    rest[1] = [0, gap * 0.9, 0]
    frames = quaternion.identity((25,))
    frames[1] = quaternion.from_axis_angle([0, 1, 0], np.pi / 2)
    names = ("root", *skeleton.names)
    return Skeleton(names, np.concatenate(([-1], skeleton.parents + 1)), frames, rest, names if roles else ())


@pytest.mark.parametrize("gap", [0.0, 1.0], ids=["root in the hips", "root on the floor"])
def test_a_root_without_a_role_turns_with_what_is_below(smooth_clip, gap):
    rooted = rooted_skeleton(gap, roles=False)
    clip = turned(smooth_clip(rooted, frames=90, size=0.3), np.linspace(0, 2 * np.pi, 90))
    rotations, translations = rotations_from_positions(clip.world_positions, rooted)
    positions = forward_kinematics(rotations, translations, rooted.parents)[1]
    np.testing.assert_allclose(positions, clip.world_positions, atol=1e-9)
    assert steps(rotations) <= 2 * steps(clip.rotations)
    # what is left to the joint below is small
    assert np.degrees(quaternion.angle_between(rotations[:, 1], rooted.rest_rotations[1])).max() < 40


def test_what_is_above_the_hips_only_places_them(smooth_clip, assert_same_rotations):
    """Hips that move under a still root, as in the Bandai-Namco sets: no bone leads to them."""
    rooted = rooted_skeleton(1.0, roles=True)
    clip = turned(smooth_clip(rooted, frames=90, size=0.3), np.linspace(0, 2 * np.pi, 90))
    translations = clip.translations.copy()
    translations[:, 1] += np.linspace([0, 0, 0], [2.0, -0.8, 3.0], 90)
    clip = replace(clip, translations=translations)
    rotations, translations = rotations_from_positions(clip.world_positions, rooted)
    positions = forward_kinematics(rotations, translations, rooted.parents)[1]
    np.testing.assert_allclose(positions, clip.world_positions, atol=1e-9)
    assert_same_rotations(rotations[:, 0], np.broadcast_to(rooted.rest_rotations[0], (90, 4)))
    assert steps(rotations) <= 2 * steps(clip.world_rotations)


def test_a_single_chain():
    skeleton = Skeleton(
        ("a", "b", "c"),
        np.array([-1, 0, 1]),
        quaternion.identity((3,)),
        np.array([[0, 0, 0], [0, 1, 0], [0, 1, 0]]),
    )
    positions = np.array(
        [[[0, 0, 0], [1, 0, 0], [1, 0, 1]], [[0, 0, 0], [0, -1, 0], [0, -2, 0]]], dtype=float
    )
    rotations, translations = rotations_from_positions(positions, skeleton)
    again = forward_kinematics(rotations, translations, skeleton.parents)[1]
    np.testing.assert_allclose(again, positions, atol=1e-12)


def test_bones_are_found_in_positions(smooth_clip):
    """Of a longer body whose hips are of another shape, starting from the canonical figure."""
    skeleton = canonical_skeleton(Body(height=1.9, leg=1.1, shoulder=0.9))
    clip = smooth_clip(skeleton, frames=12)
    found = fit_skeleton(clip.world_positions, canonical_skeleton())
    bones = np.arange(len(skeleton)) > 0
    lengths = [np.linalg.norm(s.rest_translations[bones], axis=-1) for s in (found, skeleton)]
    np.testing.assert_allclose(*lengths, atol=1e-9)
    rotations, translations = rotations_from_positions(clip.world_positions, found)
    positions = forward_kinematics(rotations, translations, found.parents)[1]
    np.testing.assert_allclose(positions, clip.world_positions, atol=1e-9)
