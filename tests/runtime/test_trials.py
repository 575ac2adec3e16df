"""Trials of controllers whose motion is known beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import FPS, Scripted

from moveset.motion.floor import directions
from moveset.runtime.crowd import CrowdConfig
from moveset.runtime.evaluation import trials
from moveset.runtime.evaluation.measures import measure_motion
from moveset.runtime.evaluation.reference import references
from moveset.runtime.evaluation.trials import run_trials
from moveset.runtime.path import circle, line, square
from moveset.synthetic.corpus import synthesize

FREE = CrowdConfig(foot_lock=False)
SPEED = 1.2


@pytest.fixture(scope="module")
def walk():
    return synthesize("walk_120")


@pytest.fixture(scope="module")
def real():
    names = ("walk_100", "walk_140", "walk_brisk", "run_240")
    return references([synthesize(name) for name in names], [synthesize("walk_120")])


def along(path, count=1, lag=0, aside=lambda frame: 0.0):
    """Places and headings of those who follow a path `lag` frames late and `aside` [m] to the left."""
    spread = path.length / count if path.closed else 1.5
    frames = np.maximum(np.arange(200) - lag, 0)[:, None]
    distances = np.arange(count) * spread + SPEED * frames / FPS
    ways = directions(path.headings(distances) + np.pi / 2)
    places = path.at(distances) + np.array([aside(frame) for frame in range(200)])[:, None, None] * ways
    headings = np.unwrap(path.headings(distances + 0.02), axis=0)  # as a PathFollower places them
    return places.__getitem__, headings.__getitem__


def judged(trial, controller, seconds=4.5):
    run = run_trials(controller, [trial], seconds, config=FREE)[trial.name]
    return trial.judge(run), run


def test_who_is_always_in_place_has_no_error(walk, real):
    trial = trials.path_trial("walk", line(), SPEED, 1)
    found, run = judged(trial, Scripted(walk, *along(line())))
    assert found["path_error"] == pytest.approx(0, abs=1e-9)
    assert found["path_distance"] == pytest.approx(0, abs=1e-9)
    assert found["heading_error"] == pytest.approx(0, abs=1e-9)
    moved = measure_motion(run.clips, real.of("walk"))
    assert moved["foot_skate"] == pytest.approx(moved["foot_skate_real"], rel=0.05)
    assert moved["jerk_ratio"] == pytest.approx(1, abs=0.05)
    assert 0.8 < moved["pose_ratio"] < 1.2


def test_a_statue_that_glides_is_found_out_though_its_path_is_perfect(walk, real):
    trial = trials.path_trial("walk", line(), SPEED, 1)
    found, run = judged(trial, Scripted(walk, *along(line()), frozen=True))
    assert found["path_error"] == pytest.approx(0, abs=1e-9)
    moved = measure_motion(run.clips, real.of("walk"))
    assert moved["pose_ratio"] > 1.6
    assert moved["jerk_ratio"] < 0.1
    assert moved["foot_skate"] > 5 * moved["foot_skate_real"]


@pytest.mark.parametrize("lag", [3, 9])
def test_a_lag_is_an_error_of_place_but_not_of_path(walk, lag):
    found, _ = judged(trials.path_trial("walk", line(), SPEED, 1), Scripted(walk, *along(line(), lag=lag)))
    assert found["path_error"] == pytest.approx(SPEED * lag / FPS, abs=1e-9)
    assert found["path_distance"] == pytest.approx(0, abs=1e-9)


def test_a_drift_is_an_error_of_path(walk):
    controller = Scripted(walk, *along(line(), aside=lambda frame: 0.1 * frame / FPS))
    found, _ = judged(trials.path_trial("walk", line(), SPEED, 1), controller, 4.0)
    # judged from 2 s on: the mean of 0.1 m/s over 2 to 4 s
    assert found["path_distance"] == pytest.approx(0.3, abs=0.002)


@pytest.mark.parametrize("path", [circle(2), square(4)], ids=lambda path: path.name)
def test_trials_share_a_crowd_and_keep_their_own_figures(walk, path):
    one, other = trials.path_trial("walk", path, SPEED, 2), trials.path_trial("walk", line(), SPEED, 1)
    round_places, round_headings = along(path, 2)
    straight_places, straight_headings = along(line(), 1, lag=6)
    controller = Scripted(
        walk,
        lambda frame: np.concatenate((round_places(frame), straight_places(frame))),
        lambda frame: np.concatenate((round_headings(frame), straight_headings(frame))),
    )
    runs = run_trials(controller, [one, other], 4.0, config=FREE)
    assert one.judge(runs[one.name])["path_error"] < 2e-3
    assert other.judge(runs[other.name])["path_error"] == pytest.approx(SPEED * 6 / FPS, abs=1e-9)


def moving(trial, late, places=None):
    """Places and headings of those who take up each asked velocity `late` frames after it was asked."""
    velocities = [
        np.broadcast_to(trial.ask((frame - late) / FPS, ()).values["velocity"], (trial.count, 2))
        if frame >= late
        else np.zeros((trial.count, 2))
        for frame in range(800)
    ]
    path = (
        trial.positions + np.concatenate((np.zeros((1, trial.count, 2)), np.cumsum(velocities, axis=0))) / FPS
    )
    return lambda frame: path[frame], lambda frame: trial.headings


@pytest.mark.parametrize("late", [0, 9])
def test_a_response_takes_as_long_as_it_takes(walk, late):
    trial = trials.velocity_trial("walk", (0.8, 1.4), count=3)
    found, _ = judged(trial, Scripted(walk, *moving(trial, late)), 12.0)
    assert found["response_seconds"] == pytest.approx((late + 1) / FPS, abs=1e-9)
    assert found["reached"] == 1
    assert found["velocity_error"] == pytest.approx(0, abs=1e-9)


def test_who_does_not_answer_has_not_reached_anything(walk):
    trial = trials.velocity_trial("walk", (0.8, 1.4), count=3)
    found, _ = judged(trial, Scripted(walk, *moving(trial, 70)), 12.0)
    assert found["reached"] < 0.5
    assert found["velocity_error"] > 0.3


def test_stops_have_a_time_and_a_distance(walk):
    trial = trials.start_stop_trial("walk", SPEED, count=2)
    found, _ = judged(trial, Scripted(walk, *moving(trial, 6)), 17.0)
    assert found["stop_seconds"] == pytest.approx(6 / FPS)
    assert found["stop_distance"] == pytest.approx(SPEED * 6 / FPS)
    assert found["start_seconds"] == pytest.approx(7 / FPS)
    assert found["standing_drift"] == pytest.approx(0, abs=1e-9) and found["stopped"] == 1


def test_what_is_left_of_a_side_step(walk):
    trial = trials.side_step_trial("walk", SPEED, shift=0.5, period=5.0, count=1)

    def places(frame):
        since = np.maximum(frame / FPS - 5.0, 0)
        return np.array([[0.5 * (1 - np.exp(-since)), SPEED * frame / FPS]])

    found, _ = judged(trial, Scripted(walk, places, lambda frame: np.zeros(1)), 9.5)
    for seconds in (0.5, 1, 2):
        assert found[f"left_after_{seconds:g}"] == pytest.approx(0.5 * np.exp(-seconds), abs=1e-9)


@pytest.mark.parametrize("short, arrived", [(0.05, 1.0), (0.2, 0.0)])
def test_targets_are_reached_or_not(walk, short, arrived):
    trial = trials.target_trial("walk", count=3, period=4.0)
    asked = [trial.ask(4.0 * leg, ()).values for leg in range(3)]
    goals = np.array([trial.positions, *(a["position"] for a in asked)])
    facings = np.array([trial.headings, *(a["facing"] for a in asked)])

    def places(frame):
        leg, share = divmod(frame, 120)
        share = min(share / 60, 1.0)
        goal = goals[min(leg + 1, 3)] + np.array([short, 0.0])
        begin = goals[leg] + (np.array([short, 0.0]) if leg else 0.0)
        return begin + share * (goal - begin)

    def headings(frame):
        return facings[min((frame - 1) // 120 + 1, 3)] + 0.1 if frame else trial.headings

    found, _ = judged(trial, Scripted(walk, places, headings), 11.9)
    assert found["targets"] == 6
    assert found["arrived"] == arrived
    assert found["distance_in_the_end"] == pytest.approx(short)
    assert found["facing_error"] == pytest.approx(0.1)
    assert (1.5 < found["arrival_seconds"] <= 2.0) == bool(arrived)


def test_facing_is_judged_apart_from_travel(walk):
    trial = trials.facing_trial("walk", 90, SPEED, 2)
    places = lambda frame: trial.positions + np.array([0.0, SPEED * frame / FPS])  # noqa: E731
    found, _ = judged(trial, Scripted(walk, places, lambda frame: trial.headings + 0.2 * (frame > 0)))
    assert found["path_error"] == pytest.approx(0, abs=1e-9)
    assert found["heading_error"] == pytest.approx(0.2)
