from dataclasses import replace

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Clip, Contacts, Event
from moveset.motion.resample import resample, sample


def turning(frames, fps=30.0, loop=False, speed=2.0):
    """One joint that turns about a slanted axis at constant speed and moves along a line."""
    skeleton_clip = _one_joint()
    times = np.arange(frames) / fps
    speed = 2 * np.pi * fps / frames if loop else speed
    rotations = quaternion.from_axis_angle([0, 0.6, 0.8], times * speed)[:, None]
    translations = times[:, None, None] * [1.0, 0.0, 2.0]
    return Clip(skeleton_clip, rotations, translations, fps, loop=loop)


def _one_joint():
    from moveset.motion import Skeleton

    return Skeleton(("root",), np.array([-1]), quaternion.identity((1,)), np.zeros((1, 3)))


@pytest.mark.parametrize("fps", [10, 24, 60, 119.88])
def test_constant_speeds_stay_exact(fps, assert_same_rotations):
    clip = turning(31)
    other = resample(clip, fps)
    assert other.fps == fps
    assert other.seconds == pytest.approx(clip.seconds, abs=1 / fps)
    times = other.times
    assert_same_rotations(
        other.rotations[:, 0], quaternion.from_axis_angle([0, 0.6, 0.8], times * 2.0), 1e-12
    )
    np.testing.assert_allclose(other.translations[:, 0], times[:, None] * [1, 0, 2], atol=1e-12)


def test_up_and_down_again_is_the_same_clip(smooth_clip, assert_same_rotations):
    clip = smooth_clip(frames=40)
    back = resample(resample(clip, 120), 30)
    assert_same_rotations(back.rotations, clip.rotations, 1e-12)
    np.testing.assert_allclose(back.translations, clip.translations, atol=1e-12)


def test_a_loop_keeps_its_seam(assert_same_rotations):
    clip = turning(24, loop=True)
    other = resample(clip, 40)
    assert len(other) == 32 and other.loop and other.seconds == pytest.approx(clip.seconds)
    expected = quaternion.from_axis_angle([0, 0.6, 0.8], np.arange(32) * 2 * np.pi / 32)
    assert_same_rotations(other.rotations[:, 0], expected, 1e-12)


def test_slerp_not_lerp(assert_same_rotations):
    """A quarter of the way is a quarter of the angle; lerped components would be 0.4 degrees off here."""
    clip = turning(2, fps=1.0)
    sampled = sample(clip, [0.25])
    assert_same_rotations(sampled.rotations[:, 0], quaternion.from_axis_angle([0, 0.6, 0.8], [0.5]), 1e-12)


def test_times_outside_hold_the_ends_or_repeat_the_loop():
    clip = turning(31)
    held = sample(clip, [-5.0, 99.0])
    np.testing.assert_array_equal(held.translations, clip.translations[[0, -1]])
    loop = turning(24, loop=True)
    again = sample(loop, np.array([3, 7]) / 30 + 2 * loop.seconds)
    np.testing.assert_allclose(again.rotations, loop.rotations[[3, 7]], atol=1e-9)


def test_what_rides_along():
    flags = np.arange(31)[:, None] >= 15
    clip = replace(
        turning(31), contacts=Contacts(("leftFoot",), flags), curves={"smile": np.arange(31.0)},
        scales=np.ones((31, 1, 3)), events=(Event(0.5, "hit", "leftHand"),),
    )  # fmt: skip
    other = resample(clip, 60)
    assert other.contacts is not None and other.scales is not None
    assert other.contacts.flags[:, 0].tolist() == (np.arange(61) >= 29).tolist()
    np.testing.assert_allclose(other.curves["smile"], np.arange(61) / 2)
    assert other.events == (Event(0.5, "hit", "leftHand"),)


def test_events_follow_a_retiming():
    clip = replace(turning(31), events=(Event(0.5, "hit"), Event(0.9, "end")))
    slow = sample(clip, np.linspace(0.2, 0.7, 31))
    assert [e.name for e in slow.events] == ["hit"]
    assert slow.events[0].time == pytest.approx(0.6)


def test_constant_tracks_stay_views(standing_clip):
    clip = standing_clip()
    assert resample(clip, 60).rotations.strides[0] == 0


def test_precision_is_kept(smooth_clip):
    clip = smooth_clip(frames=10)
    single = replace(
        clip, rotations=clip.rotations.astype(np.float32), translations=clip.translations.astype(np.float32)
    )
    assert resample(single, 60).rotations.dtype == resample(single, 60).translations.dtype == np.float32


@pytest.mark.parametrize("frames", [0, 1])
def test_the_shortest_clips(frames):
    clip = turning(5).slice(0, frames)
    assert len(resample(clip, 60)) == frames
