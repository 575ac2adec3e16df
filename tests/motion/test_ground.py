from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion, signal
from moveset.motion import Clip, Skeleton
from moveset.motion.ground import ground_frame, headings, integrate


def moved(clip, heading, shift):
    """The clip turned about +Y by `heading` and shifted in the world."""
    turn = quaternion.from_axis_angle([0, 1, 0], heading)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0]) + shift
    return replace(clip, rotations=rotations, translations=translations)


@pytest.mark.parametrize("heading", [0.4, 3.0, -2.0])
@pytest.mark.parametrize("roles", ["all", "hips", "none"])
def test_the_place_in_the_world_does_not_matter(smooth_clip, assert_same_rotations, heading, roles):
    clip = smooth_clip()
    keep = {"all": clip.skeleton.roles, "none": (), "hips": ("hips", "leftUpperLeg", "rightUpperLeg")}[roles]
    skeleton = replace(clip.skeleton, roles=tuple(r if r in keep else None for r in clip.skeleton.roles))
    clip = replace(clip, skeleton=skeleton)
    other = moved(clip, heading, [3.0, 0.0, -7.0])
    frame, frame2 = ground_frame(clip), ground_frame(other)
    np.testing.assert_allclose(
        frame.ground_from_world(clip.world_positions),
        frame2.ground_from_world(other.world_positions),
        atol=1e-9,
    )
    velocity, velocity2 = (signal.derivative(c.world_positions, c.fps) for c in (clip, other))
    np.testing.assert_allclose(
        frame.ground_from_world_directions(velocity),
        frame2.ground_from_world_directions(velocity2),
        atol=1e-9,
    )
    assert_same_rotations(
        frame.ground_from_world_rotations(clip.world_rotations),
        frame2.ground_from_world_rotations(other.world_rotations),
    )
    np.testing.assert_allclose(frame.displacements, frame2.displacements, atol=1e-9)
    assert np.all(frame.positions[:, 1] == 0)


def test_there_and_back(smooth_clip, assert_same_rotations):
    clip = smooth_clip()
    frame = ground_frame(clip)
    positions, rotations = clip.world_positions, clip.world_rotations
    there = frame.ground_from_world(positions)
    np.testing.assert_allclose(frame.world_from_ground(there), positions, atol=1e-12)
    there = frame.ground_from_world_directions(positions)
    np.testing.assert_allclose(frame.world_from_ground_directions(there), positions, atol=1e-12)
    there = frame.ground_from_world_rotations(rotations)
    assert_same_rotations(frame.world_from_ground_rotations(there), rotations, 1e-12)


@pytest.mark.parametrize("heading", [0.0, 1.0, -2.5])
def test_heading_of_a_standing_body(standing_clip, heading):
    clip = moved(standing_clip(frames=5), heading, [1.0, 0, 2.0])
    frame = ground_frame(clip)
    np.testing.assert_allclose(frame.headings, heading, atol=1e-12)
    np.testing.assert_allclose(frame.positions, clip.world_positions[:, 0] * [1, 0, 1], atol=1e-12)
    left = frame.ground_from_world(clip.world_positions)[0, clip.skeleton.joint("leftHand")]
    assert left[0] > 0.5


def test_a_full_turn_is_unwrapped_and_steady(standing_clip):
    clip = standing_clip(frames=121)
    rotations = np.array(clip.rotations)
    turning = np.linspace(0, 4 * np.pi, 121)
    rotations[:, 0] = quaternion.from_axis_angle([0, 1, 0], turning)
    frame = ground_frame(replace(clip, rotations=rotations))
    np.testing.assert_allclose(frame.headings, turning, atol=1e-9)
    np.testing.assert_allclose(frame.displacements[1:, 2], 4 * np.pi / 120, atol=1e-9)


def test_a_spinning_loop_has_no_seam(standing_clip):
    clip = standing_clip(frames=60)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = quaternion.from_axis_angle([0, 1, 0], np.arange(60) * 2 * np.pi / 60)
    frame = ground_frame(replace(clip, rotations=rotations, loop=True))
    np.testing.assert_allclose(frame.headings, np.arange(60) * 2 * np.pi / 60, atol=1e-9)


def test_smoothing_takes_out_the_sway_and_not_the_way(standing_clip):
    clip = standing_clip(frames=120)
    translations = np.array(clip.translations)
    way = np.arange(120) / 30 * 1.4
    translations[:, 0, 2] += way + 0.02 * np.sin(np.arange(120) * 2 * np.pi * 2 / 30)
    frame = ground_frame(replace(clip, translations=translations))
    inner = slice(20, -20)
    assert np.abs(frame.positions[inner, 2] - way[inner]).max() < 0.02 * 0.3
    unsmoothed = ground_frame(replace(clip, translations=translations), 0, 0)
    assert np.abs(unsmoothed.positions[inner, 2] - way[inner]).max() > 0.019


def test_a_body_on_its_side_is_read_through(standing_clip):
    """A cartwheel: the line across the body stands upright half of the time."""
    clip = standing_clip(frames=61)
    rotations = np.array(clip.rotations)
    roll = quaternion.from_axis_angle([0, 0, 1], np.linspace(0, np.pi / 2, 61))
    rotations[:, 0] = quaternion.multiply(quaternion.from_axis_angle([0, 1, 0], 0.7), roll)
    np.testing.assert_allclose(headings(replace(clip, rotations=rotations)), 0.7, atol=1e-9)


def test_displacements_integrate_back(smooth_clip):
    frame = ground_frame(smooth_clip())
    again = integrate(frame.displacements, frame.positions[0], frame.headings[0])
    np.testing.assert_allclose(again.positions, frame.positions, atol=1e-12)
    np.testing.assert_allclose(again.headings, frame.headings, atol=1e-12)


@pytest.mark.parametrize("axis", [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.6, 0.0, 0.8]])
def test_without_roles_the_root_turn_from_rest_counts(axis):
    turn = quaternion.from_axis_angle(axis, -np.pi / 2)  # as rigs made for Z up stand in a world of Y up
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.stack((turn, [0, 0, 0, 1])), np.zeros((2, 3)))
    rotations = np.repeat(skeleton.rest_rotations[None], 4, axis=0)
    rotations[:, 0] = quaternion.multiply(quaternion.from_axis_angle([0, 1, 0], 1.1), turn)
    clip = Clip(skeleton, rotations, np.zeros((4, 2, 3)), 30)
    np.testing.assert_allclose(ground_frame(clip).headings, 1.1, atol=1e-12)


def test_without_roles_a_bow_is_no_turn(standing_clip):
    clip = standing_clip(frames=5)
    bow = np.array(clip.rotations)
    bow[:, 0] = quaternion.multiply(
        quaternion.from_axis_angle([0, 1, 0], 0.5), quaternion.from_axis_angle([1, 0, 0], np.radians(100))
    )
    bare = replace(clip.skeleton, roles=())
    np.testing.assert_allclose(
        ground_frame(replace(clip, skeleton=bare, rotations=bow)).headings, 0.5, atol=1e-9
    )
