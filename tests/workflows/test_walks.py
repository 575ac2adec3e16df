"""Long walks made by motion matching: led at random, feet planted."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.edit.aside import aside
from moveset.edit.stand import standing_pose, swaying
from moveset.motion import measure
from moveset.motion.ground import ground_frame
from moveset.runtime.matching import MotionMatching
from moveset.synthetic.corpus import synthesize
from moveset.workflows.locomotion import widened
from moveset.workflows.training.walks import Leading, known_speeds, matched_walks, widest_aside


@pytest.fixture(scope="module")
def clips():
    return [synthesize(name) for name in ("walk_100", "walk_140", "walk_curve_left_15", "run_240", "run_280")]


@pytest.fixture(scope="module")
def matching(clips):
    idle = swaying(standing_pose(clips[:2]), 5.0)
    return MotionMatching.from_clips([*widened(clips), idle])


@pytest.fixture(scope="module")
def walks(matching):
    return matched_walks(matching, 4, 20.0, seed=1)


def speeds_of(clip):
    steps = ground_frame(clip).displacements[:, :2] * clip.fps
    return np.hypot(steps[:, 0], steps[:, 1])


def test_known_speeds_are_those_of_the_data(matching):
    speeds = known_speeds(matching)
    assert speeds[0] == 0 and {1.0, 1.4} <= set(np.round(speeds, 1))
    assert not ((speeds > 1.75) & (speeds < 2.05)).any() and speeds.max() < 3


def test_walks_change_gait_turn_and_stand(walks):
    assert [len(clip) for clip in walks] == [600] * 4
    speeds = np.concatenate([speeds_of(clip) for clip in walks])
    assert (speeds < 0.1).any() and (speeds > 2.2).any() and ((speeds > 0.8) & (speeds < 1.5)).any()
    turns = np.concatenate([np.abs(np.diff(ground_frame(clip).headings)) * clip.fps for clip in walks])
    assert np.percentile(turns, 90) > 0.3


def test_feet_are_planted(walks, clips):
    real = np.mean([measure.foot_skate(clip) for clip in clips])
    assert np.mean([measure.foot_skate(clip) for clip in walks]) < 1.3 * real + 0.01
    assert np.mean([measure.planted_speed(clip) for clip in walks]) < 0.08


def test_the_seed_decides(matching, walks):
    again = matched_walks(matching, 4, 20.0, seed=1)
    assert all(np.array_equal(a.rotations, b.rotations) for a, b in zip(walks, again))
    other = matched_walks(matching, 1, 5.0, seed=2)[0]
    assert not np.array_equal(other.rotations, walks[0].rotations[: len(other)])


def test_asked_speeds_are_kept_to(matching):
    clips = matched_walks(matching, 2, 15.0, np.array([2.4]), 0, Leading(stops=0, kinks=0))
    assert np.median(np.concatenate([speeds_of(clip) for clip in clips])) == pytest.approx(2.45, abs=0.2)


def test_the_data_tell_how_far_aside_bodies_go(matching):
    assert widest_aside(matching) == 0
    names = ("strafe_left_slow", "strafe_right_slow", "walk_100")
    strafing = [synthesize(name) for name in names]
    assert widest_aside(MotionMatching.from_clips(strafing)) == pytest.approx(np.pi / 2, abs=0.3)
    turned = [aside(synthesize("walk_120"), 0.6), synthesize("walk_120")]
    assert widest_aside(MotionMatching.from_clips(turned)) == pytest.approx(0.6, abs=0.1)
