"""What a controller is asked in training is what the runtime would ask it."""

from __future__ import annotations

import numpy as np
import torch

from moveset.geometry import signal
from moveset.learn import steering
from moveset.motion import floor
from moveset.motion.ground import integrate
from moveset.runtime.behaviors import FEEDBACK_REACH, FEEDBACK_SECONDS, TRAJECTORY_FOLLOW, Placement

TIMES = np.array([1 / 6, 1 / 3, 2 / 3, 1.0])


def test_asked_is_what_the_runtime_asks() -> None:
    rng = np.random.default_rng(0)
    count = 64
    positions, headings = rng.normal(0, 0.6, (count, 2)), rng.uniform(-9, 9, count)
    path = rng.normal(0, 1, (count, len(TIMES) + 1, 2))
    facings = rng.uniform(-3, 3, (count, len(TIMES) + 1))
    placement = Placement(
        positions, headings, np.zeros((count, 2)), np.zeros((count, 2, 2)), np.zeros((count, 3))
    )
    values = {"positions": path, "facings": facings}
    offsets, turns, errors = TRAJECTORY_FOLLOW.ask(values, np.zeros(count), placement, TIMES, 1 / 30)
    assert (np.hypot(*errors.T) > FEEDBACK_REACH).any() and (np.hypot(*errors.T) < FEEDBACK_REACH).any()

    track = torch.from_numpy(np.concatenate((path, facings[..., None]), axis=-1))
    own, own_turns = steering.asked(
        track[:, 0],
        track[:, 1:],
        torch.from_numpy(positions),
        torch.from_numpy(headings),
        torch.from_numpy(TIMES),
    )
    np.testing.assert_allclose(own, offsets, atol=1e-12)
    np.testing.assert_allclose(signal.wrap(own_turns.numpy() - turns), 0, atol=1e-12)


def test_constants_are_those_of_the_runtime() -> None:
    assert (steering.FEEDBACK_SECONDS, steering.FEEDBACK_REACH) == (FEEDBACK_SECONDS, FEEDBACK_REACH)


def test_walked_integrates_as_the_ground_frame_does() -> None:
    rng = np.random.default_rng(1)
    steps = rng.normal(0, 0.2, (5, 40, 3))
    positions, headings = rng.normal(size=(5, 2)), rng.normal(size=5)
    places, turned = steering.walked(*map(torch.from_numpy, (steps, positions, headings)))
    for n in range(5):
        begin = np.array((positions[n, 0], 0.0, positions[n, 1]))
        ground = integrate(np.concatenate((np.zeros((1, 3)), steps[n])), begin, headings[n])
        np.testing.assert_allclose(places[n], ground.positions[1:, [0, 2]], atol=1e-12)
        np.testing.assert_allclose(turned[n], ground.headings[1:], atol=1e-12)


def test_floor_vectors_turn_as_in_motion() -> None:
    rng = np.random.default_rng(2)
    vectors, headings = rng.normal(size=(7, 2)), rng.normal(size=7)
    for name in ("world_from_ground", "ground_from_world"):
        own = getattr(steering, name)(torch.from_numpy(vectors), torch.from_numpy(headings))
        np.testing.assert_allclose(own, getattr(floor, name)(vectors, headings), atol=1e-12)


def test_the_control_encoding_tells_a_turn_from_its_opposite() -> None:
    encode = steering.ControlEncoding((0.5, 1.0))
    offsets = torch.zeros(1, 2, 2)
    left, right = (encode(offsets, torch.full((1, 2), angle)) for angle in (1.0, -1.0))
    assert left.shape == (1, encode.width)
    assert (left - right).abs().max() > 1
