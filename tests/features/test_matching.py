from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.conventions import UP
from moveset.features.matching import future, matching_features, matching_layout
from moveset.geometry import quaternion
from moveset.motion.ground import GroundFrame, ground_frame
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def walk():
    return synthesize("walk_120")


def test_a_straight_walk_reads_as_one(walk):
    layout = matching_layout()
    assert layout.width == 27
    blocks = layout.unpack(matching_features(walk))
    ahead = blocks["path_positions"][10:-40]
    np.testing.assert_allclose(ahead[..., 1], np.tile((0.4, 0.8, 1.2), (len(ahead), 1)), atol=0.08)
    np.testing.assert_allclose(ahead[..., 0], 0, atol=0.08)
    np.testing.assert_allclose(blocks["path_directions"][10:-40, :, 1], 1, atol=0.02)
    assert blocks["hips_velocity"][:, 2].mean() == pytest.approx(1.2, abs=0.06)
    left, right = blocks["foot_positions"].mean(axis=0)
    assert left[0] > 0.03 > -0.03 > right[0]


def test_features_do_not_know_where_and_which_way_the_clip_goes(walk):
    turn = quaternion.from_axis_angle(UP, 2.1)
    rotations, translations = walk.rotations.copy(), walk.translations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0]) + (5.0, 0.0, -3.0)
    moved = replace(walk, rotations=rotations, translations=translations)
    np.testing.assert_allclose(matching_features(moved), matching_features(walk), atol=1e-6)


def test_the_future_of_a_circle_is_a_circle():
    times = np.arange(200) / 30
    rate, radius = 0.8, 2.0
    positions = radius * np.stack((1 - np.cos(rate * times), 0 * times, np.sin(rate * times)), axis=-1)
    offsets, turns = future(GroundFrame(positions, rate * times), 30.0, (0.5,))
    chord = radius * np.array((1 - np.cos(rate * 0.5), np.sin(rate * 0.5)))
    np.testing.assert_allclose(offsets[:180, 0], np.tile(chord, (180, 1)), atol=1e-9)
    np.testing.assert_allclose(turns, rate * 0.5, atol=1e-9)


def test_beyond_its_end_a_clip_goes_on_as_it_last_went(walk):
    ground = ground_frame(walk)
    offsets, _ = future(ground, walk.fps, (1.0,))
    last = np.linalg.norm(np.diff(ground.positions[-9:], axis=0), axis=-1).mean() * walk.fps
    assert np.linalg.norm(offsets[-1, 0]) == pytest.approx(last, rel=0.01)
