from __future__ import annotations

import numpy as np
import pytest

from moveset.features.matching import future
from moveset.motion.floor import world_from_ground
from moveset.motion.ground import ground_frame
from moveset.runtime.behaviors import (
    BEHAVIORS,
    IDLE,
    MOVE_TO_TARGET,
    TRAJECTORY_FOLLOW,
    VELOCITY_FOLLOW,
    Placement,
)
from moveset.runtime.behaviors.velocity import LAG_REACH

TIMES = np.array([1 / 3, 2 / 3, 1.0])


def placed(positions, headings, velocities):
    return Placement(
        positions,
        headings,
        velocities,
        np.zeros((len(positions), 2, 2)),
        np.full((len(positions), 3), np.nan),
    )


def at_ground(clip, frames):
    ground = ground_frame(clip)
    velocities = np.gradient(ground.positions[:, [0, 2]], 1 / clip.fps, axis=0)
    return ground, placed(ground.positions[frames][:, [0, 2]], ground.headings[frames], velocities[frames])


@pytest.mark.parametrize("name", list(BEHAVIORS))
def test_what_is_read_from_a_clip_can_be_asked(clips, name):
    behavior = BEHAVIORS[name]
    clip = clips[-1]
    frames = np.arange(10, 200, 7)
    ground, at = at_ground(clip, frames)
    values = behavior.read(ground, clip.fps, TIMES)
    chosen = {v.name: values[v.name][frames] for v in behavior.values}
    offsets, facings, errors = behavior.ask(chosen, np.zeros(len(frames)), at, TIMES, 1 / 30)
    assert offsets.shape == (len(frames), 3, 2) and facings.shape == (len(frames), 3)
    assert errors.shape == (len(frames), 2)


def test_a_trajectory_read_from_a_clip_asks_for_the_clips_own_future(clips):
    clip = clips[-1]
    frames = np.arange(10, 500, 7)
    ground, at = at_ground(clip, frames)
    values = {k: v[frames] for k, v in TRAJECTORY_FOLLOW.read(ground, clip.fps, TIMES).items()}
    offsets, facings, errors = TRAJECTORY_FOLLOW.ask(values, np.zeros(len(frames)), at, TIMES, 1 / 30)
    true_offsets, true_turns = future(ground, clip.fps, tuple(TIMES))
    assert np.abs(errors).max() < 1e-9
    np.testing.assert_allclose(offsets, true_offsets[frames], atol=1e-9)
    np.testing.assert_allclose(facings, true_turns[frames], atol=1e-9)


def test_a_character_off_its_path_is_asked_back():
    grid = np.concatenate(([0.0], TIMES))
    positions = np.stack((np.zeros(4), 1.2 * grid), axis=-1)[None]
    values = {"positions": positions, "facings": np.full((1, 4), np.nan)}
    at = placed(np.array([[0.3, 0.0]]), np.zeros(1), np.array([[0.0, 1.2]]))
    offsets, facings, errors = TRAJECTORY_FOLLOW.ask(values, np.zeros(1), at, TIMES, 1 / 30)
    np.testing.assert_allclose(errors, [[-0.3, 0.0]])
    np.testing.assert_allclose(offsets[0, :, 0], -0.3 * (1 - np.exp(-TIMES / 0.5)))
    np.testing.assert_allclose(offsets[0, :, 1], 1.2 * TIMES)
    np.testing.assert_allclose(facings, 0, atol=1e-12)


def test_an_aged_trajectory_goes_on_along_itself():
    grid = np.concatenate(([0.0], TIMES))
    positions = np.stack((np.zeros(4), 1.5 * grid), axis=-1)[None]
    values = {"positions": positions, "facings": np.full((1, 4), np.nan)}
    at = placed(np.array([[0.0, 0.6]]), np.zeros(1), np.array([[0.0, 1.5]]))
    offsets, _, errors = TRAJECTORY_FOLLOW.ask(values, np.array([0.4]), at, TIMES, 1 / 30)
    np.testing.assert_allclose(errors, 0, atol=1e-12)
    np.testing.assert_allclose(offsets[0, :, 1], 1.5 * TIMES)


def test_a_relative_velocity_turns_with_the_character():
    values = {"velocity": np.array([[1.0, 0.0]] * 2), "facing": np.full(2, np.nan), "relative": np.ones(2)}
    at = placed(np.zeros((2, 2)), np.array([0.0, np.pi / 2]), np.zeros((2, 2)))
    offsets, facings, _ = VELOCITY_FOLLOW.ask(values, np.zeros(2), at, TIMES, 1 / 30)
    np.testing.assert_allclose(offsets[0], offsets[1], atol=1e-12)
    assert (offsets[:, -1, 0] > 0.6).all() and np.abs(offsets[..., 1]).max() < 1e-9
    np.testing.assert_allclose(facings, 0)


def test_a_world_velocity_asks_to_face_along_it():
    values = {"velocity": np.array([[1.0, 0.0]]), "facing": np.full(1, np.nan), "relative": np.zeros(1)}
    at = placed(np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)))
    _, facings, _ = VELOCITY_FOLLOW.ask(values, np.zeros(1), at, TIMES, 1 / 30)
    assert 0 < facings[0, 0] < facings[0, -1] < np.pi / 2
    assert facings[0, -1] == pytest.approx(np.pi / 2, abs=0.02)


def test_a_character_that_lags_behind_its_velocity_is_asked_for_the_rest_but_not_for_more_than_a_little():
    values = {"velocity": np.array([[0.0, 1.2]]), "facing": np.full(1, np.nan), "relative": np.zeros(1)}
    at = placed(np.zeros((1, 2)), np.zeros(1), np.array([[0.0, 1.0]]))
    at.wished[:, 0] = (0.0, 1.2)
    far = []
    for _ in range(60):
        offsets, _, _ = VELOCITY_FOLLOW.ask(values, np.zeros(1), at, TIMES, 1 / 30)
        far.append(offsets[0, -1, 1])
        at.positions[:, 1] += 1.0 / 30  # a sixth too slow
    assert far[0] == pytest.approx(1.2) and far[3] == pytest.approx(1.2 + 0.02 * (1 - np.exp(-2)), abs=1e-3)
    assert far[-1] == pytest.approx(1.2 + LAG_REACH * (1 - np.exp(-2)), abs=1e-6)


def test_idle_asks_to_stop_where_the_velocity_leads_and_then_to_stay_there():
    at = placed(np.zeros((1, 2)), np.zeros(1), np.array([[0.0, 1.2]]))
    at.wished[:, 0] = (0.0, 1.2)
    values = {"facing": np.full(1, np.nan)}
    offsets, facings, errors = IDLE.ask(values, np.zeros(1), at, TIMES, 1 / 30)
    assert 0.1 < offsets[0, -1, 1] == pytest.approx(errors[0, 1], abs=0.03) and not facings.any()
    at.wished[:] = 0.0
    at.positions[:] = at.anchors[:, :2] + (0.3, 0.0)
    at.headings[:] = 0.5
    offsets, facings, _ = IDLE.ask(values, np.zeros(1), at, TIMES, 1 / 30)
    back = world_from_ground(offsets[0, -1], 0.5)
    np.testing.assert_allclose(back, (-0.3 * (1 - np.exp(-2)), 0.0), atol=0.03)
    assert facings[0, -1] == pytest.approx(-0.5, abs=0.01)
    at.positions[:] = at.anchors[:, :2] + (0.03, 0.0)
    assert np.abs(IDLE.ask(values, np.zeros(1), at, TIMES, 1 / 30)[0]).max() < 1e-3


@pytest.mark.parametrize("away, speed", [(5.0, 1.2), (0.4, 1.2), (2.0, 2.5)])
def test_a_target_is_approached_at_speed_and_hardly_overshot(away, speed):
    """A point that does what is asked of it."""
    at = placed(np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)))
    values = {"position": np.array([[0.0, away]]), "facing": np.full(1, np.nan)}
    values |= {"speed": np.full(1, speed), "arrival": np.full(1, 0.02)}
    reached, fastest = [], 0.0
    for _ in range(400):
        offsets, _, _ = MOVE_TO_TARGET.ask(values, np.zeros(1), at, np.array([1 / 30, 0.5]), 1 / 30)
        at.positions[:] += offsets[:, 0]
        at.velocities[:] = offsets[:, 0] * 30
        reached.append(at.positions[0, 1])
        fastest = max(fastest, at.velocities[0, 1])
    assert np.max(reached) < away + 0.03 and reached[-1] == pytest.approx(away, abs=0.03)
    assert fastest <= speed * 1.05
    if away == 5.0:
        assert fastest > 0.97 * speed
