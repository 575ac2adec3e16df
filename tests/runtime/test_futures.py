"""Wanderers spend their time as the data do, and change smoothly."""

from __future__ import annotations

import numpy as np
import pytest

from handmade import FPS, Handmade, handmade
from moveset.runtime.behaviors import Wish
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.futures import SECONDS, Futures, wandering, with_futures
from moveset.runtime.learned import LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.synthetic.corpus import synthesize

BARE = CrowdConfig(foot_lock=False)


def speeds_of_wanderers(controller, count, seconds):
    crowd = Crowd(controller, count, seed=1, config=BARE)
    seen = []
    for _ in range(round(seconds * FPS)):
        crowd.step(1 / FPS)
        seen.append(np.linalg.norm(crowd.velocities, axis=1))
    return np.array(seen)[round(2 * FPS) :]


def test_wanderers_go_as_fast_as_the_data_as_often():
    learned = LearnedController(handmade())
    of_the_data = np.linalg.norm(learned.futures.offsets[:, 0], axis=1) / learned.times[0]
    seen = speeds_of_wanderers(learned, 32, 60)
    shares = (0.1, 0.3, 0.5, 0.7, 0.9)
    assert np.quantile(seen, shares) == pytest.approx(np.quantile(of_the_data, shares), abs=0.1)
    assert np.ptp(seen, axis=0).min() > 0.4, "someone goes at one speed all the time"
    assert np.abs(np.diff(seen, axis=0)).max() * FPS < 4.0


def test_only_what_was_recorded_is_taken_up():
    class Few(Handmade):
        def arrays(self, name):
            found = super().arrays(name)
            speeds = np.linalg.norm(found["offsets"][:, -1], axis=1)
            return found | {"recorded": speeds < np.quantile(speeds, 0.25)}

    learned = LearnedController(Few(handmade().walk))
    assert len(learned.futures.turns) < len(learned.starts.turns)
    assert speeds_of_wanderers(learned, 8, 10).max() < 1.1


def test_motion_matching_walks_and_runs_as_often_as_its_clips():
    clips = [synthesize(name) for name in ("walk_120", "run_280", "walk_to_run", "run_to_walk")]
    matching = MotionMatching.from_clips(clips)
    steps = matching.database.steps[matching.database.searchable]
    running = float((np.hypot(steps[:, 0], steps[:, 1]) > 2).mean())
    assert 0.2 < running < 0.8
    seen = speeds_of_wanderers(matching, 24, 60)
    assert (seen > 2).mean() == pytest.approx(running, abs=0.08)
    assert ((seen > 2).any(axis=0) & (seen < 1.6).any(axis=0)).all()


def test_what_is_asked_goes_over_to_a_future_from_what_was_asked_before():
    futures = Futures(np.full((1, 2, 2), 2.0), np.full((1, 2), -3.0))
    state = wandering(np.zeros((2, 2, 2)), np.zeros((2, 2)))
    steered = Wish(np.array([True, False]), np.ones((2, 2, 2)), np.full((2, 2), 3.0), np.zeros((2, 2)))
    wish = with_futures(state, futures, steered, 0.25, lambda who: np.zeros(len(who)))
    assert wish.offsets[0] == pytest.approx(1.0) and wish.facings[0] == pytest.approx(-1.5)
    assert np.array_equal(wish.offsets[1], steered.offsets[1]) and np.array_equal(wish.facings[1], [3, 3])
    free = Wish(np.ones(2, dtype=bool), np.zeros((2, 2, 2)), np.zeros((2, 2)), np.zeros((2, 2)))
    wish = with_futures(state, futures, free, 0.25, lambda who: np.zeros(len(who)))
    assert wish.offsets[1] == pytest.approx(1.5)
    assert wish.facings[1] == pytest.approx(np.pi), "the short way round"
    for _ in range(20):
        wish = with_futures(state, futures, free, 0.25, lambda who: np.zeros(len(who)))
    assert wish.offsets == pytest.approx(2.0, abs=1e-3)


def test_every_future_is_kept_equally_long():
    futures = Futures(np.zeros((5, 1, 2)), np.zeros((5, 1)))
    state = wandering(np.zeros((200, 1, 2)), np.zeros((200, 1)))
    free = Wish(np.ones(200, dtype=bool), np.zeros((200, 1, 2)), np.zeros((200, 1)), np.zeros((200, 2)))
    rng = np.random.default_rng(0)
    time, changes = np.zeros(5), 0
    for _ in range(600):
        before = state.left.copy()
        with_futures(state, futures, free, 0.1, lambda who: rng.random(len(who)))
        time += np.bincount(state.goals, minlength=5)
        changes += int((state.left > before).sum())
    assert time / time.sum() == pytest.approx(0.2, abs=0.02)
    assert 200 * 60 / changes == pytest.approx(np.mean(SECONDS), rel=0.1)
