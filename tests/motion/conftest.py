"""Clips made of numbers alone, so that every test knows what is in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.canonical import canonical_skeleton


def smooth_clip(
    skeleton: Skeleton | None = None, frames: int = 90, size: float = 0.5, fps: float = 30.0, seed: int = 0
) -> Clip:
    """A body that walks a curve while all of its joints swing by chance, smoothly and up to about `size` [rad]."""
    skeleton = skeleton or canonical_skeleton()
    rng = np.random.default_rng(seed)
    noise = gaussian_filter1d(rng.normal(size=(frames + 40, len(skeleton), 3)), 8, axis=0)[20:-20]
    swings = noise / noise.std() * size / 2
    heading = np.cumsum(gaussian_filter1d(rng.normal(size=frames), 15)) * 0.3
    turn = quaternion.from_axis_angle([0, 1, 0], heading)
    rotations = quaternion.multiply(skeleton.rest_rotations, quaternion.from_rotation_vector(swings))
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations = np.repeat(skeleton.rest_translations[None], frames, axis=0)
    steps = quaternion.rotate(turn, np.tile([0.0, 0.0, 1.2 / fps], (frames, 1)))
    translations[:, 0] += np.cumsum(steps, axis=0) + [0.3, 0, -0.2]
    return Clip(skeleton, quaternion.unroll(rotations), translations, fps, "smooth")


def standing_clip(skeleton: Skeleton | None = None, frames: int = 60, fps: float = 30.0) -> Clip:
    """The rest pose, held."""
    skeleton = skeleton or canonical_skeleton()
    rotations = np.broadcast_to(skeleton.rest_rotations, (frames, len(skeleton), 4))
    translations = np.repeat(skeleton.rest_translations[None], frames, axis=0)
    return Clip(skeleton, rotations, translations, fps, "standing")


def leg_clip(foot: np.ndarray, fps: float = 30.0) -> Clip:
    """A clip whose left toe is at `foot` (F, 3) over its standing place: a body of two feet without legs.

    The ankle is fixed over the toe; the right foot stands still.
    """
    names = ("hips", "leftFoot", "leftToes", "rightFoot", "rightToes")
    rest = np.array(
        [[0, 1, 0], [0.1, -0.9, 0], [0, -0.08, 0.12], [-0.1, -0.9, 0], [0, -0.08, 0.12]], dtype=float
    )
    skeleton = Skeleton(names, np.array([-1, 0, 1, 0, 3]), quaternion.identity((5,)), rest, names)
    translations = np.repeat(rest[None], len(foot), axis=0)
    translations[:, 1] += foot
    return Clip(skeleton, quaternion.identity((len(foot), 5)), translations, fps, "leg")


@pytest.fixture(name="smooth_clip")
def _smooth_clip():
    return smooth_clip


@pytest.fixture(name="standing_clip")
def _standing_clip():
    return standing_clip


@pytest.fixture(name="leg_clip")
def _leg_clip():
    return leg_clip


def assert_same_rotations(a, b, tolerance=1e-9):
    """Equal up to sign of each quaternion."""
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(a, b * sign, atol=tolerance, rtol=0)


@pytest.fixture(name="assert_same_rotations")
def _assert_same_rotations():
    return assert_same_rotations
