"""Measures against motion whose figures are known beforehand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from moveset.geometry import quaternion
from moveset.motion import Clip, Contacts, Skeleton, measure
from moveset.motion.canonical import canonical_skeleton

FPS = 30.0


def sliding(speed, height=0.0, frames=60):
    """The left foot slides forward at `speed` and `height` over standing."""
    foot = np.zeros((frames, 3))
    foot[:, 1], foot[:, 2] = height, np.arange(frames) * speed / FPS
    return foot


STANDING = np.array([0.1, 0.02, 0.1, 0.02])


@pytest.mark.parametrize(
    "height, weight", [(0.0, 1), (-0.05, 1), (0.0125, 2 - 2**0.5), (0.025, 0), (0.2, 0), (80.0, 0)]
)
def test_foot_skate_is_weighted_by_height(leg_clip, height, weight):
    clip = leg_clip(sliding(0.8, height))
    # one of the two feet slides: half of the joints
    assert measure.foot_skate(clip, STANDING) == pytest.approx(0.8 * weight / 2, abs=1e-12)
    np.testing.assert_allclose(measure.foot_skate_by_frame(clip, STANDING), 0.8 * weight / 2, atol=1e-12)


def test_foot_skate_does_not_see_vertical_speed(leg_clip):
    foot = np.zeros((60, 3))
    foot[:, 1] = -np.arange(60) / FPS
    assert measure.foot_skate(leg_clip(foot), STANDING) == 0


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_speeds_do_not_depend_on_the_frame_rate(leg_clip, fps):
    foot = np.zeros((60, 3))
    foot[:, 0] = np.arange(60) * 0.6 / fps
    clip = leg_clip(foot, fps)
    assert measure.foot_skate(clip) == pytest.approx(0.3)
    assert measure.skating_ratio(clip) == pytest.approx(0.5)


def test_planted_speed_takes_the_toes_of_flagged_frames(leg_clip):
    clip = leg_clip(sliding(0.8))
    flags = np.zeros((60, 2), dtype=bool)
    flags[10:20, 0] = True
    assert measure.planted_speed(clip, Contacts(("leftToes", "rightToes"), flags)) == pytest.approx(0.8)
    assert measure.planted_speed(clip, Contacts(("rightToes", "leftToes"), flags)) == 0
    assert np.isnan(measure.planted_speed(clip, Contacts(("leftToes",), flags[:, 1:])))
    own = replace(clip, contacts=Contacts(("leftToes",), flags[:, :1]))
    assert measure.planted_speed(own) == pytest.approx(0.8)


def test_planted_speed_does_not_read_across_the_edges_of_a_contact(leg_clip):
    foot = sliding(0.8)
    foot[20:40] = foot[20]
    foot[40:] -= foot[40] - foot[39] - 0.02
    flags = np.zeros((60, 1), dtype=bool)
    flags[20:40] = True
    assert measure.planted_speed(leg_clip(foot), Contacts(("leftToes",), flags)) == 0
    flags[:] = False
    flags[30] = True
    assert np.isnan(measure.planted_speed(leg_clip(foot), Contacts(("leftToes",), flags)))


@pytest.mark.parametrize("speed", [0.0, 0.2, 1.0])
def test_slide_per_support(leg_clip, speed):
    """Two supports of the left toe, each sliding for 20 frames; the right one stands: one long support."""
    foot = sliding(speed)
    foot[25:35, 1] = 0.3
    slides = measure.slides_of_supports(leg_clip(foot), STANDING)
    left = [s for s in slides if s[0] == "leftToes"]
    assert [(start, stop) for _, start, stop, _ in left] == [(0, 24), (36, 60)]
    for _, start, stop, slide in left:
        assert slide == pytest.approx(speed * (stop - 1 - start) / FPS)
    assert measure.slide_per_support(leg_clip(foot), STANDING) == pytest.approx(speed * 23 / FPS * 2 / 3)


def test_slide_there_and_back_is_seen(leg_clip):
    foot = np.zeros((31, 3))
    foot[:, 0] = 0.1 * np.sin(np.linspace(0, np.pi, 31))
    assert measure.slide_per_support(leg_clip(foot), STANDING) == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize("speed, share", [(0.45, 0.0), (0.55, 0.5)])
def test_skating_ratio_threshold_is_half_a_metre_a_second(leg_clip, speed, share):
    assert measure.skating_ratio(leg_clip(sliding(speed)), STANDING) == share


def test_skating_ratio_counts_low_frames_only(leg_clip):
    assert measure.skating_ratio(leg_clip(sliding(1.0, height=0.06)), STANDING) == 0


def test_penetration_and_floating(leg_clip):
    clip = leg_clip(np.zeros((60, 3)))
    assert measure.penetration(clip, STANDING) == pytest.approx(0)
    lowered = replace(clip, translations=clip.translations - [[[0, 0.03, 0]] + [[0, 0, 0]] * 4])
    assert measure.penetration(lowered, STANDING) == pytest.approx(0.03)
    raised = replace(clip, translations=clip.translations + [[[0, 0.04, 0]] + [[0, 0, 0]] * 4])
    assert measure.floating(raised, STANDING) == pytest.approx(0.04)
    assert measure.penetration(raised, STANDING) == pytest.approx(0)


def test_contact_f1():
    truth = np.array([1, 1, 1, 0, 0, 0], dtype=bool)
    assert measure.contact_f1(truth, truth) == 1
    assert measure.contact_f1(~truth, truth) == 0
    # precision 2/3, recall 2/3
    assert measure.contact_f1(np.array([0, 1, 1, 1, 0, 0], dtype=bool), truth) == pytest.approx(2 / 3)
    assert measure.contact_f1(np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)) == 1


def test_event_error():
    assert measure.event_error([0.5, 1.1], [0.5, 1.0], 30) == pytest.approx(1.5)
    assert measure.event_error([], [0.5], 30) == np.inf
    assert np.isnan(measure.event_error([0.5], [], 30))


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_jerk_of_a_cubic(fps):
    t = np.arange(40) / fps
    positions = np.zeros((40, 2, 3))
    positions[:, 1, 0] = t**3
    np.testing.assert_allclose(measure.jerks(positions, fps)[:, 1], 6, rtol=1e-6)
    skeleton = Skeleton(("a",), np.array([-1]), quaternion.identity((1,)), np.zeros((1, 3)))
    clip = Clip(skeleton, quaternion.identity((40, 1)), positions[:, 1:], fps)
    assert measure.jerk(clip) == pytest.approx(6, rel=1e-6)
    assert np.isnan(measure.jerk(clip.slice(0, 3)))


def test_limits_of_their_own_motion_and_beyond(smooth_clip):
    clip = smooth_clip(frames=400)
    limits = measure.fit_limits(clip.rotations[:, 1:2].repeat(24, axis=1), clip.skeleton)
    own = clip.rotations[:, 1:2].repeat(24, axis=1)
    assert measure.limit_violation(own, limits, clip.skeleton) == 0
    beyond = own.copy()
    beyond[:100, 3] = quaternion.from_axis_angle([0, 1, 0], np.radians(120))
    assert measure.limit_violation(beyond, limits, clip.skeleton) == pytest.approx(100 / 400 / 24)


def test_swing_and_twist_are_told_apart():
    skeleton = canonical_skeleton()
    arm = skeleton.joint("leftUpperArm")
    axis = measure.bone_axes(skeleton)[arm]
    np.testing.assert_allclose(axis, [1, 0, 0], atol=1e-12)
    rotations = np.repeat(skeleton.rest_rotations[None], 2, axis=0)
    rotations[0, arm] = quaternion.from_axis_angle(axis, 0.7)
    rotations[1, arm] = quaternion.from_axis_angle([0, 0.6, 0.8], 0.7)
    angles = measure.swing_twist_angles(rotations, skeleton)[:, arm]
    np.testing.assert_allclose(angles[0], [0, 0, 0.7], atol=1e-12)
    assert np.linalg.norm(angles[1, :2]) == pytest.approx(0.7) and angles[1, 2] == pytest.approx(0)


def test_limits_are_relative_to_the_rest_pose(smooth_clip):
    skeleton = canonical_skeleton()
    turned = replace(skeleton, rest_rotations=quaternion.from_axis_angle([0, 0.6, 0.8], np.full(24, 1.0)))
    swing = quaternion.from_axis_angle([1, 0, 0], np.full((1, 24), 0.3))
    a = measure.swing_twist_angles(quaternion.multiply(skeleton.rest_rotations, swing), skeleton)
    b = measure.swing_twist_angles(quaternion.multiply(turned.rest_rotations, swing), turned)
    np.testing.assert_allclose(a, b, atol=1e-12)


def test_paths():
    asked = np.zeros((101, 3))
    asked[:, 2] = np.linspace(0, 10, 101)
    path = asked + [0.3, 5.0, 0.4]  # height is no error
    assert measure.path_length(asked) == pytest.approx(10)
    assert measure.path_error(path, asked) == pytest.approx(0.5)
    assert measure.drift(path, asked) == pytest.approx(0.05)
    assert np.isnan(measure.drift(path, asked * 0))
    np.testing.assert_allclose(measure.distance_to_path(path[:90], asked), 0.3)  # timing does not count
    beyond = np.array([[0, 0, 10.4], [0.5, 0, 5.05]])
    np.testing.assert_allclose(measure.distance_to_path(beyond, asked[::50]), [0.4, 0.5])


def test_heading_error_takes_the_short_way():
    assert measure.heading_error([3.1, 0.1], [-3.1, -0.1]) == pytest.approx((2 * np.pi - 6.2 + 0.2) / 2)


def test_response_time():
    values = np.concatenate((np.zeros(10), np.linspace(0, 2.0, 21), np.full(20, 2.0)))
    # 90 % of 0 to 2 is reached 18 frames into the ramp
    assert measure.response_time(values, 10, 2.0, 30) == pytest.approx(18 / 30)
    assert measure.response_time(values, 10, 3.0, 30) == np.inf
    assert measure.response_time(values, 0, 0.0, 30) == 0
    velocity = values[:, None] * [0.6, -0.8]
    assert measure.response_time(velocity, 10, [1.2, -1.6], 30) == pytest.approx(18 / 30)


def test_joint_and_rotation_error():
    truth = np.zeros((100, 2, 3))
    off = truth.copy()
    off[:, 1] = [0, 0.03, 0.04]
    assert measure.joint_error(off, truth) == (pytest.approx(0.025), pytest.approx(0.05))
    q = quaternion.from_axis_angle([0, 1, 0], np.linspace(0, 1, 101))
    mean, p99 = measure.rotation_error(q, -quaternion.identity((101,)))
    assert (mean, p99) == (pytest.approx(0.5), pytest.approx(0.99))


def test_pose_distance():
    rng = np.random.default_rng(0)
    positions, velocities = rng.normal(size=(2, 200, 5, 3))
    index = measure.PoseIndex(positions, velocities)
    np.testing.assert_allclose(index.distances(positions, velocities), 0, atol=1e-6)
    shifted = index.distances(positions + [0.03, 0, 0.04], velocities)
    np.testing.assert_allclose(shifted, 0.05, rtol=1e-4)
    frozen = index.distances(positions, velocities * 0)  # the pose is there, its motion is not
    rows = np.concatenate((positions, 0.1 * velocities), -1).reshape(200, -1)
    still = np.concatenate((positions, 0 * velocities), -1).reshape(200, -1)
    np.testing.assert_allclose(frozen, cKDTree(rows).query(still)[0] / np.sqrt(5), rtol=1e-4)
    assert frozen.min() > 0.01


def test_a_body_without_feet_has_no_figures():
    skeleton = Skeleton(("a",), np.array([-1]), quaternion.identity((1,)), np.zeros((1, 3)))
    clip = Clip(skeleton, quaternion.identity((5, 1)), np.zeros((5, 1, 3)), 30)
    for figure in (
        measure.foot_skate, measure.planted_speed, measure.slide_per_support, measure.skating_ratio,
        measure.floating, measure.penetration,
    ):  # fmt: skip
        assert np.isnan(figure(clip)), figure.__name__
    assert measure.foot_skate_by_frame(clip).tolist() == [0] * 5


def test_who_stops_has_gone_a_distance():
    speeds = np.concatenate((np.full(30, 1.5), np.linspace(1.5, 0, 16), np.zeros(20)))
    path = np.zeros((len(speeds) + 1, 3))
    path[1:, 2] = np.cumsum(speeds) / FPS
    still = np.flatnonzero(speeds < 0.1)[0]
    assert measure.stop_distance(path, 30, FPS) == pytest.approx(speeds[30:still].sum() / FPS)
    assert measure.stop_distance(path[:40], 30, FPS) == np.inf


def test_trend_is_the_least_squares_line_with_its_standard_error():
    rng = np.random.default_rng(3)
    values = 5 + 0.3 * np.arange(40) + rng.normal(size=40)
    line, covariance = np.polyfit(np.arange(40), values, 1, cov=True)
    assert measure.trend(values) == pytest.approx((line[0], covariance[0, 0] ** 0.5))
    assert measure.trend(2 - 0.5 * np.arange(9.0)) == pytest.approx((-0.5, 0), abs=1e-12)
    assert np.isnan(measure.trend([1.0, 2.0])).all()


def test_diversity_is_the_mean_distance_of_random_pairs():
    from scipy.spatial.distance import pdist

    features = np.random.default_rng(0).normal(size=(400, 6))
    assert measure.diversity(features, 20_000) == pytest.approx(pdist(features).mean(), rel=0.01)
    assert measure.diversity(np.ones((50, 3))) == 0
    assert np.isnan(measure.diversity(np.ones((1, 3))))


def test_moments_do_not_know_where_they_are_but_what_is_done(leg_clip):
    clip, faster = leg_clip(sliding(0.8)), leg_clip(sliding(1.4))
    rows = measure.moments(clip)
    assert len(rows) == len(clip) - 30
    moved = replace(
        clip, translations=clip.translations + (3.0, 0, -1.0) * (np.arange(len(clip.skeleton)) == 0)[:, None]
    )
    np.testing.assert_allclose(measure.moments(moved), rows, atol=1e-9)
    # half of a moment is the other foot and the hips, which stand still; the left foot gets 0.6 m/s further
    gap = np.linalg.norm(measure.moments(faster) - rows, axis=1)
    assert (gap > 0.05).all() and (gap < 0.6).all()
    assert len(measure.moments(clip.slice(0, 20))) == 0


def test_an_index_of_stored_rows_measures_alike():
    rng = np.random.default_rng(1)
    positions, velocities = rng.normal(size=(2, 300, 7, 3))
    index = measure.PoseIndex(positions, velocities)
    again = measure.PoseIndex.of_rows(index.rows.astype(np.float16), index.horizon)
    asked = rng.normal(size=(2, 40, 7, 3))
    np.testing.assert_allclose(again.distances(*asked), index.distances(*asked), atol=1e-3)
