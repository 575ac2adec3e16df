"""TrajectoryFollow: be at asked places at asked times."""

from __future__ import annotations

import numpy as np

from moveset.features.matching import future
from moveset.geometry.quaternion import Array
from moveset.motion.floor import world_from_ground
from moveset.motion.ground import GroundFrame
from moveset.runtime.behaviors.behavior import STANDING, Asked, Behavior, Placement, Value, Values, forget
from moveset.runtime.behaviors.trajectory_kernel import follow

FEEDBACK_SECONDS = 0.5
"""Time constant in which a path is regained; any value from 0.02 to 1 s works about as well."""
FEEDBACK_REACH = 0.5
"""A character further off its path than this [m] is asked to come back as if it were this far."""


def pull(errors: Array, times: Array) -> Array:
    """(K, T, 2) way back of characters that are `errors` (K, 2) [m] off: an exponential that goes on into the past."""
    distance = np.hypot(errors[:, 0], errors[:, 1])[:, None]
    reach = errors * np.minimum(1, FEEDBACK_REACH / np.maximum(distance, 1e-9))
    return reach[:, None] * (1 - np.exp(-times / FEEDBACK_SECONDS))[:, None]


def _follow_trajectory(values: Values, age: Array, at: Placement, times: Array, dt: float) -> Asked:
    forget(at)
    grid = np.concatenate(([0.0], times))
    order = np.argsort(grid)  # what lies in the past was given after now
    count, ahead = len(age), len(times)
    asked = np.empty((count, ahead, 2)), np.empty((count, ahead)), np.empty((count, 2))
    follow(
        values["positions"], values["facings"], age, grid, order, at.positions, at.headings,
        1 - np.exp(-times / FEEDBACK_SECONDS), FEEDBACK_REACH, STANDING, *asked,
    )  # fmt: skip
    return asked


def _read_trajectory(ground: GroundFrame, fps: float, times: Array) -> dict[str, Array]:
    offsets, turns = future(ground, fps, (0.0, *times))
    positions = world_from_ground(offsets, ground.headings[:, None]) + ground.positions[:, None, [0, 2]]
    return {"positions": positions, "facings": turns + ground.headings[:, None]}


TRAJECTORY_FOLLOW = Behavior(
    "TrajectoryFollow",
    "be at asked places at asked times",
    (
        Value(
            "positions",
            ("T", 2),
            "m",
            "x and z in the world, now and at each looked-ahead time (one may be past)",
        ),
        Value("facings", ("T",), "rad", "headings then; along the path if absent", True),
    ),
    _follow_trajectory,
    _read_trajectory,
)
