"""Vectors on the floor and headings."""

from __future__ import annotations

import numpy as np

from moveset.conventions import UP
from moveset.geometry import quaternion
from moveset.motion import floor


def test_turning_to_ground_and_back():
    rng = np.random.default_rng(0)
    vectors, headings = rng.normal(size=(50, 2)), rng.uniform(-4, 4, 50)
    there = floor.ground_from_world(vectors, headings)
    np.testing.assert_allclose(floor.world_from_ground(there, headings), vectors, atol=1e-12)


def test_a_heading_is_a_turn_about_the_upward_axis():
    rng = np.random.default_rng(1)
    vectors, headings = rng.normal(size=(50, 2)), rng.uniform(-4, 4, 50)
    turned = quaternion.rotate(quaternion.from_axis_angle(UP, headings), floor.points_in_world(vectors))
    np.testing.assert_allclose(
        floor.points_in_world(floor.world_from_ground(vectors, headings)), turned, atol=1e-12
    )
    ahead = np.tile((0.0, 1.0), (50, 1))
    np.testing.assert_allclose(
        floor.directions(headings), floor.world_from_ground(ahead, headings), atol=1e-12
    )
