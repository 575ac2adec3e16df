"""A body at rest, and walks that stop and start, made from synthetic walks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from moveset.edit.retime import reversed_in_time
from moveset.edit.stand import STRAIGHTNESS, standing_pose, swaying
from moveset.edit.stops import CLOSES, passings, start, stop, stops_and_starts
from moveset.errors import MovesetError
from moveset.geometry import signal
from moveset.motion import Clip, measure
from moveset.motion.contacts import standing_heights
from moveset.motion.ground import ground_frame
from moveset.synthetic.corpus import synthesize

ANKLES, TOES = ("leftFoot", "rightFoot"), ("leftToes", "rightToes")


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    return [synthesize(name) for name in ("walk_100", "walk_120", "walk_140")]


@pytest.fixture(scope="module")
def pose(walks) -> Clip:
    return standing_pose(walks)


@pytest.fixture(scope="module")
def stopped(walks, pose) -> tuple[Clip, int]:
    frame, side = next(p for p in passings(walks[1]) if p[0] > 40)
    return stop(walks[1], frame, side, pose), frame


def places(clip: Clip, *roles: str) -> np.ndarray:
    return clip.world_positions[:, clip.skeleton.joints(roles)]


def test_a_body_at_rest_stands_under_its_hips_on_flat_feet(pose, walks):
    standing = standing_heights(walks[1])
    feet = places(pose, "leftFoot", "leftToes", "rightFoot", "rightToes")[0]
    np.testing.assert_allclose(feet[:, 1], standing, atol=0.015)
    hips = places(pose, "hips")[0, 0]
    middle = feet.mean(axis=0)
    assert abs(middle[0] - hips[0]) < 0.02 and abs(middle[2] - hips[2]) < 0.12
    assert feet[0, 0] > 0.05 and feet[2, 0] < -0.05
    assert hips[1] > places(walks[1], "hips")[:, 0, 1].mean()


def test_its_legs_are_nearly_straight(pose):
    for side in ("left", "right"):
        hip, knee, ankle = places(pose, f"{side}UpperLeg", f"{side}LowerLeg", f"{side}Foot")[0]
        length = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
        assert np.linalg.norm(ankle - hip) / length == pytest.approx(STRAIGHTNESS, abs=0.01)


def test_swaying_is_small_slow_and_by_seed(pose):
    own = swaying(pose, 4.0, 1)
    assert own.seconds == 4.0 and measure.jerk(own) < 2.0
    assert 0.002 < np.ptp(places(own, "hips")[:, 0], axis=0).max() < 0.05
    again, other = swaying(pose, 4.0, 1), swaying(pose, 4.0, 2)
    assert np.array_equal(again.rotations, own.rotations) and not np.array_equal(
        other.rotations, own.rotations
    )


def test_nobody_stands_in_clips_without_a_floor(walks):
    flying = walks[0].slice(0, 3)
    with pytest.raises(MovesetError, match="no foot stands"):
        standing_pose([flying.slice(0, 1)])


def test_feet_pass_each_other_twice_a_stride(walks):
    found = passings(walks[1])
    sides = [side for _, side in found]
    assert all(a != b for a, b in itertools.pairwise(sides))
    seconds = np.diff([frame for frame, _ in found]) / walks[1].fps
    assert 0.3 < seconds.mean() < 0.8


def test_a_stop_is_the_walk_until_it_is_left(stopped, walks):
    clip, frame = stopped
    np.testing.assert_allclose(
        clip.world_positions[: frame + 1], walks[1].world_positions[: frame + 1], atol=1e-6
    )


def test_it_comes_to_rest_and_both_feet_stand(stopped, pose):
    clip, frame = stopped
    rest = clip.slice(frame + round((CLOSES + 0.1) * clip.fps), len(clip))
    speed = np.linalg.norm(np.diff(places(rest, *TOES), axis=0), axis=-1) * clip.fps
    assert speed.max() < 0.02
    steps = ground_frame(rest).displacements * clip.fps
    assert np.abs(steps).max() < 0.05
    spread = places(rest, *TOES)[-1]
    own = places(pose, *TOES)[0]
    assert np.linalg.norm(spread[0] - spread[1]) == pytest.approx(np.linalg.norm(own[0] - own[1]), abs=0.01)


def test_feet_step_and_do_not_slide(stopped, walks):
    clip, _ = stopped
    assert measure.planted_speed(clip) < measure.planted_speed(walks[1]) + 0.01
    assert measure.slide_per_support(clip) < 0.03
    assert measure.penetration(clip, standing_heights(walks[1])) < 0.012


def test_it_is_no_rougher_than_the_walk(stopped, walks):
    clip, frame = stopped
    jerks = measure.jerks(clip.world_positions, clip.fps)
    assert np.percentile(jerks[frame - 2 :], 99) < 1.2 * measure.jerk(walks[1])
    hips = signal.derivative(places(clip, "hips")[:, 0], clip.fps)
    assert np.linalg.norm(np.diff(hips, axis=0), axis=-1).max() * clip.fps < 12  # [m/s^2]


def test_a_start_ends_as_the_walk_does(walks, pose):
    frame, side = passings(walks[1])[1]
    clip = start(walks[1], frame, side, pose)
    np.testing.assert_allclose(clip.world_positions[-20:], walks[1].world_positions[-20:], atol=1e-6)
    assert np.abs(ground_frame(clip).displacements[1:15] * clip.fps).max() < 0.05


def test_stops_and_starts_are_dealt_out_over_clips(walks, pose):
    made = stops_and_starts([*walks, synthesize("idle_relaxed"), synthesize("run_280")], pose, 6)
    assert [("_stop" in c.name, "start" in c.name) for c in made] == [(True, False), (False, True)] * 3
    assert {c.name[:8] for c in made} == {"walk_100", "walk_120", "walk_140"}
    assert stops_and_starts([synthesize("idle_relaxed")], pose) == []


def test_twice_reversed_is_the_clip(walks):
    back = reversed_in_time(reversed_in_time(walks[0]))
    assert np.array_equal(back.rotations, walks[0].rotations)
    np.testing.assert_allclose([e.time for e in back.events], [e.time for e in walks[0].events], atol=1e-9)
