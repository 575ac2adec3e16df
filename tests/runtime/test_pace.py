from __future__ import annotations

import numpy as np
import pytest

from handmade import handmade
from moveset.geometry import signal
from moveset.runtime.course import follow
from moveset.runtime.evaluation.measures import measure_path
from moveset.runtime.learned import LearnedController
from moveset.runtime.pace import FORWARD, SIDEWAYS, pace, round_corners, walkable
from moveset.runtime.path import Path, PathFollower, circle, eight, line, square

ZIGZAG = Path(np.array([[0, 0], [0, 3], [3, 3], [3.4, 3.1], [3.4, 6], [0, 6.0]]), False, "zigzag")
CORNERED = {"square": square(4, 0), "zigzag": ZIGZAG, "narrow": square(0.6, 0)}


def curvatures(path, reach=0.04):
    """1 / radius at a hundred places a metre, by three points."""
    s = np.arange(reach, path.length - reach, 0.01)
    a, b, c = (path.at(s + d) for d in (-reach, 0.0, reach))
    u, v = b - a, c - b
    turn = signal.wrap(np.arctan2(v[:, 0], v[:, 1]) - np.arctan2(u[:, 0], u[:, 1]))
    return np.abs(turn) / reach


@pytest.mark.parametrize("speed, radius", [(1.2, 0.48), (1.8, 1.08)])
def test_corners_become_arcs_as_wide_as_the_speed_needs(speed, radius):
    rounded = round_corners(square(4, 0), speed)
    assert 1 / curvatures(rounded).max() == pytest.approx(radius, rel=0.05)
    # a corner is cut by r (sqrt 2 - 1), and twice r (2 - pi / 2) shorter in all four
    assert rounded.length == pytest.approx(16 - 4 * radius * (2 - np.pi / 2), rel=1e-3)
    away = np.linalg.norm(rounded.points - (0, 4), axis=1).min()
    assert away == pytest.approx(radius * (np.sqrt(2) - 1), rel=0.02)


@pytest.mark.parametrize("path", [circle(2), eight(1), line(), square(4)])
def test_smooth_paths_stay_as_they_are(path):
    assert round_corners(path, 1.2) is path
    assert walkable(path, 1.2)[1] is None


@pytest.mark.parametrize("name", list(CORNERED))
@pytest.mark.parametrize("speed", [1.2, 2.5])
def test_the_pace_is_what_a_body_can_do(name, speed):
    path, kept = walkable(CORNERED[name], speed)
    if kept is None:
        kept = pace(path, speed)
    times = np.arange(0, kept.times[-1], 0.02)
    places = path.at(kept.travelled(times))
    velocity = np.gradient(places, 0.02, axis=0)
    rate = np.linalg.norm(velocity, axis=1)
    assert rate.max() < speed * 1.01 and rate.min() > 0.1
    smooth = np.convolve(rate, np.ones(10) / 10, "valid")
    assert np.abs(np.diff(smooth)).max() / 0.02 < 1.25 * FORWARD
    heading = np.unwrap(np.arctan2(velocity[:, 0], velocity[:, 1]))
    turn = np.convolve(np.abs(np.gradient(heading, 0.02)), np.ones(5) / 5, "same")
    assert np.percentile(turn * rate, 99) < 1.35 * SIDEWAYS


def test_a_path_that_turns_right_back_is_walked_to_its_tip_slowly():
    there_and_back = Path(np.array([[0, 0], [0, 3], [0.1, 0.0]]), False, "back")
    _, kept = walkable(there_and_back, 1.2)
    at = kept.travelled(np.arange(0, 12, 0.01))
    speeds = np.diff(at) / 0.01
    tip = np.abs(at[1:] - 3.0).argmin()
    assert speeds[tip] < 0.5 and speeds.max() == pytest.approx(1.2, abs=0.01)


def test_time_and_place_agree_round_and_round():
    path, kept = walkable(CORNERED["narrow"], 1.2)
    lap = kept.times[-1]
    times = np.array([0.3, 1.1])
    np.testing.assert_allclose(kept.travelled(times + 3 * lap), kept.travelled(times) + 3 * path.length)
    np.testing.assert_allclose(kept.travelled(kept.time_of(np.array([0.2, 0.9]))), [0.2, 0.9], atol=1e-9)
    assert kept.travelled(np.array([-0.1]))[0] < 0
    one_by_one = PathFollower(path, 1.2, np.array([0.0, 1.0]), kept)
    np.testing.assert_allclose(one_by_one.asked(0.0), path.at(np.array([0.0, 1.0])), atol=1e-9)


def test_a_corner_that_can_be_walked_is_turned_into_sooner():
    controller = LearnedController(handmade())
    angles = {}
    for as_is in (True, False):
        run, follower = follow(controller, square(4, 0), 1.2, 20.0, 2, as_is=as_is)
        angles[as_is] = measure_path(run, follower, 30.0)["heading_error"]
    assert angles[False] < 0.8 * angles[True]
