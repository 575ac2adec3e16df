"""TrajectoryFollow: be at asked places at asked times."""

from __future__ import annotations

import numpy as np

from moveset.features.matching import future
from moveset.geometry import signal
from moveset.geometry.quaternion import Array
from moveset.motion.floor import ground_from_world, world_from_ground
from moveset.motion.ground import GroundFrame
from moveset.runtime.behaviors.behavior import STANDING, Asked, Behavior, Placement, Value, Values, forget

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
    positions, facings = values["positions"], values["facings"]
    order = slice(None)
    if times.min() < 0:  # what lies in the past was given after now
        order = np.argsort(grid)
        positions, facings, grid = positions[:, order], facings[:, order], grid[order]
    absent = np.isnan(facings[:, 0])
    if absent.any():
        facings = np.where(absent[:, None], _along(positions, grid, at.headings), facings)
    if age.any():
        positions = _shifted(positions, grid, age)
        facings = _shifted(facings[..., None], grid, age)[..., 0]
    if not isinstance(order, slice):
        back = np.argsort(order)
        positions, facings = positions[:, back], facings[:, back]
    errors = positions[:, 0] - at.positions
    offsets = positions[:, 1:] - positions[:, :1] + pull(errors, times)
    return (
        ground_from_world(offsets, at.headings[:, None]),
        signal.wrap(facings[:, 1:] - at.headings[:, None]),
        errors,
    )


def _shifted(samples: Array, grid: Array, age: Array) -> Array:
    """Samples (K, T, C) given for `grid` (T,) as they are `age` (K,) later; they go on as they last went."""
    at = np.minimum(grid + age[:, None], grid[-1])
    low = np.clip(np.searchsorted(grid, at, side="right") - 1, 0, len(grid) - 2)
    rows = np.arange(len(samples))[:, None]
    first, second = samples[rows, low], samples[rows, low + 1]
    weight = (grid + age[:, None] - grid[low]) / (grid[low + 1] - grid[low])
    return first + weight[..., None] * (second - first)


def _along(positions: Array, grid: Array, headings: Array) -> Array:
    """(K, T) directions of travel; where the samples stand still, the heading now."""
    steps = np.diff(positions, axis=1) / np.diff(grid)[:, None]
    steps = np.concatenate((steps[:, :1], (steps[:, 1:] + steps[:, :-1]) / 2, steps[:, -1:]), axis=1)
    turns = signal.wrap(np.arctan2(steps[..., 0], steps[..., 1]) - headings[:, None])
    moving = np.hypot(steps[..., 0], steps[..., 1]) > STANDING
    return headings[:, None] + np.where(moving, turns, 0.0)


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
