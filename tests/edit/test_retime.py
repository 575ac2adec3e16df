from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.edit.retime import missing_paces, paced, stride_scaled, time_scaled
from moveset.errors import MovesetError
from moveset.motion import measure
from moveset.motion.ground import ground_frame
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def walk():
    return synthesize("walk_120")


def speed(clip):
    steps = ground_frame(clip).displacements[1:, :2] * clip.fps
    return np.hypot(steps[:, 0], steps[:, 1]).mean()


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.25])
def test_a_quicker_clip_is_shorter_and_takes_the_same_way(walk, factor):
    scaled = time_scaled(walk, factor)
    assert scaled.fps == walk.fps
    assert scaled.seconds == pytest.approx(walk.seconds / factor, abs=1 / walk.fps)
    assert speed(scaled) == pytest.approx(factor * speed(walk), rel=0.02)
    ends = [measure.path_length(c.world_positions[:, 0]) / c.seconds for c in (walk, scaled)]
    assert ends[1] == pytest.approx(factor * ends[0], rel=0.02)


def test_contacts_and_events_go_along(walk):
    scaled = time_scaled(walk, 0.5)
    bears = [np.asarray(c.contacts and c.contacts.flags, dtype=float).mean() for c in (walk, scaled)]
    assert 0 < bears[1] == pytest.approx(bears[0], abs=0.03)
    np.testing.assert_allclose(
        [e.time for e in scaled.events], [2 * e.time for e in walk.events][: len(scaled.events)], atol=1e-6
    )
    assert walk.events and abs(len(scaled.events) - len(walk.events)) <= 1


def test_poses_are_those_of_the_clip_at_the_same_moments(walk):
    scaled = time_scaled(walk, 0.5)
    np.testing.assert_allclose(
        scaled.world_positions[::2][:-1], walk.world_positions[: len(scaled) // 2], atol=1e-6
    )


def test_a_loop_stays_one_with_a_whole_number_of_frames(walk):
    loop = replace(walk, loop=True)
    scaled = time_scaled(loop, 1.3)
    assert scaled.loop and len(scaled) == round(len(loop) / 1.3)


def test_longer_steps_take_further_and_turn_as_much():
    curve = synthesize("walk_curve_left_15")
    longer = stride_scaled(curve, 1.2)
    a, b = ground_frame(curve), ground_frame(longer)
    assert speed(longer) == pytest.approx(1.2 * speed(curve), rel=0.02)
    np.testing.assert_allclose(b.headings, a.headings, atol=1e-6)
    np.testing.assert_allclose(longer.world_positions[..., 1], curve.world_positions[..., 1], atol=1e-9)


def test_a_pace_is_both(walk):
    slow = paced(walk, 0.6)
    assert speed(slow) == pytest.approx(0.6 * speed(walk), rel=0.03)
    assert walk.seconds < slow.seconds < walk.seconds / 0.6


def test_speeds_that_are_missing_are_filled_by_the_nearest():
    clips = [synthesize(name) for name in ("walk_100", "walk_120", "run_240", "run_280")]
    found = missing_paces(clips)
    filled = [speed(clips[k]) * factor for k, factor in found]
    assert any(1.5 < v < 2.1 for v in filled) and min(filled) < 0.6
    assert all(v < speed(clips[-1]) for v in filled)
    assert all(abs(np.log(factor)) > 0.04 for _, factor in found)
    assert missing_paces([synthesize("idle_relaxed")]) == []


def test_a_factor_that_is_none_is_refused(walk):
    for factor in (0.0, -1.0, float("nan"), 100.0):
        with pytest.raises(MovesetError, match="factor"):
            time_scaled(walk, factor)
